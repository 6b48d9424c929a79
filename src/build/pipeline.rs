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
use crate::analysis::Spaces;
use crate::arrays::bits::{self, Bits};
use crate::arrays::dictionary::Dictionary;
use crate::arrays::filter::Filter;
use crate::arrays::packed::Packed;
use crate::arrays::surfaces::Surfaces;
use crate::arrays::{Arrays, Meta, SECOND_TOKEN_STEPS};
use crate::build::Build;
use crate::build::entries::Entries;
use crate::build::merge::{Merged, merge_equal_terms};
use crate::build::number::TokenTable;
use crate::build::suffixes::{self, Tokens};
use crate::build::terms::{Terms, check_weights};
use crate::error::{Error, Result};
use crate::progress::Stage;
use crate::threads::{Jobs, threads_or_all};

/// Bytes of entries from which on a build uses several threads: starting them costs more than they gain
/// on a smaller vocabulary.
const MIN_BYTES_FOR_THREADS: usize = 1 << 16;

impl Build {
    /// The arrays of the index of `entries`; `weights` has a weight for each of them.
    pub(crate) fn arrays(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Arrays> {
        self.options.validate()?;
        let threads = match entries.size() < MIN_BYTES_FOR_THREADS {
            true => 1,
            false => threads_or_all(self.threads),
        };
        let parts = self.split(entries, threads)?;
        let count = parts.iter().map(|part| part.token_counts.len() as u64).sum();
        check_weights(weights, entries, count)?;
        let (mut terms, mut tokens) = self.number(parts, entries, weights, threads)?;
        self.progress.begin(Stage::SortingSuffixes, terms.keys.len() as u64)?;
        let dealt = std::mem::take(&mut tokens.dealt);
        let mut sorted =
            suffixes::sort(terms.tokens(), &tokens.buckets, dealt, threads, &self.progress)?;
        let Merged { duplicates, large_groups } =
            merge_equal_terms(&mut terms, &mut tokens, &mut sorted, threads)?;
        let mut arrays =
            self.make_arrays(terms, &tokens, &sorted.suffixes, duplicates as u64, threads)?;
        arrays.variants = arrays.order_variants(large_groups)?;
        Ok(arrays)
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
            let count = terms.lengths.len();
            Surfaces::new(!forms.is_empty(), &terms.forms, count, terms.whole.iter())
        });
        let keys = jobs.add(|| pack(&terms.keys, end as usize));
        let packed = jobs.add(|| pack(suffixes, suffixes.len()));
        let wholes = jobs.add(|| Bits::new(wholes(suffixes, &terms.borders)));
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
            },
            tokens: dictionary.take(),
            keys: keys.take(),
            borders: Bits::new(terms.borders),
            suffixes: packed.take(),
            seconds: seconds.take(),
            wholes: wholes.take(),
            openings: openings.take(),
            enclosed: enclosed.take(),
            weights: terms.weights.map(Into::into),
            surfaces: surfaces.take(),
            variants: pack(&[], 0),
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
