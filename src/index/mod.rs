//! The index: its arrays, and the one checked way to read them.

mod check;
mod columns;
mod filtered;
pub(crate) mod format;
pub(crate) mod key;
pub(crate) mod mask;
mod open;
mod save;
mod written;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use smallvec::SmallVec;

use crate::analysis::{Hyphens, Normalize, Options};
use crate::arrays::Arrays;
use crate::arrays::array::Bytes;
use crate::arrays::written::WrittenWords;
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
    /// The words of terms as they are written, once they were needed.
    pub(crate) written: OnceLock<WrittenWords>,
    /// The terms that met the last conditions on columns, by these.
    pub(crate) masks: Mutex<Vec<(String, Arc<mask::TermMask>)>>,
}

impl Build {
    /// Builds the index of `entries`; `weights` has a weight for each of them.
    pub fn index(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Index> {
        let arrays = self.arrays(entries, weights)?;
        Ok(Index::new(arrays, self.normalizer.clone(), None))
    }
}

/// The facts of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Terms.
    pub terms: u64,
    /// Aliases of terms.
    pub aliases: u64,
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
    pub(crate) fn new(
        arrays: Arrays,
        normalizer: Option<Arc<dyn Normalize>>,
        file: Option<Arc<dyn Bytes>>,
    ) -> Index {
        Index {
            arrays,
            normalizer,
            file,
            checksum: OnceLock::new(),
            written: OnceLock::new(),
            masks: Mutex::default(),
        }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.arrays.meta.terms
    }

    /// The number of names: of terms, of their aliases, and of the joined readings of these.
    pub(crate) fn names(&self) -> usize {
        self.len() + self.arrays.owners.len()
    }

    /// The number of names that are shown somewhere: of terms and of their aliases.
    pub(crate) fn shown_names(&self) -> usize {
        self.len() + self.arrays.meta.aliases
    }

    /// The term that has this name.
    pub(crate) fn owner(&self, name: usize) -> Result<TermId> {
        match name.checked_sub(self.len()) {
            None => Ok(TermId(name as u32)),
            Some(other) => match self.arrays.owners.at(other, "owners")? {
                owner if owner < self.len() => Ok(TermId(owner as u32)),
                _ => Err(Error::out_of_range("owners")),
            },
        }
    }

    /// Whether two names can have one key.
    #[inline]
    pub(crate) fn may_have_variants(&self) -> bool {
        self.arrays.surfaces.is_some() || self.arrays.meta.homonyms || self.has_other_names()
    }

    /// Whether terms have other names than their own keys.
    #[inline]
    pub(crate) fn has_other_names(&self) -> bool {
        self.arrays.owners.len() > 0
    }

