//! What the index knows of the words of texts, remembered: words recur.

use std::ops::Range;

use crate::analysis::{Options, is_capitals};
use crate::error::Result;
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::find::groups::TermGroups;
use crate::query::walk::TermRange;

/// A word of a text, as far as the search is concerned.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// Its token.
    pub(super) token: u32,
    /// The group of the terms that it is on its own, if it is any that is searched for.
    pub(super) group: Option<u32>,
    /// Whether terms of several words may begin with it.
    pub(super) opens: bool,
    /// Whether its normal form is empty.
    pub(super) is_ignored: bool,
    /// Whether it is in capitals, if that matters.
    pub(super) is_capitals: bool,
}

impl Word {
    /// No word of any term.
    pub(super) const UNKNOWN: Word =
        Word { token: UNKNOWN, group: None, opens: false, is_ignored: false, is_capitals: false };

    /// A word, by its normal form.
    fn of(index: &Index, groups: &mut TermGroups, form: &str, is_capitals: bool) -> Result<Word> {
        let mut word = Word { is_ignored: form.is_empty(), is_capitals, ..Word::UNKNOWN };
        index.arrays.tokens.find_all(&[form], |id| word.token = id.unwrap_or(UNKNOWN))?;
        if word.token == UNKNOWN {
            return Ok(word);
        }
        let slots = index.bucket(word.token)?;
        let wholes = index.count_wholes(&slots)?;
        let mut alone = 0;
        if wholes > 0
            && let Some(position) = index.whole_at(&slots, 1)?
        {
            let found = groups.of(&TermRange { position, length: 1, slots }, &[is_capitals])?;
            (word.group, alone) = (found.group, found.terms);
        }
        word.opens = wholes > alone;
        Ok(word)
    }
}

/// The words of texts that were seen last, each in one of the two places that its hash gives it.
pub(super) struct KnownWords {
    places: Vec<Two>,
}

/// Two words with one hash, the one that was seen last before the other: a cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Two([Known; 2]);

/// A word and what is known of it.
#[derive(Clone)]
struct Known {
    /// Its bytes, and in the last one their number; 0 if the place is empty.
    text: u128,
    word: Word,
}

/// The longest words that are remembered, in bytes.
const LONGEST: usize = 15;
/// The most words that are remembered: half a megabyte, which a core's cache holds.
const MAX_WORDS: usize = 1 << 14;

impl KnownWords {
    /// For texts of this size.
    pub(super) fn new(bytes: usize) -> KnownWords {
        let count = (bytes / 32).next_power_of_two().min(MAX_WORDS / 2);
        let empty = Known { text: 0, word: Word::UNKNOWN };
        KnownWords { places: vec![Two([empty.clone(), empty]); count] }
    }

    /// What is needed to look up a word of a text later on; the memory for that is requested.
    #[inline]
    pub(super) fn ask(&self, text: &str, range: Range<usize>) -> Asked {
        let packed = packed(text.as_bytes(), range.clone());
        let place = hash(packed) as usize & (self.places.len() - 1);
        prefetch(&self.places[place]);
        Asked { range, packed, place }
    }

    /// The word of a text that was asked for, which `reading` says how to read.
    #[inline]
    pub(super) fn word(
        &mut self,
        index: &Index,
        groups: &mut TermGroups,
        reading: &Options,
        text: &str,
        asked: &Asked,
    ) -> Result<Word> {
        let Two([last, other]) = &mut self.places[asked.place];
        if last.text != asked.packed || asked.packed == TOO_LONG {
            std::mem::swap(last, other);
            if last.text != asked.packed || asked.packed == TOO_LONG {
                last.word = look_up(index, groups, reading, &text[asked.range.clone()])?;
                last.text = asked.packed;
            }
        }
        Ok(last.word)
    }
}

/// A word to look up.
pub(super) struct Asked {
    range: Range<usize>,
    packed: u128,
    place: usize,
}

/// What the index knows of a word.
#[inline(never)]
fn look_up(index: &Index, groups: &mut TermGroups, reading: &Options, token: &str) -> Result<Word> {
    let is_capitals = index.arrays.capitals.is_some() && is_capitals(token);
    Word::of(index, groups, &index.normal_form_under(reading, token)?, is_capitals)
}

/// What a long word has instead of its bytes and their number: no word has this number.
const TOO_LONG: u128 = u128::MAX;

/// The bytes of a short word and their number.
#[inline]
fn packed(text: &[u8], range: Range<usize>) -> u128 {
    let length = range.len();
    if length > LONGEST {
        return TOO_LONG;
    }
    let bytes = match text.get(range.start..range.start + 16) {
        // The bytes after the word are cut off.
        Some(bytes) => {
            let bytes = bytes.try_into().map_or(0, u128::from_le_bytes);
            bytes & ((1 << (8 * length)) - 1)
        }
        None => {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[range]);
            u128::from_le_bytes(bytes)
        }
    };
    bytes | (length as u128) << 120
}

#[inline]
fn hash(packed: u128) -> u64 {
    let (low, high) = (packed as u64, (packed >> 64) as u64);
    let low = u128::from(low ^ 0x9E37_79B9_7F4A_7C15);
    let product = low * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
    product as u64 ^ (product >> 64) as u64
}

/// Prefetches what will be read soon.
#[inline]
fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the place is that of a reference, and a prefetch changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
