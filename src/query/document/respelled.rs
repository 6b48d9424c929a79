//! The terms that another tokenizer splits otherwise than the index does.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::analysis::{Options, Spaces};
use crate::build::{Build, List};
use crate::error::{Error, Result};
use crate::index::key::UNKNOWN;
use crate::index::{Index, TermId};
use crate::limits::{MAX_TERM_BYTES, MAX_TERM_TOKENS};
use crate::query::document::lexemes::{IGNORED, has_words, is_space};
use crate::query::document::settings::{Compared, SEPARATOR};

/// Words in one text for the tokenizer.
const WORDS_AT_ONCE: usize = 1 << 14;

type Numbers<K> = HashMap<K, u32, foldhash::fast::RandomState>;

/// The distinct words of all terms and aliases, which another tokenizer splits.
pub struct Units {
    /// Whether each unit is a whole name, not a word of it.
    whole: bool,
    units: List,
    /// The units of each name, one name after the other.
    names: Vec<u32>,
    /// Where those of each name end.
    ends: Vec<usize>,
    /// The tokens of the units that are not one token.
    splits: HashMap<u32, Vec<Box<str>>, foldhash::fast::RandomState>,
}

impl Units {
    /// The words of the names of an index; with `whole`, the names themselves, for a tokenizer that does
    /// not split every word by itself.
    pub fn of(index: &Index, whole: bool) -> Result<Units> {
        let mut units = Units {
            whole,
            units: List::default(),
            names: Vec::new(),
            ends: Vec::new(),
            splits: HashMap::default(),
        };
        let mut numbers: Numbers<Box<str>> = Numbers::default();
        // White space may be in the place of a separator, unless terms contain white space.
        let separator = match index.arrays.meta.spaces {
            Spaces::None => None,
            _ => index.options().separator.as_deref(),
        };
        let places = (0..index.shown_names()).map(|name| index.arrays.key_place(name));
        let places = places.collect::<Result<Vec<_>>>()?;
        let mut text = Vec::new();
        let mut failed = None;
        index.each_surface(places.into_iter(), &mut text, |text| {
            match std::str::from_utf8(text) {
                Err(_) => failed = Some(Error::damaged("tokens", "a text is not UTF-8")),
                Ok(name) => {
                    let spaced = separator.map(|separator| name.replace(separator, " "));
                    let name = spaced.as_deref().unwrap_or(name);
                    match whole {
                        true => units.push(name.trim(), &mut numbers),
                        false => name
                            .split(|c: char| is_space(c.encode_utf8(&mut [0; 4])))
                            .filter(|word| !word.is_empty())
                            .for_each(|word| units.push(word, &mut numbers)),
                    }
                    units.ends.push(units.names.len());
                }
            }
            text.clear();
        })?;
        failed.map_or(Ok(units), Err)
    }

    fn push(&mut self, unit: &str, numbers: &mut Numbers<Box<str>>) {
        let number = match numbers.get(unit) {
            Some(&number) => number,
            None => {
                let number = self.units.len() as u32;
                self.units.push(unit);
                numbers.insert(unit.into(), number);
                number
            }
        };
        self.names.push(number);
    }

    /// The units of each text for the tokenizer.
    pub fn texts(&self) -> Vec<Range<usize>> {
        let at_once = if self.whole { 1 } else { WORDS_AT_ONCE };
        let count = self.units.len();
        (0..count).step_by(at_once).map(|start| start..count.min(start + at_once)).collect()
    }

    /// The text of some units, with a space between them.
    pub fn text(&self, units: Range<usize>) -> String {
        units.map(|unit| self.units.get(unit)).collect::<Vec<_>>().join(" ")
    }

    /// Takes the tokens of [`Units::text`], given by the characters of their starts and their lengths.
    /// False if they are not in the text, one after the other.
    pub fn split(
        &mut self,
        units: Range<usize>,
        tokens: impl IntoIterator<Item = (u64, u64)>,
    ) -> bool {
        let mut tokens = tokens.into_iter().peekable();
        // The characters before the unit.
        let mut before = 0;
        for unit in units {
            let word = self.units.get(unit);
            // The next character of the word, and its byte.
            let mut char = before;
            let mut bytes = word.char_indices().map(|(byte, _)| byte).chain([word.len()]);
            let mut byte_of = |wanted: u64| -> Option<usize> {
                let byte = bytes.nth(wanted.checked_sub(char)? as usize)?;
                char = wanted + 1;
                Some(byte)
            };
            let length = if word.is_ascii() { word.len() } else { word.chars().count() } as u64;
            let end = before + length;
            let mut parts: Vec<Box<str>> = Vec::new();
            let mut is_one = false;
            let mut last = None;
            while let Some((start, length)) = tokens.next_if(|&(start, _)| start < end) {
                if (start, length) == (before, end - before) {
                    is_one = true;
                    continue;
                }
                let from = match last {
                    Some((at, byte)) if at == start => Some(byte),
                    _ => byte_of(start),
                };
                let to = byte_of(start + length);
                let (Some(from), Some(to)) = (from, to) else { return false };
                last = Some((start + length, to));
                parts.push(word[from..to].into());
            }
            if !is_one {
                self.splits.insert(unit as u32, parts);
            }
            before = end + 1;
        }
        tokens.next().is_none()
    }

    /// Takes the tokens of one unit.
    pub fn split_one(&mut self, unit: usize, tokens: Vec<Box<str>>) {
        if tokens.len() != 1 || &*tokens[0] != self.units.get(unit) {
            self.splits.insert(unit as u32, tokens);
        }
    }

