//! The index: its arrays, and the one checked way to read them.

mod check;
mod filtered;
pub(crate) mod format;
pub(crate) mod key;
mod open;
mod save;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::analysis::{Normalize, Options};
use crate::arrays::Arrays;
use crate::arrays::array::Bytes;
use crate::build::{Build, Entries};
use crate::error::{Error, Result};

/// The number of a term, from 0, by first appearance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// An immutable index of a vocabulary, in memory or in a mapped file.
pub struct Index {
    pub(crate) arrays: Arrays,
    pub(crate) normalizer: Option<Arc<dyn Normalize>>,
    /// The file that the index was opened from.
    pub(crate) file: Option<Arc<dyn Bytes>>,
    /// What [`Index::checksum`] returns, once that was called.
    pub(crate) checksum: OnceLock<u32>,
}

impl Build {
    /// Builds the index of `entries`; `weights` has a weight for each of them.
    pub fn index(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Index> {
        let arrays = self.arrays(entries, weights)?;
        let checksum = OnceLock::new();
        Ok(Index { arrays, normalizer: self.normalizer.clone(), file: None, checksum })
    }
}

/// The facts of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Terms.
    pub terms: u64,
    /// Tokens of all terms.
    pub tokens: u64,
    /// Distinct tokens.
    pub distinct_tokens: u64,
    /// Entries that had no token and were left out.
    pub skipped: u64,
    /// Entries that were merged into an earlier one with the same surface.
    pub duplicates: u64,
    /// The tokens of the longest term.
    pub longest: u64,
    /// The memory that the index holds for itself; none when its file is mapped.
    pub memory_bytes: u64,
    /// The size of the index as a file.
    pub file_bytes: u64,
}

