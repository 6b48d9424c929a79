//! Vocabulary in, index out.
//!
//! 1. Each thread splits a part of the entries into tokens (`split.rs`).
//! 2. The distinct tokens are found, normalised and sorted; their places give the token ids
//!    (`number.rs`, `intern.rs`).
//! 3. The entries become terms: runs of token ids (`number.rs`, `terms.rs`).
//! 4. The suffixes of the terms are sorted (`suffixes.rs`). Equal terms become neighbours and are merged
//!    (`merge.rs`).
//! 5. The arrays of the index are made from all this.
//!
//! The result does not depend on how the entries are divided among threads.

use crate::MAX_TOKENS;
use crate::analysis::{Case, Spaces};
use crate::arrays::best::Best;
use crate::arrays::bits::{self, Bits};
use crate::arrays::dictionary::Dictionary;
use crate::arrays::filter::Filter;
use crate::arrays::packed::Packed;
use crate::arrays::surfaces::Surfaces;
use crate::arrays::{Arrays, Meta, SECOND_TOKEN_STEPS};
use crate::build::Build;
use crate::build::entries::Entries;
use crate::build::merge::{Merged, merge_equal_terms};
use crate::build::names::{Sources, joined_readings};
use crate::build::number::TokenTable;
use crate::build::repetitions::repetitions;
use crate::build::suffixes::{self, Tokens};
use crate::build::terms::{CAPITALS, Terms, check_weights};
use crate::error::{Error, Result};
use crate::progress::Stage;
use crate::threads::{Jobs, threads_or_all};

/// Bytes of entries from which on a build uses several threads: starting them costs more than they gain
/// on a smaller vocabulary.
const MIN_BYTES_FOR_THREADS: usize = 1 << 16;

