//! Checking a whole index: its checksums, and its arrays against those that a build makes.

use crate::analysis::Spaces;
use std::ops::Range;

use crate::arrays::MAX_SCANNED;
use crate::arrays::bits::Bits;
use crate::arrays::dictionary::{Dictionary, Layout};
use crate::arrays::filter::Filter;
use crate::arrays::forms::TokenForms;
use crate::arrays::packed::Packed;
use crate::arrays::surfaces::Surfaces;
use crate::build::entries::cut_evenly;
use crate::build::pipeline::{pack, seconds, wholes};
use crate::build::suffixes::{self, Sorted, Tokens, bucket_starts};
use crate::error::{Error, Result};
use crate::index::format::{HEAD, SECTIONS, TABLE, TABLE_ENTRY, padded, parse_head};
use crate::index::key::Forms;
use crate::index::{Index, TermId};
use crate::progress::Progress;
use crate::threads::{run, threads_or_all};

impl Index {
    /// Reads every byte: the checksums, and whether the arrays are those that a build makes of the
    /// terms. An index that passes gives right answers, wherever it comes from.
    pub fn check(&self, threads: Option<usize>) -> Result<()> {
        let threads = threads_or_all(threads);
        if let Some(file) = &self.file {
            check_sections(file.bytes())?;
        }
        let tokens = self.check_tokens()?;
        let keys = self.arrays.keys.to_vec();
        let borders = self.check_borders()?;
        self.check_suffixes(&tokens, &keys, &borders, threads)?;
        self.check_filters(&keys, &borders)?;
        self.check_weights()?;
        self.check_surfaces(!tokens.forms.is_empty())?;
        let parts = cut_evenly(self.len(), threads * 4);
        let spaces = run(threads, parts, |ids| {
            let mut spaces = Spaces::All;
            for id in ids {
                spaces = spaces.min(self.check_term(id)?);
            }
            Ok(spaces)
        })?;
        let spaces = spaces.into_iter().min().unwrap_or(Spaces::All);
        if self.arrays.meta.spaces != self.arrays.meta.options.white_space_separates([]).min(spaces)
        {
            return Err(Error::damaged("head", "it is wrong about the white space in terms"));
        }
        if let Some(file) = &self.file
            && file.bytes().get(..HEAD) != Some(&self.head()[..])
        {
            return Err(Error::damaged("head", "it is not the one that belongs to the terms"));
        }
        Ok(())
    }

