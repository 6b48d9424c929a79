//! How terms are shown, where that is not their tokens joined.
//!
//! The surface of most terms is their tokens, each in one of its forms (see `forms.rs`), joined. The
//! others are stored whole.

use crate::arrays::array::Array;
use crate::arrays::bits::{self, Bits};
use crate::arrays::packed::Packed;
use crate::error::{Error, Result};

/// The surfaces of terms. Every access is checked: they may come from a damaged file.
#[derive(PartialEq)]
pub(crate) struct Surfaces {
    /// The forms of tokens; none if every token has its first form.
    pub(crate) forms: Option<FormNumbers>,
    /// The terms that are stored whole, if any are.
    pub(crate) whole: Option<Whole>,
}

/// For each position of the keys, the number of the form that its token has there.
#[derive(PartialEq)]
pub(crate) struct FormNumbers {
    /// Bit `i` is set if the token at position `i` is not in its first form.
    pub(crate) later: Bits,
    /// For each of these positions the number of the form, minus 1.
    pub(crate) numbers: Packed,
    /// The largest of these numbers.
    pub(crate) largest: u8,
}

/// The surfaces that are stored whole.
#[derive(PartialEq)]
pub(crate) struct Whole {
    /// Bit `i` is set for each term that is. (It has the first form of each token.)
    pub(crate) terms: Bits,
    /// Their surfaces, one after the other.
    pub(crate) bytes: Array<u8>,
    /// Bit `i` is set where a surface begins at byte `i`, and at the end of all. None is empty.
    pub(crate) starts: Bits,
}

impl Surfaces {
    /// The surfaces of `count` terms; None if they are the tokens joined. `listed` is whether tokens have
    /// forms; `forms` has the number of a form for each position, or nothing if all are the first; `whole`
    /// has the terms that are stored whole, in order, and their surfaces.
    pub(crate) fn new<'a>(
        listed: bool,
        forms: &[u8],
        count: usize,
        whole: impl ExactSizeIterator<Item = (u32, &'a str)>,
    ) -> Option<Surfaces> {
        let surfaces = Surfaces { forms: FormNumbers::new(forms), whole: Whole::new(count, whole) };
        (listed || surfaces.whole.is_some()).then_some(surfaces)
    }

    /// The number of the form of the token at position `p`.
    #[inline]
    pub(crate) fn form(&self, p: usize) -> Result<u8> {
        match &self.forms {
            Some(forms) if forms.later.get(p)? => {
                let number = forms.numbers.at(forms.later.rank(p)?, "form numbers")? + 1;
                u8::try_from(number).map_err(|_| Error::out_of_range("form numbers"))
            }
            _ => Ok(0),
        }
    }

    /// The surface of a term, if it is stored whole.
    #[inline]
    pub(crate) fn whole(&self, term: usize) -> Result<Option<&[u8]>> {
        match &self.whole {
            Some(whole) if whole.terms.get(term)? => {
                let start = whole.starts.select(whole.terms.rank(term)?)?;
                let text = whole.bytes.get(start..whole.starts.after(start)?);
                text.map(Some).ok_or_else(|| Error::out_of_range("surfaces"))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn own_bytes(&self) -> usize {
        let forms = self.forms.as_ref();
        let whole = self.whole.as_ref();
        forms.map_or(0, |forms| forms.later.own_bytes() + forms.numbers.bytes.own_bytes())
            + whole.map_or(0, |whole| {
                whole.terms.own_bytes() + whole.bytes.own_bytes() + whole.starts.own_bytes()
            })
    }
}

impl FormNumbers {
    fn new(forms: &[u8]) -> Option<FormNumbers> {
        let largest = forms.iter().copied().max().unwrap_or(0);
        if largest == 0 {
            return None;
        }
        let mut later = Vec::with_capacity(bits::words_for(forms.len()));
        let mut numbers: Vec<u8> = Vec::new();
        for forms in forms.chunks(64) {
            let is_later = forms.iter().rev().map(|&form| u64::from(form > 0));
            later.push(is_later.fold(0, |word, bit| word << 1 | bit));
            numbers.extend(forms.iter().filter(|&&form| form > 0).map(|&form| form - 1));
        }
        let largest = largest - 1;
        let numbers = Packed::new(numbers.into_iter().map(u64::from), largest.into());
        Some(FormNumbers { later: Bits::new(later), numbers, largest })
    }
}

impl Whole {
    fn new<'a>(
        count: usize,
        whole: impl ExactSizeIterator<Item = (u32, &'a str)>,
    ) -> Option<Whole> {
        if whole.len() == 0 {
            return None;
        }
        let mut terms = vec![0; bits::words_for(count)];
        let mut bytes = Vec::new();
        let mut ends = vec![0];
        for (term, surface) in whole {
            bits::set(&mut terms, term as usize);
            bytes.extend_from_slice(surface.as_bytes());
            ends.push(bytes.len());
        }
        let mut starts = vec![0; bits::words_for(bytes.len() + 1)];
        ends.into_iter().for_each(|end| bits::set(&mut starts, end));
        Some(Whole { terms: Bits::new(terms), bytes: bytes.into(), starts: Bits::new(starts) })
    }
}
