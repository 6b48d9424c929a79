//! The index: its arrays, and the one checked way to read them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::analyze::{Normalize, Options, Spaces};
use crate::array::{Array, Bytes};
use crate::bits::Bits;
use crate::dictionary::Dictionary;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::packed::Packed;
use crate::query::Forms;
use crate::strings::Strings;

/// Of so many slots one has its second token in an array of [`Index::seconds`].
pub(crate) const SECONDS: [usize; 2] = [128, 8];

/// The number of a term, from 0, by first appearance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// What an index tells of itself beside its arrays; stored in the head of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) options: Options,
    /// Built with a user's own [`Normalize`].
    pub(crate) normalized: bool,
    /// The white space that separates the words of a query too, as no surface holds any of it.
    pub(crate) spaces: Spaces,
    /// Entries without a token.
    pub(crate) skipped: u64,
    /// Entries that were merged into an earlier one.
    pub(crate) duplicates: u64,
    /// The tokens of the longest term.
    pub(crate) longest: u32,
}

/// An immutable index of a vocabulary, in memory or in a mapped file.
///
/// The arrays are only read through checked methods: in a damaged file any number may stand anywhere,
/// and that must end in [`Error::Damaged`], not in a panic.
pub struct Index {
    pub(crate) meta: Meta,
    /// The distinct tokens.
    pub(crate) tokens: Dictionary,
    /// The token ids of all terms, one term after the other, in the order of their ids.
    pub(crate) keys: Packed,
    /// Bit `i` is set where a term begins at position `i` of `keys`, and at the end of `keys`.
    pub(crate) borders: Bits,
    /// Positions of `keys`, in the order of the suffixes that begin there (see suffixes.rs). An index
    /// into this array is called a slot.
    pub(crate) suffixes: Packed,
    /// For every 128th slot, from the first on, the second token of its suffix plus 1, 0 if there is
    /// none; and the same for every eighth.
    pub(crate) seconds: [Packed; SECONDS.len()],
    /// Bit `i` is set where slot `i` holds a whole term.
    pub(crate) wholes: Bits,
    /// The first two tokens of terms.
    pub(crate) openings: Filter,
    /// Phrases of two and of three tokens that stand in longer terms.
    pub(crate) enclosed: Filter,
    /// For each term its weight, if the vocabulary has weights.
    pub(crate) weights: Option<Array<f64>>,
    /// The terms as shown, where that is not their tokens joined.
    pub(crate) surfaces: Option<Strings>,
    pub(crate) normalizer: Option<Arc<dyn Normalize>>,
    /// The file that the index was opened from.
    pub(crate) file: Option<Arc<dyn Bytes>>,
    /// What [`Index::fingerprint`] gives, when it has been asked for.
    pub(crate) fingerprint: OnceLock<u32>,
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
        self.borders.ones().saturating_sub(1)
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The options that the index was built with.
    pub fn options(&self) -> &Options {
        &self.meta.options
    }

    /// Whether the index was built with a user's own normalisation.
    pub fn normalized(&self) -> bool {
        self.meta.normalized
    }

    /// Whether the terms have weights of their own.
    pub fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The facts of the index.
    pub fn stats(&self) -> Stats {
        let memory = self.tokens.own_bytes()
            + self.keys.bytes.own_bytes()
            + self.borders.own_bytes()
            + self.suffixes.bytes.own_bytes()
            + self.seconds.iter().map(|seconds| seconds.bytes.own_bytes()).sum::<usize>()
            + self.wholes.own_bytes()
            + self.openings.words.own_bytes()
            + self.enclosed.words.own_bytes()
            + self.weights.as_ref().map_or(0, |weights| weights.own_bytes())
            + self.surfaces.as_ref().map_or(0, |surfaces| surfaces.own_bytes());
        Stats {
            terms: self.len() as u64,
            tokens: self.keys.len() as u64,
            distinct_tokens: self.tokens.len() as u64,
            skipped: self.meta.skipped,
            duplicates: self.meta.duplicates,
            longest: self.meta.longest.into(),
            memory_bytes: memory as u64,
            file_bytes: self.file_bytes(),
        }
    }

    /// The weight of a term; 1 if the vocabulary has no weights.
    #[inline]
    pub fn weight(&self, id: TermId) -> Result<f64> {
        match &self.weights {
            None => Ok(1.0),
            Some(weights) => {
                weights.get(id.0 as usize).copied().ok_or_else(|| Error::out_of_range("weights"))
            }
        }
    }