impl Build {
    /// The arrays of the index of `entries`; `weights` has a weight for each of them.
    pub(crate) fn arrays(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Arrays> {
        Ok(self.arrays_and_rows(entries, weights, false)?.0)
    }

    /// The arrays of an index in which every entry is a term of its own, also if it equals another; and the
    /// entry of each term.
    pub(crate) fn arrays_of_rows(&self, entries: &dyn Entries) -> Result<(Arrays, Vec<u32>)> {
        self.arrays_and_rows(entries, None, true)
    }

    fn arrays_and_rows(
        &self,
        entries: &dyn Entries,
        weights: Option<&[f64]>,
        apart: bool,
    ) -> Result<(Arrays, Vec<u32>)> {
        self.options.validate()?;
        let threads = match entries.size() < MIN_BYTES_FOR_THREADS {
            true => 1,
            false => threads_or_all(self.threads),
        };
        let columns = &*self.columns;
        columns.check_names()?;
        let aliases = self.aliases.resolve(entries, &self.options, columns)?;
        let joined = joined_readings(entries, &aliases, &self.options)?;
        let partitions = self.partitions(entries)?;
        let mut parts = self.split(entries, &self.options, &partitions, threads)?;
        let count = parts.iter().map(|part| part.token_counts.len()).sum();
        check_weights(weights, entries, count as u64)?;
        columns.check_lengths(count)?;
        parts.extend(self.split(&aliases.names, &self.options, &partitions, 1)?);
        if let Some(options) = self.options.joined_reading() {
            parts.extend(self.split(&joined.names, &options, &partitions, threads)?);
        }
        let sources =
            Sources { entries, count, aliases: &aliases, joined: &joined, columns, apart };
        let (mut terms, mut tokens) = self.number(parts, &sources, weights, threads)?;
        self.progress.begin(Stage::SortingSuffixes, terms.keys.len() as u64)?;
        let dealt = std::mem::take(&mut tokens.dealt);
        let mut sorted =
            suffixes::sort(terms.tokens(), &tokens.buckets, dealt, threads, &self.progress)?;
        let Merged { duplicates, large_groups, homonyms } =
            merge_equal_terms(&mut terms, &mut tokens, &mut sorted, &sources, threads)?;
        let rows = std::mem::take(&mut terms.rows);
        let columns = match columns.is_empty() {
            true => None,
            false => Some(columns.store(&rows, entries, threads)?),
        };
        let mut arrays =
            self.make_arrays(terms, &tokens, &sorted.suffixes, duplicates as u64, threads)?;
        (arrays.meta.homonyms, arrays.columns) = (homonyms, columns);
        arrays.variants = arrays.order_variants(large_groups)?;
        arrays.best = arrays.best_terms(&sorted.suffixes, threads)?;
        Ok((arrays, rows))
    }

    /// Step 5: each array is made on its own.
    fn make_arrays(
        &self,
        terms: Terms,
        tokens: &TokenTable,
        suffixes: &[u32],
        duplicates: u64,
        threads: usize,
    ) -> Result<Arrays> {
        let TokenTable { text, lengths, forms, layout, buckets, .. } = tokens;
        let end = layout.ids[lengths.len()];
        // The longest jobs first.
        let mut jobs = Jobs::default();
        let enclosed = jobs.add(|| Filter::of_enclosed(&terms.keys, &terms.borders));
        let dictionary = jobs.add(|| Dictionary::new(text, lengths, forms, layout, buckets));
        let surfaces = jobs.add(|| {
            let (names, whole) = (terms.lengths.len(), terms.whole.iter());
            Surfaces::new(!forms.is_empty(), &terms.shown_forms(), names, whole)
        });
        let capitals = jobs.add(|| {
            let is_smart = self.options.case == Case::Smart;
            is_smart.then(|| capitals(&terms.forms, terms.keys.len()).into())
        });
        let owners = jobs.add(|| pack(&terms.owners, terms.count));
        let keys = jobs.add(|| pack(&terms.keys, end as usize));
        let packed = jobs.add(|| pack(suffixes, suffixes.len()));
        let wholes = jobs.add(|| Bits::new(wholes(suffixes, &terms.borders)));
        let repetitions = jobs.add(|| repetitions(terms.tokens(), suffixes));
        let seconds = jobs.add(|| seconds(terms.tokens(), suffixes, end));
        let openings = jobs.add(|| Filter::of_openings(&terms.keys, &terms.borders));
        jobs.run(threads)?;
        Ok(Arrays {
            meta: Meta {
                options: self.options.clone(),
                normalized: self.normalizer.is_some(),
                spaces: self.spaces(&terms, tokens),
                skipped: terms.skipped,
                duplicates,
                longest: terms.longest(),
                terms: terms.count,
                own_tokens: terms.own_tokens(),
                aliases: terms.aliases,
                homonyms: false,
            },
            tokens: dictionary.take(),
            keys: keys.take(),
            borders: Bits::new(terms.borders),
            owners: owners.take(),
            capitals: capitals.take(),
            suffixes: packed.take(),
            seconds: seconds.take(),
            wholes: wholes.take(),
            openings: openings.take(),
            enclosed: enclosed.take(),
            weights: terms.weights.map(Into::into),
            surfaces: surfaces.take(),
            variants: pack(&[], 0),
            best: Best::default(),
            repetitions: repetitions.take(),
            columns: None,
        })
    }

    /// The white space that no surface contains.
    fn spaces(&self, terms: &Terms, tokens: &TokenTable) -> Spaces {
        match terms.has_several_tokens() {
            true => {
                let joiner = self.options.joiner().as_bytes();
                tokens.spaces.min(self.options.white_space_separates([joiner]))
            }
            false => tokens.spaces,
        }
    }

    /// Refuses more tokens than an index can have.
    pub(super) fn check_capacity(&self, tokens: usize) -> Result<()> {
        let limit = self.max_tokens.unwrap_or(MAX_TOKENS);
        if tokens as u64 > limit { Err(Error::Full { limit }) } else { Ok(()) }
    }
}

/// The bits that mark the tokens in capitals.
fn capitals(forms: &[u8], tokens: usize) -> Vec<u64> {
    let mut words = vec![0; bits::words_for(tokens)];
    for (p, _) in forms.iter().enumerate().filter(|(_, form)| **form & CAPITALS != 0) {
        bits::set(&mut words, p);
    }
    words
}

/// Packs numbers up to `largest`.
pub(crate) fn pack(numbers: &[u32], largest: usize) -> Packed {
    Packed::new(numbers.iter().map(|&number| number.into()), largest as u64)
}

/// The second tokens of a sample of the suffixes: see [`Arrays::seconds`]. `end` is the id after that of
/// the last token.
pub(crate) fn seconds(
    tokens: Tokens,
    suffixes: &[u32],
    end: u32,
) -> [Packed; SECOND_TOKEN_STEPS.len()] {
    let second = |&p: &u32| tokens.second(p).map_or(0, |id| u64::from(id) + 1);
    SECOND_TOKEN_STEPS
        .map(|step| Packed::new(suffixes.iter().step_by(step).map(second), end.into()))
}

/// The bits that mark the slots of whole terms.
pub(crate) fn wholes(suffixes: &[u32], borders: &[u64]) -> Vec<u64> {
    let whole = |p: u32| borders[p as usize / 64] >> (p % 64) & 1;
    let word = |slots: &[u32]| slots.iter().rev().fold(0, |word, &p| word << 1 | whole(p));
    let mut words: Vec<u64> = suffixes.chunks(64).map(word).collect();
    words.resize(bits::words_for(suffixes.len() + 1), 0);
    words
}
