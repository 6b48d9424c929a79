//! Which terms of a vocabulary contain a phrase (its super terms), and which does it contain (its
//! nested terms)?
//!
//! Three arrays answer both questions: the dictionary of distinct tokens, every term as a run of token
//! ids, and every suffix of every term in order. DESIGN.md tells how, FORMAT.md how they are stored.
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

#[path = "analysis/tokenizers.rs"]
mod analyze;
#[path = "arrays/array.rs"]
mod array;
#[cfg(feature = "python")]
#[path = "python/arrow.rs"]
mod arrow;
#[path = "query/batch.rs"]
mod batch;
#[path = "arrays/bits.rs"]
mod bits;
#[path = "build/pipeline.rs"]
mod builder;
#[path = "extract/counter.rs"]
mod candidates;
#[path = "arrays/dictionary.rs"]
mod dictionary;
mod error;
#[path = "query/expand.rs"]
mod expand;
#[path = "index/format.rs"]
mod file;
#[path = "arrays/filter.rs"]
mod filter;
#[path = "query/find.rs"]
mod find;
#[path = "join/fingerprint.rs"]
mod fingerprint;
#[path = "index/fields.rs"]
mod index;
#[path = "build/intern.rs"]
mod intern;
#[path = "query/json.rs"]
mod json;
#[cfg(feature = "python")]
#[path = "python/lines.rs"]
mod lines;
#[path = "join/ngrams.rs"]
mod ngrams;
#[path = "arrays/packed.rs"]
mod packed;
#[path = "graph/pairs.rs"]
mod pairs;
#[path = "join/blocks.rs"]
mod parcels;
#[cfg(feature = "python")]
#[path = "python/index.rs"]
mod py;
#[cfg(feature = "python")]
#[path = "python/join.rs"]
mod py_ngrams;
#[path = "query/phrase.rs"]
mod query;
#[path = "vocabulary/tables.rs"]
mod reader;
#[path = "graph/scores.rs"]
mod scores;
#[path = "arrays/strings.rs"]
mod strings;
#[path = "build/suffixes.rs"]
mod suffixes;
#[path = "graph/taxonomy.rs"]
mod taxonomy;
mod threads;

pub use analyze::{Normalize, Options, Tokenizer};
pub use batch::{Rows, Texts};
pub use builder::{Build, Entries, List};
pub use candidates::{CandidateCounter, CandidateOptions, Candidates, MAX_WORD_BYTES, MAX_WORDS};
pub use error::{Error, Place, Result};
pub use expand::{Expansion, Side};
pub use find::{Match, Overlaps};
pub use fingerprint::{Fingerprinter, KEY_BYTES};
pub use index::{Index, Stats, TermId};
pub use json::{Ask, Question, Sort};
pub use ngrams::{FrequentNGrams, TermAnalyzer, TermFilter};
pub use pairs::Pairs;
pub use parcels::{LabelledPairs, Labels, Outgoing, PairMaker, PartSurvey, TermSender, TermTable};
pub use query::{Hit, NestedOptions, SuperOptions, Where};
pub use reader::{Column, Decoding, Format, ReadOptions, Vocabulary};
pub use scores::{Keep, Ranking, Score, Scores};
pub use taxonomy::Taxonomy;
pub use threads::{Progress, threads_or_all};

/// The most tokens that a term can have.
pub const MAX_TERM_TOKENS: usize = 4096;
/// The most bytes that the surface of a term can have, in UTF-8.
pub const MAX_TERM_BYTES: usize = 65_535;
/// The most tokens that all terms of an index can have together.
pub const MAX_TOKENS: u64 = u32::MAX as u64;
/// The most bytes that a separator can have, in UTF-8.
pub const MAX_SEPARATOR_BYTES: usize = 255;