    /// Appends the surface of a term to `text`.
    pub fn push_surface(&self, id: TermId, text: &mut Vec<u8>) -> Result<()> {
        if let Some(surfaces) = &self.surfaces {
            text.extend_from_slice(surfaces.get(id.0 as usize)?);
            return Ok(());
        }
        self.each_surface([self.key_place(id)?].into_iter(), text, |_| {})
    }

    /// Appends the surface of each term to `text`, and calls `each` behind it. A term is given by the
    /// place of its key. Faster for many: the memory that they need is asked for before it is read.
    #[inline]
    pub(crate) fn each_surface(
        &self,
        mut keys: impl ExactSizeIterator<Item = Range<usize>>,
        text: &mut Vec<u8>,
        mut each: impl FnMut(&mut Vec<u8>),
    ) -> Result<()> {
        const TOGETHER: usize = 16;
        let joiner = self.meta.options.joiner().as_bytes();
        let mut together: SmallVec<[Range<usize>; TOGETHER]> = SmallVec::new();
        let mut ids: SmallVec<[u32; 4 * TOGETHER]> = SmallVec::new();
        while keys.len() > 0 {
            together.clear();
            for key in keys.by_ref().take(TOGETHER) {
                self.keys.prefetch(key.start);
                together.push(key);
            }
            if let Some(surfaces) = &self.surfaces {
                for key in &together {
                    text.extend_from_slice(surfaces.get(self.id_at(key.start)?.0 as usize)?);
                    each(text);
                }
                continue;
            }
            ids.clear();
            for p in together.iter().cloned().flatten() {
                let id = self.keys.at(p, "keys")? as u32;
                self.tokens.prefetch(id);
                ids.push(id);
            }
            let mut ids = ids.iter();
            for key in &together {
                for (i, &id) in ids.by_ref().take(key.len()).enumerate() {
                    if i > 0 {
                        match joiner {
                            [byte] => text.push(*byte),
                            _ => text.extend_from_slice(joiner),
                        }
                    }
                    text.extend_from_slice(self.tokens.text(id)?);
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

    /// The term whose surface the given text has, if there is one.
    pub fn id(&self, term: &str) -> Result<Option<TermId>> {
        if let Some(surfaces) = &self.surfaces {
            let surface = self.meta.options.surface_of(term);
            return Ok(surfaces.find(surface.as_bytes())?.map(TermId));
        }
        // The terms' own rule, not that of queries, for which white space may separate too.
        self.term_of_key(&self.key_of(term, Spaces::None, &mut Forms::new())?)
    }

    /// The first term that is matched like a phrase, whatever its surface.
    pub fn term_alike(&self, phrase: &str) -> Result<Option<TermId>> {
        self.term_of_key(&self.query(phrase)?)
    }

    /// The first term with this key.
    pub(crate) fn term_of_key(&self, key: &[u32]) -> Result<Option<TermId>> {
        let slots = self.phrase(key)?;
        match slots.is_empty() {
            true => Ok(None),
            false => self.whole_at(&slots, key.len())?.map(|p| self.id_at(p)).transpose(),
        }
    }

    /// The term whose key begins at `position`.
    #[inline]
    pub(crate) fn id_at(&self, position: usize) -> Result<TermId> {
        Ok(TermId(self.borders.rank(position)? as u32))
    }

    /// The tokens of each term, by id.
    pub(crate) fn lengths(&self) -> Result<Vec<u32>> {
        let mut start = 0;
        let length = |end| (end - std::mem::replace(&mut start, end)) as u32;
        let ends = self.borders.positions().skip(1).take(self.len());
        let lengths: Vec<u32> = ends.map(length).collect();
        match lengths.len() == self.len() {
            true => Ok(lengths),
            false => Err(Error::out_of_range("borders")),
        }
    }

    /// The place of a term's key.
    #[inline]
    pub(crate) fn key_place(&self, id: TermId) -> Result<Range<usize>> {
        let start = self.borders.select(id.0 as usize)?;
        Ok(start..self.borders.after(start)?)
    }

    /// The token ids at these places.
    pub(crate) fn key(&self, place: Range<usize>) -> Result<Vec<u32>> {
        place.map(|p| Ok(self.keys.at(p, "keys")? as u32)).collect()
    }

    /// The position of the suffix in a slot.
    #[inline]
    pub(crate) fn suffix(&self, slot: usize) -> Result<usize> {
        self.suffixes.at(slot, "suffixes")
    }
}