    /// The borders of the terms, if they are sound and fill the keys.
    fn check_borders(&self) -> Result<Vec<u64>> {
        let mut lengths = Vec::with_capacity(self.len());
        let mut start = 0;
        for _ in 0..self.len() {
            let end = self.arrays.borders.after(start)?;
            lengths.push(end - start);
            start = end;
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let borders = suffixes::borders(lengths.iter().copied(), start);
        let damaged = |problem| Err(Error::damaged("borders", problem));
        if start != self.arrays.keys.len() || longest != self.arrays.meta.longest as usize {
            return damaged("the longest term does not have the length in the head");
        }
        if longest > crate::MAX_TERM_TOKENS || self.arrays.borders != Bits::new(borders.clone()) {
            return damaged("they are not those of the terms");
        }
        Ok(borders)
    }

    /// Sorts the suffixes again, and compares them and all that is made of them: the records of the
    /// tokens, the second tokens, the marks of whole terms.
    fn check_suffixes(
        &self,
        tokens: &Distinct,
        keys: &[u32],
        borders: &[u64],
        threads: usize,
    ) -> Result<()> {
        let damaged = |part, problem: &str| Err(Error::damaged(part, problem));
        let Distinct { text, lengths, forms, layout } = tokens;
        let mut numbers = vec![u32::MAX; self.arrays.tokens.end() as usize];
        for (number, &id) in (0..self.arrays.tokens.len() as u32).zip(&layout.ids) {
            numbers[id as usize] = number;
        }
        let number = |&id: &u32| numbers.get(id as usize).copied().unwrap_or(u32::MAX);
        let numbers: Vec<u32> = keys.iter().map(number).collect();
        if numbers.contains(&u32::MAX) {
            return damaged("keys", "a term has a token that does not exist");
        }
        let buckets = bucket_starts(&numbers, self.arrays.tokens.len());
        let rebuilt = Dictionary::new(text, lengths, forms, layout, &buckets);
        if self.arrays.tokens.seed != rebuilt.seed
            || self.arrays.tokens.records[..] != rebuilt.records[..]
            || self.arrays.tokens.directory.bytes[..] != rebuilt.directory.bytes[..]
            || self.arrays.tokens.alphabet.bytes[..] != rebuilt.alphabet.bytes[..]
        {
            return damaged("tokens", "their records are not what they should be");
        }
        if buckets.windows(2).any(|pair| pair[0] == pair[1]) {
            return damaged("tokens", "one occurs in no term");
        }
        let progress = Progress::default();
        let sorted_tokens = Tokens { keys, borders };
        let dealt = suffixes::deal(&numbers, &buckets);
        let Sorted { suffixes, equal_terms, .. } =
            suffixes::sort(sorted_tokens, &buckets, dealt, threads, &progress)?;
        if self.arrays.suffixes.bytes[..] != pack(&suffixes, keys.len()).bytes[..] {
            return damaged("suffixes", "they are not in order");
        }
        let rebuilt = seconds(sorted_tokens, &suffixes, self.arrays.tokens.end());
        let differ = |(a, b): (&Packed, &Packed)| a.bytes[..] != b.bytes[..];
        if self.arrays.seconds.iter().zip(&rebuilt).any(differ) {
            return damaged("second tokens", "they are not those of the suffixes");
        }
        if self.arrays.wholes != Bits::new(wholes(&suffixes, borders)) {
            return damaged("wholes", "they are not those of the terms");
        }
        self.check_variants(&suffixes, equal_terms)
    }

    /// Checks that no two terms are equal, and the order of those with the same key as many others.
    fn check_variants(&self, suffixes: &[u32], equal_terms: Vec<Range<usize>>) -> Result<()> {
        let mut large_groups = Vec::new();
        for slots in equal_terms {
            let id = |&p: &u32| Ok(self.id_at(p as usize)?.0);
            let ids = suffixes[slots].iter().map(id).collect::<Result<Vec<u32>>>()?;
            let surface = |&id: &u32| self.surface(TermId(id));
            let mut surfaces = ids.iter().map(surface).collect::<Result<Vec<_>>>()?;
            surfaces.sort_unstable();
            if surfaces.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(Error::damaged("surfaces", "two terms are equal"));
            }
            if ids.len() > MAX_SCANNED {
                large_groups.push(ids);
            }
        }
        match self.arrays.order_variants(large_groups)? == self.arrays.variants {
            true => Ok(()),
            false => Err(Error::damaged("variants", "they are not in order")),
        }
    }

    fn check_filters(&self, keys: &[u32], borders: &[u64]) -> Result<()> {
        let openings = Filter::of_openings(keys, borders);
        let enclosed = Filter::of_enclosed(keys, borders);
        if self.arrays.openings.words[..] != openings.words[..]
            || self.arrays.enclosed.words[..] != enclosed.words[..]
        {
            return Err(Error::damaged("filters", "they are not those of the terms"));
        }
        Ok(())
    }

    fn check_weights(&self) -> Result<()> {
        match &self.arrays.weights {
            Some(weights)
                if weights
                    .iter()
                    .any(|weight| !weight.is_finite() || weight.is_sign_negative()) =>
            {
                Err(Error::damaged("weights", "one is not a number of zero or more"))
            }
            _ => Ok(()),
        }
    }