    /// The terms that these tokens spell otherwise than the index does.
    pub fn respelled(self, index: &Index, compared: Compared) -> Result<Option<Respelled>> {
        let options = compared.options(index.options());
        // The tokens of each unit, as ids of the index.
        let mut ids: Vec<u32> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        let mut forms = Vec::new();
        for unit in 0..self.units.len() {
            self.each_token(unit as u32, |token| {
                // A token that is ignored has no id.
                if compared.is_normal() && !is_space(token) {
                    forms.push(index.options().normal_form(token).into_owned());
                }
            });
            ends.push(forms.len());
        }
        index.arrays.tokens.find_all(&forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        for (id, form) in ids.iter_mut().zip(&forms) {
            if form.is_empty() {
                *id = IGNORED;
            }
        }
        drop(forms);
        let ids_of = |unit: u32| {
            let start = if unit == 0 { 0 } else { ends[unit as usize - 1] };
            ids[start..ends[unit as usize]].iter().copied().filter(|&id| id != IGNORED)
        };

        let mut entries = List::default();
        let mut owners: Vec<u32> = Vec::new();
        let mut entry = String::new();
        let mut start = 0;
        for (name, &end) in self.ends.iter().enumerate() {
            let units = &self.names[start..end];
            start = end;
            let place = index.arrays.key_place(name)?;
            if compared.is_normal() && has_words(index.options()) {
                let key = index.key(place)?;
                if units.iter().flat_map(|&unit| ids_of(unit)).eq(key) {
                    continue;
                }
            }
            entry.clear();
            let mut count = 0;
            let mut is_ignored = true;
            for &unit in units {
                self.each_token(unit, |token| {
                    if is_space(token) {
                        return;
                    }
                    if count > 0 {
                        entry.push_str(SEPARATOR);
                    }
                    entry.push_str(token);
                    count += 1;
                    is_ignored = is_ignored && options.normal_form(token).is_empty();
                });
            }
            // The few that are too long for an index remain as the index splits them.
            if !is_ignored && count <= MAX_TERM_TOKENS && entry.len() <= MAX_TERM_BYTES {
                entries.push(&entry);
                owners.push(index.owner(name)?.0);
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        Respelled::new(entries, owners, options).map(Some)
    }

    fn each_token(&self, unit: u32, mut each: impl FnMut(&str)) {
        match self.splits.get(&unit) {
            None => each(self.units.get(unit as usize)),
            Some(tokens) => tokens.iter().for_each(|token| each(token)),
        }
    }
}

/// An index of the terms that another tokenizer splits otherwise.
#[derive(Clone)]
pub struct Respelled {
    pub(super) index: Arc<Index>,
    /// The terms of the first index that each term of this one is.
    owners: Vec<u32>,
    /// Where the owners of each term end.
    ends: Vec<u32>,
}

impl Respelled {
    fn new(entries: List, owners: Vec<u32>, options: Options) -> Result<Respelled> {
        let index = Build { options, ..Build::default() }.index(&entries, None)?;
        // Entries with one spelling are one term here.
        let mut pairs = Vec::with_capacity(owners.len());
        let mut terms: Numbers<&str> = Numbers::default();
        for (entry, owner) in entries.iter().zip(owners) {
            let next = terms.len() as u32;
            pairs.push((*terms.entry(entry).or_insert(next), owner));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut ends = vec![0; index.len()];
        for (row, (term, _)) in pairs.iter().enumerate() {
            if let Some(end) = ends.get_mut(*term as usize) {
                *end = row as u32 + 1;
            }
        }
        let owners = pairs.into_iter().map(|(_, owner)| owner).collect();
        Ok(Respelled { index: Arc::new(index), owners, ends })
    }

    /// The terms of the first index that a term is.
    pub(super) fn owners(&self, term: TermId) -> &[u32] {
        let end = self.ends.get(term.0 as usize).copied().unwrap_or_default();
        let start = match term.0 {
            0 => 0,
            term => self.ends.get(term as usize - 1).copied().unwrap_or_default(),
        };
        self.owners.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The terms as bytes; none if there are no such terms.
    pub fn to_bytes(respelled: Option<&Respelled>) -> std::io::Result<Vec<u8>> {
        let mut content = Vec::new();
        if let Some(Respelled { index, owners, ends }) = respelled {
            for numbers in [owners, ends] {
                content.extend_from_slice(&(numbers.len() as u64).to_le_bytes());
                numbers.iter().for_each(|n| content.extend_from_slice(&n.to_le_bytes()));
            }
            index.write(&mut content)?;
        }
        Ok(content)
    }

    /// The terms that [`Respelled::to_bytes`] made bytes of.
    pub fn from_bytes(content: &[u8]) -> Result<Option<Respelled>> {
        if content.is_empty() {
            return Ok(None);
        }
        let damaged = || Error::damaged("respelled terms", "they were cut");
        let mut rest = content;
        let mut numbers = || {
            let (head, after) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
            let bytes =
                usize::try_from(u64::from_le_bytes(*head)).ok().and_then(|n| n.checked_mul(4));
            let bytes = bytes.filter(|bytes| *bytes <= after.len()).ok_or_else(damaged)?;
            let (own, after) = after.split_at(bytes);
            rest = after;
            let number =
                |four: &[u8]| four.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
            Ok(own.chunks_exact(4).map(number).collect::<Vec<u32>>())
        };
        let (owners, ends) = (numbers()?, numbers()?);
        let index = Arc::new(Index::from_bytes(rest, None)?);
        Ok(Some(Respelled { index, owners, ends }))
    }
}