    /// Whether two terms of one key and one occurrence of a key in another are all that there is to an
    /// answer: no term has another name, and it makes no difference which words are in capitals.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !self.has_other_names()
            && self.arrays.capitals.is_none()
            && self.options().hyphens != Hyphens::Both
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
        !self.has_other_names()
            && self.arrays.meta.options.surface_is_key(self.arrays.meta.normalized)
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
            + self.arrays.variants.bytes.own_bytes()
            + self.arrays.owners.bytes.own_bytes()
            + self.arrays.best.ids.bytes.own_bytes()
            + self.arrays.repetitions.own_bytes()
            + self.arrays.columns.as_ref().map_or(0, |columns| columns.own_bytes())
            + self.arrays.capitals.as_ref().map_or(0, |capitals| capitals.own_bytes())
            + self.written.get().map_or(0, |words| words.own_bytes());
        Stats {
            terms: self.len() as u64,
            aliases: self.arrays.meta.aliases as u64,
            tokens: self.arrays.meta.own_tokens as u64,
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

    /// Appends the surface of each name to `text`, and calls `each` after each. A name is given by the
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
                        self.arrays.whole_surface(self.arrays.borders.rank(key.start)?)?
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

    /// The alias that begins at a position, if an alias does.
    pub(crate) fn alias_at(&self, position: usize) -> Result<Option<String>> {
        let name = self.arrays.borders.rank(position)?;
        if !(self.len()..self.shown_names()).contains(&name) {
            return Ok(None);
        }
        let key = position..self.arrays.borders.after(position)?;
        let mut text = Vec::new();
        self.each_surface([key].into_iter(), &mut text, |_| {})?;
        let text = String::from_utf8(text);
        text.map(Some).map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))
    }

    /// The aliases, each with its term, in the order of the file.
    pub fn aliases(&self) -> Result<Vec<(TermId, String)>> {
        let mut all = Vec::with_capacity(self.arrays.meta.aliases);
        for name in self.len()..self.shown_names() {
            let position = self.arrays.borders.select(name)?;
            if let Some(alias) = self.alias_at(position)? {
                all.push((self.id_at(position)?, alias));
            }
        }
        Ok(all)
    }

    /// The surface of a term.
    pub fn surface(&self, id: TermId) -> Result<String> {
        let mut text = Vec::new();
        self.push_surface(id, &mut text)?;
        String::from_utf8(text).map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))
    }

    /// The term of the name that begins at `position`.
    #[inline]
    pub(crate) fn id_at(&self, position: usize) -> Result<TermId> {
        self.owner(self.arrays.borders.rank(position)?)
    }

    /// Where the own key begins of the term that has a name at `position`: it orders terms as their ids do.
    #[inline]
    pub(crate) fn own_position(&self, position: usize) -> Result<usize> {
        match position < self.arrays.meta.own_tokens {
            true => Ok(position),
            false => self.arrays.borders.select(self.id_at(position)?.0 as usize),
        }
    }

    /// Whether `length` tokens from `position` on are in capitals wherever `capitals` says so.
    #[inline]
    pub(crate) fn has_capitals(&self, position: usize, capitals: &[bool]) -> Result<bool> {
        for (p, _) in (position..).zip(capitals).filter(|(_, is_set)| **is_set) {
            if !self.is_in_capitals(p)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the tokens of the name at `position` are in capitals only where those of a text are; without
    /// `capitals`, it makes no difference.
    #[inline]
    pub(crate) fn allows_capitals(
        &self,
        position: usize,
        length: usize,
        capitals: &[bool],
    ) -> Result<bool> {
        if self.arrays.capitals.is_some() {
            for (p, is_set) in (position..position + length).zip(capitals) {
                if !is_set && self.is_in_capitals(p)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the tokens of a key are in capitals only where those from position `p` on are.
    #[inline]
    pub(crate) fn capitals_agree(&self, key: Range<usize>, p: usize) -> Result<bool> {
        if self.arrays.capitals.is_some() {
            for (own, other) in key.zip(p..) {
                if self.is_in_capitals(own)? && !self.is_in_capitals(other)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the token at a position is in capitals, if that matters.
    #[inline]
    pub(crate) fn is_in_capitals(&self, position: usize) -> Result<bool> {
        let Some(capitals) = &self.arrays.capitals else { return Ok(false) };
        let word = capitals.get(position / 64).ok_or_else(|| Error::out_of_range("capitals"))?;
        Ok(word >> (position % 64) & 1 == 1)
    }

    /// Which tokens of a name are in capitals; nothing if that does not matter.
    pub(crate) fn capitals_of(&self, name: Range<usize>) -> Result<Vec<bool>> {
        match self.arrays.capitals.is_some() {
            true => name.map(|p| self.is_in_capitals(p)).collect(),
            false => Ok(Vec::new()),
        }
    }

    /// The tokens of each term, by id.
    pub(crate) fn lengths(&self) -> Result<Vec<u32>> {
        self.first_lengths(self.len())
    }

    /// The tokens of each name, by its number.
    pub(crate) fn name_lengths(&self) -> Result<Vec<u32>> {
        self.first_lengths(self.names())
    }

    fn first_lengths(&self, count: usize) -> Result<Vec<u32>> {
        let mut start = 0;
        let length = |end| (end - std::mem::replace(&mut start, end)) as u32;
        let ends = self.arrays.borders.positions().skip(1).take(count);
        let lengths: Vec<u32> = ends.map(length).collect();
        match lengths.len() == count {
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