    /// Compares the arrays of the surfaces with those that are made of their content, which
    /// [`Index::check_term`] looks at. `listed` is whether tokens have forms.
    fn check_surfaces(&self, listed: bool) -> Result<()> {
        let damaged = || Err(Error::damaged("surfaces", "they are not where they should be"));
        let Some(surfaces) = &self.arrays.surfaces else {
            return if listed { damaged() } else { Ok(()) };
        };
        let mut forms = Vec::new();
        if surfaces.forms.is_some() {
            forms.reserve_exact(self.arrays.keys.len());
            for p in 0..self.arrays.keys.len() {
                forms.push(surfaces.form(p)?);
            }
        }
        let mut whole = Vec::new();
        for term in 0..self.len() {
            if let Some(text) = surfaces.whole(term)? {
                let Ok(text) = std::str::from_utf8(text) else { return damaged() };
                if text.is_empty() || text.len() > crate::MAX_TERM_BYTES {
                    return damaged();
                }
                whole.push((term as u32, text));
            }
        }
        match Surfaces::new(listed, &forms, self.len(), whole.into_iter()) {
            Some(rebuilt) if rebuilt == *surfaces => Ok(()),
            _ => damaged(),
        }
    }

    /// Compares every byte of the file that the index was opened from with its checksums: whether it is
    /// as it was written. [`Index::check`] finds more, and takes longer.
    pub fn check_bytes(&self) -> Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| check_sections(file.bytes()))
    }

    /// The distinct tokens, if they are sound.
    fn check_tokens(&self) -> Result<Distinct> {
        let damaged = |problem| Err(Error::damaged("tokens", problem));
        let mut text: Vec<u8> = Vec::new();
        let mut lengths = Vec::with_capacity(self.arrays.tokens.len());
        let mut forms = TokenForms::default();
        let mut last: &[u8] = &[];
        for place in 0..self.arrays.tokens.len() {
            let record = self.arrays.tokens.record(self.arrays.tokens.by_alphabet(place)?)?;
            let token = record.text;
            if token.len() > crate::MAX_TERM_BYTES || std::str::from_utf8(token).is_err() {
                return damaged("a text is not UTF-8, or too long");
            }
            // True for an empty one as well.
            if token <= last {
                return damaged("they are not in order");
            }
            text.extend_from_slice(token);
            lengths.push(token.len() as u32);
            forms.push_encoded(record.forms);
            last = token;
        }
        match Layout::new(&text, &lengths, &forms, threads_or_all(None)) {
            Ok(layout) if layout.ids[lengths.len()] == self.arrays.tokens.end() => {
                Ok(Distinct { text, lengths, forms, layout })
            }
            _ => damaged("their records are not where they should be"),
        }
    }

    /// Checks that the surface of a term is one that a build makes and has the key that is stored for it.
    /// The key cannot be checked if a user's own function made it. Returns which white space the surface
    /// does not contain.
    fn check_term(&self, id: usize) -> Result<Spaces> {
        let id = TermId(id as u32);
        let surface = self.surface(id)?;
        let options = &self.arrays.meta.options;
        if surface.len() > crate::MAX_TERM_BYTES || options.surface_of(&surface) != surface {
            return Err(Error::damaged("surfaces", "one is not the surface of a term"));
        }
        let key = self.key(self.key_place(id)?)?;
        if self.normalizer.is_none()
            && self.key_of(&surface, Spaces::None, &mut Forms::new())?[..] != key[..]
        {
            return Err(Error::damaged("surfaces", "one does not have the tokens of its term"));
        }
        Ok(options.white_space_separates([surface.as_bytes()]))
    }
}

/// The distinct tokens of an index in the order of their texts, one after the other, with their lengths
/// and their places.
struct Distinct {
    text: Vec<u8>,
    lengths: Vec<u32>,
    forms: TokenForms,
    layout: Layout,
}

/// Compares every byte of a file with the checksums in its head.
fn check_sections(bytes: &[u8]) -> Result<()> {
    let head = parse_head(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64)?;
    for (i, &(start, length)) in head.sections.iter().enumerate() {
        let at = TABLE + i * TABLE_ENTRY + 16;
        let section = bytes.get(start..start + padded(length));
        let expected = u32::from_le_bytes(head.bytes[at..at + 4].try_into().unwrap_or_default());
        if section.map(crc32c::crc32c) != Some(expected) {
            return Err(Error::damaged(SECTIONS[i], "its checksum is wrong"));
        }
        if section.is_some_and(|section| section[length..].iter().any(|&byte| byte != 0)) {
            return Err(Error::damaged(SECTIONS[i], "the bytes after it are not zero"));
        }
    }
    Ok(())
}