impl Index {
    /// The number of terms.
    pub fn len(&self) -> usize {
        // The last border marks the end of the last term.
        self.arrays.borders.ones().saturating_sub(1)
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The options that the index was built with.
    pub fn options(&self) -> &Options {
        &self.arrays.meta.options
    }

    /// Whether the index was built with a user's own normalisation.
    pub fn normalized(&self) -> bool {
        self.arrays.meta.normalized
    }

    /// Whether every term is shown as it is matched, so that the words of a query or text that it matches
    /// are its surface.
    pub(crate) fn surfaces_are_keys(&self) -> bool {
        self.arrays.meta.options.surface_is_key(self.arrays.meta.normalized)
    }

    /// Whether the terms have weights of their own.
    pub fn weighted(&self) -> bool {
        self.arrays.weights.is_some()
    }

    /// The facts of the index.
    pub fn stats(&self) -> Stats {
        let memory = self.arrays.tokens.own_bytes()
            + self.arrays.keys.bytes.own_bytes()
            + self.arrays.borders.own_bytes()
            + self.arrays.suffixes.bytes.own_bytes()
            + self.arrays.seconds.iter().map(|seconds| seconds.bytes.own_bytes()).sum::<usize>()
            + self.arrays.wholes.own_bytes()
            + self.arrays.openings.words.own_bytes()
            + self.arrays.enclosed.words.own_bytes()
            + self.arrays.weights.as_ref().map_or(0, |weights| weights.own_bytes())
            + self.arrays.surfaces.as_ref().map_or(0, |surfaces| surfaces.own_bytes())
            + self.arrays.variants.bytes.own_bytes();
        Stats {
            terms: self.len() as u64,
            tokens: self.arrays.keys.len() as u64,
            distinct_tokens: self.arrays.tokens.len() as u64,
            skipped: self.arrays.meta.skipped,
            duplicates: self.arrays.meta.duplicates,
            longest: self.arrays.meta.longest.into(),
            memory_bytes: memory as u64,
            file_bytes: self.file_bytes(),
        }
    }

    /// The weight of a term; 1 if the vocabulary has no weights.
    #[inline]
    pub fn weight(&self, id: TermId) -> Result<f64> {
        match &self.arrays.weights {
            None => Ok(1.0),
            Some(weights) => {
                weights.get(id.0 as usize).copied().ok_or_else(|| Error::out_of_range("weights"))
            }
        }
    }

    /// Appends the surface of a term to `text`.
    pub fn push_surface(&self, id: TermId, text: &mut Vec<u8>) -> Result<()> {
        self.each_surface([self.key_place(id)?].into_iter(), text, |_| {})
    }

    /// Appends the surface of each term to `text`, and calls `each` after each. A term is given by the
    /// place of its key. This is faster for many terms: their memory is requested before it is read.
    #[inline]
    pub(crate) fn each_surface(
        &self,
        mut keys: impl ExactSizeIterator<Item = Range<usize>>,
        text: &mut Vec<u8>,
        mut each: impl FnMut(&mut Vec<u8>),
    ) -> Result<()> {
        /// Terms whose memory is requested at the same time: as many as a core has requests in flight.
        const AT_ONCE: usize = 16;
        let joiner = self.arrays.meta.options.joiner().as_bytes();
        let surfaces = self.arrays.surfaces.as_ref();
        let forms = surfaces.and_then(|surfaces| surfaces.forms.as_ref());
        let has_whole = surfaces.is_some_and(|surfaces| surfaces.whole.is_some());
        let mut portion: SmallVec<[Range<usize>; AT_ONCE]> = SmallVec::new();
        let mut ids: SmallVec<[u32; 4 * AT_ONCE]> = SmallVec::new();
        while keys.len() > 0 {
            portion.clear();
            for key in keys.by_ref().take(AT_ONCE) {
                self.arrays.keys.prefetch(key.start);
                if let Some(forms) = forms {
                    forms.later.words.prefetch(key.start / 64);
                }
                portion.push(key);
            }
            ids.clear();
            for p in portion.iter().cloned().flatten() {
                let id = self.arrays.keys.at(p, "keys")? as u32;
                self.arrays.tokens.prefetch(id);
                ids.push(id);
            }
            let mut ids = ids.iter();
            for key in &portion {
                let mut ids = ids.by_ref().take(key.len());
                if has_whole
                    && let Some(whole) =
                        self.arrays.whole_surface(self.id_at(key.start)?.0 as usize)?
                {
                    text.extend_from_slice(whole);
                    ids.for_each(drop);
                    each(text);
                    continue;
                }
                for p in key.clone() {
                    let Some(&id) = ids.next() else { break };
                    if p > key.start {
                        match joiner {
                            [byte] => text.push(*byte),
                            _ => text.extend_from_slice(joiner),
                        }
                    }
                    self.arrays.push_token(id, p, text)?;
                }
                each(text);
            }
        }
        Ok(())
    }

    /// The surface of a term.
    pub fn surface(&self, id: TermId) -> Result<String> {
        let mut text = Vec::new();
        self.push_surface(id, &mut text)?;
        String::from_utf8(text).map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))
    }

    /// The term whose key begins at `position`.
    #[inline]
    pub(crate) fn id_at(&self, position: usize) -> Result<TermId> {
        Ok(TermId(self.arrays.borders.rank(position)? as u32))
    }

    /// The tokens of each term, by id.
    pub(crate) fn lengths(&self) -> Result<Vec<u32>> {
        let mut start = 0;
        let length = |end| (end - std::mem::replace(&mut start, end)) as u32;
        let ends = self.arrays.borders.positions().skip(1).take(self.len());
        let lengths: Vec<u32> = ends.map(length).collect();
        match lengths.len() == self.len() {
            true => Ok(lengths),
            false => Err(Error::out_of_range("borders")),
        }
    }

    /// The place of a term's key.
    #[inline]
    pub(crate) fn key_place(&self, id: TermId) -> Result<Range<usize>> {
        self.arrays.key_place(id.0 as usize)
    }

    /// The token ids at these places.
    pub(crate) fn key(&self, place: Range<usize>) -> Result<Vec<u32>> {
        place.map(|p| Ok(self.arrays.keys.at(p, "keys")? as u32)).collect()
    }

    /// The position of the suffix in a slot.
    #[inline]
    pub(crate) fn suffix(&self, slot: usize) -> Result<usize> {
        self.arrays.suffixes.at(slot, "suffixes")
    }
}
