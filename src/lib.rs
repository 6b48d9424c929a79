//! Which terms of a vocabulary contain a phrase (its super terms), and which does it contain (its
//! nested terms)?
//!
//! ```
//! use termnest::{Build, List, SuperOptions, NestedOptions};
//!
//! let terms = ["google", "google llc", "llc", "alphabet google llc"];
//! let index = Build::default().index(&List::from_iter(terms), None)?;
//! let surfaces = |hits: Vec<termnest::Hit>| -> Vec<String> {
//!     hits.iter().map(|hit| index.surface(hit.id).unwrap()).collect()
//! };
//! assert_eq!(surfaces(index.super_terms("google", &SuperOptions::default())?),
//!            ["google llc", "alphabet google llc"]);
//! assert_eq!(surfaces(index.nested_terms("google llc", &NestedOptions::default())?),
//!            ["google", "llc"]);
//! # Ok::<(), termnest::Error>(())
//! ```
//!
//! Three arrays answer both questions: the dictionary of distinct tokens, every term as a run of token
//! ids, and every suffix of every term in order. DESIGN.md explains how, and FORMAT.md how they are stored.
//!
//! # Where things are
//!
//! From the bottom up; each module uses only those above it in this table.
//!
//! | module | content |
//! |---|---|
//! | `limits`, `error`, `progress`, `threads` | the sizes that an index allows, the error type, the stages of a build, work on several threads |
//! | `analysis` | text to tokens to normal forms: options, tokenizers, white space |
//! | `arrays` | what reads the same in memory and in a mapped file: bits, packed numbers, dictionary, strings, filters |
//! | `build` | a vocabulary to arrays: splitting, numbering of tokens, sorting of suffixes, merging of equal terms |
//! | `index` | the index: its fields; opening, saving, checking a file |
//! | `vocabulary` | files to vocabularies: text, tables, JSON Lines |
//! | `query` | questions about phrases and texts: super terms, nested terms, completion, finding, batches |
//! | `graph` | relations among all terms: pairs, scores, rankings, the tree of heads |
//! | `extract` | candidates for terms, counted in texts |
//! | `join` | pairs of vocabularies that are spread over machines, for Spark |
//! | `store` | a vocabulary that changes: segments, commits, answers of several indexes as one |
//! | `json` | answers as JSON, for the server |
//! | `python` | the Python module `termnest._core`, behind the feature `python` |

mod analysis;
mod arrays;
mod build;
mod error;
mod extract;
mod graph;
mod index;
mod join;
mod json;
mod limits;
mod progress;
#[cfg(feature = "python")]
mod python;
mod query;
mod store;
mod threads;
mod vocabulary;

// Items for the Python module alone are hidden in the documentation.
pub use analysis::{Case, Hyphens, Language, Normalize, Options, Tokenizer};
pub use arrays::columns::{Kind, Value};
pub use build::{Aliases, Build, Entries, List, Refused, UserColumns, Values};
pub use error::{AliasProblem, ColumnProblem, Error, Place, Result, StoreProblem};
pub use extract::counter::{
    CandidateCounter, CandidateOptions, Candidates, MAX_WORD_BYTES, MAX_WORDS,
};
pub use graph::containment::Containment;
pub use graph::pairs::Pairs;
pub use graph::ranking::{Keep, Ranking, Score};
pub use graph::scores::Scores;
pub use graph::taxonomy::Taxonomy;
pub use graph::variants::EqualTerms;
pub use index::mask::TermMask;
pub use index::{Index, Stats, TermId};
#[doc(hidden)]
pub use join::{
    Fingerprinter, FrequentNGrams, IdPairs, Ids, KEY_BYTES, Outgoing, PairMaker,
    PartitionStatistics, TermAnalyzer, TermFields, TermFilter, TermSender, TermTable,
};
#[doc(hidden)]
pub use json::Question;
pub use limits::{MAX_SEPARATOR_BYTES, MAX_TERM_BYTES, MAX_TERM_TOKENS, MAX_TOKENS};
pub use progress::Progress;
pub use query::batch::{Rows, Texts};
#[doc(hidden)]
pub use query::document::{Alignment, Compared, Found, Respelled, Span, TokenFinder, Units};
pub use query::expand::{Expansion, Side};
pub use query::find::matches::{Match, Matches};
pub use query::find::options::{FindOptions, Overlaps, Variants};
pub use query::find::rows::MatchRows;
pub use query::{Hit, NestedOptions, Sort, SuperOptions, Where};
#[doc(hidden)]
pub use store::storage::{Lock, Output, Stamp, Storage};
pub use store::{About, Addition, Answer, Answers, Snapshot, Store, StoreOptions};
#[doc(hidden)]
pub use threads::threads_or_all;
pub use vocabulary::{Column, Decoding, Format, OwnColumns, ReadOptions, Vocabulary};
