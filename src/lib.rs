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

mod analyze;
mod array;
#[cfg(feature = "python")]
mod arrow;
mod batch;
mod bits;
mod builder;
mod candidates;
mod dictionary;
mod error;
mod expand;
mod file;
mod filter;
mod find;
mod fingerprint;
mod index;
mod intern;
mod json;
#[cfg(feature = "python")]
mod lines;
mod ngrams;
mod packed;
mod pairs;
mod parcels;
#[cfg(feature = "python")]
mod py;
#[cfg(feature = "python")]
mod py_ngrams;
mod query;
mod reader;
mod scores;
mod strings;
mod suffixes;
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
