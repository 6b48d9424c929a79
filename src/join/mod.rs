//! The containment join of a vocabulary that does not fit on one machine: the core of `termnest.spark`.
//!
//! Term A is nested in term B exactly when A's key is an n-gram of B's. So all pairs of a vocabulary are a
//! join of its terms with its n-grams, by fingerprint. The vocabulary is divided into *partitions*. What
//! goes from one task to one partition is packed into *blocks* of many records, so that Spark moves
//! thousands of large rows and not billions of small ones. The steps:
//!
//! 1. The [`NGramCounts`] of a sample give the [`FrequentNGrams`] of the vocabulary, and the
//!    [`FilterEntries`] of all of its parts the [`TermFilter`]. Every machine gets both.
//! 2. [`TermSender`] sends each term to the partition of its fingerprint. There a [`TermTable`] merges
//!    equal terms.
//! 3. [`TermTable::outgoing`] makes the n-grams of the terms, and blocks of them for the partitions of
//!    their fingerprints.
//! 4. In each partition, a [`PairMaker`] joins the n-grams with the terms.
//! 5. For the scores, [`nested_shares`] finds from the pairs of each super term what occurs inside of it.
//!
//! Three things keep the join small:
//!
//! - Only n-grams that may be terms are sent. The filter drops nearly all others, and ends a walk where no
//!   longer term begins like it.
//! - N-grams that occur in very many terms, most of them single words, stay in the partition of the term
//!   around them. The few terms that equal them are sent to all partitions instead.
//! - Each distinct n-gram of a term is sent once, with its first start.

mod analyzer;
mod blocks;
mod fingerprint;
mod frequent_ngrams;
mod ids;
mod ngrams;
mod pair_maker;
mod shares;
mod statistics;
mod term_filter;
mod term_sender;
mod term_table;
#[cfg(test)]
mod tests;

pub use analyzer::TermAnalyzer;
pub use blocks::{Outgoing, TermFields};
pub use fingerprint::{Fingerprinter, KEY_BYTES};
pub use frequent_ngrams::FrequentNGrams;
pub use ids::Ids;
pub use pair_maker::{IdPairs, PairMaker};
pub use shares::nested_shares;
pub use statistics::{FilterEntries, NGramCounts};
pub use term_filter::TermFilter;
pub use term_sender::TermSender;
pub use term_table::TermTable;
