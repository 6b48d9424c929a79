//! Checking a whole index: its checksums, and its arrays against those that a build makes.

use std::collections::HashMap;
use std::ops::Range;

use crate::analysis::{Hyphens, Spaces};
use crate::arrays::MAX_SCANNED;
use crate::arrays::bits::Bits;
use crate::arrays::dictionary::{Dictionary, Layout};
use crate::arrays::filter::Filter;
use crate::arrays::forms::TokenForms;
use crate::arrays::packed::Packed;
use crate::arrays::surfaces::Surfaces;
use crate::build::UserColumns;
use crate::build::entries::{List, cut_evenly};
use crate::build::names::has_joined_reading;
use crate::build::pipeline::{pack, seconds, wholes};
use crate::build::repetitions::repetitions;
use crate::build::suffixes::{self, Sorted, Tokens, bucket_starts};
use crate::error::{Error, Result};
use crate::index::format::{HEAD, SECTIONS, TABLE, TABLE_ENTRY, padded, parse_head};
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
        let rows = self.user_columns()?;
        self.check_suffixes(&tokens, &keys, &borders, &rows, threads)?;
        self.check_filters(&keys, &borders)?;
        self.check_weights()?;
        self.check_columns(&rows, threads)?;
        self.check_surfaces(!tokens.forms.is_empty())?;
        self.check_joined_readings()?;
        let parts = cut_evenly(self.shown_names(), threads * 4);
        let spaces = run(threads, parts, |names| {
            let mut spaces = Spaces::All;
            for name in names {
                spaces = spaces.min(self.check_name(name)?);
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
        let mut lengths = Vec::with_capacity(self.names());
        let mut start = 0;
        for name in 0..self.names() {
            if name == self.len() && start != self.arrays.meta.own_tokens {
                return Err(Error::damaged("head", "it is wrong about the tokens of the terms"));
            }
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
        rows: &UserColumns,
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
        if self.arrays.best.ids != self.arrays.best_terms(&suffixes, threads)?.ids {
            return damaged("best terms", "they are not those of the runs");
        }
        if self.arrays.repetitions != repetitions(sorted_tokens, &suffixes) {
            return damaged("repetitions", "they are not those of the terms");
        }
        self.check_variants(&suffixes, equal_terms, rows)
    }

    /// Checks that no two terms are equal, that no term has two equal names, and the order of the terms with
    /// the same key as many others.
    fn check_variants(
        &self,
        suffixes: &[u32],
        equal_terms: Vec<Range<usize>>,
        rows: &UserColumns,
    ) -> Result<()> {
        let mut large_groups = Vec::new();
        let mut homonyms = false;
        for slots in equal_terms {
            let id = |&p: &u32| Ok(self.id_at(p as usize)?.0);
            let names = &suffixes[slots];
            let mut owners = names.iter().map(id).collect::<Result<Vec<u32>>>()?;
            let is_own = |&&p: &&u32| (p as usize) < self.arrays.meta.own_tokens;
            let ids = names.iter().filter(is_own).map(id).collect::<Result<Vec<u32>>>()?;
            owners.sort_unstable();
            if owners.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(Error::damaged("owners", "a term has two equal names"));
            }
            let surface = |&id: &u32| Ok((self.surface(TermId(id))?, id));
            let mut surfaces = ids.iter().map(surface).collect::<Result<Vec<_>>>()?;
            surfaces.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| rows.compare(a.1, b.1)));
            for pair in surfaces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                homonyms = true;
                if rows.is_empty() || rows.compare(pair[0].1, pair[1].1).is_eq() {
                    return Err(Error::damaged("surfaces", "two terms are equal"));
                }
            }
            if ids.len() > MAX_SCANNED {
                large_groups.push(ids);
            }
        }
        if homonyms != self.arrays.meta.homonyms {
            return Err(Error::damaged("head", "it is wrong about terms with equal surfaces"));
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

    /// Compares the columns with those that a build makes of their values.
    fn check_columns(&self, rows: &UserColumns, threads: usize) -> Result<()> {
        let Some(stored) = &self.arrays.columns else { return Ok(()) };
        let damaged = || Error::damaged("columns", "they are not those that a build makes");
        rows.check_names().map_err(|_| damaged())?;
        let terms: Vec<u32> = (0..self.len() as u32).collect();
        let rebuilt = rows.store(&terms, &List::default(), threads).map_err(|_| damaged())?;
        match rebuilt.directory == stored.directory && rebuilt.values == stored.values {
            true => Ok(()),
            false => Err(damaged()),
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
        for term in 0..self.names() {
            if let Some(text) = surfaces.whole(term)? {
                let Ok(text) = std::str::from_utf8(text) else { return damaged() };
                if text.is_empty() || text.len() > crate::MAX_TERM_BYTES {
                    return damaged();
                }
                if term >= self.shown_names()
                    || forms
                        .get(self.key_place(TermId(term as u32))?)
                        .is_some_and(|forms| forms.iter().any(|&form| form > 0))
                {
                    return damaged();
                }
                whole.push((term as u32, text));
            }
        }
        match Surfaces::new(listed, &forms, self.names(), whole.into_iter()) {
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

    /// Checks that the surface of a term or an alias is one that a build makes and has the key that is stored
    /// for it, with its words in capitals. The key cannot be checked if a user's own function made it. Returns
    /// which white space the surface does not contain.
    fn check_name(&self, name: usize) -> Result<Spaces> {
        let id = TermId(name as u32);
        let surface = self.surface(id)?;
        let options = &self.arrays.meta.options;
        if surface.len() > crate::MAX_TERM_BYTES || options.surface_of(&surface) != surface {
            return Err(Error::damaged("surfaces", "one is not the surface of a term"));
        }
        let place = self.key_place(id)?;
        let key = self.key(place.clone())?;
        if self.normalizer.is_none() {
            let reading = self.reading(options, &surface, Spaces::None)?;
            if reading.phrase().key != key {
                return Err(Error::damaged("surfaces", "one does not have the tokens of its term"));
            }
            if reading.phrase().capitals != self.capitals_of(place)? {
                return Err(Error::damaged("capitals", "they are not those of the surfaces"));
            }
        }
        Ok(options.white_space_separates([surface.as_bytes()]))
    }

    /// Checks the names after those of the terms and the aliases: whose they are, and that they are those
    /// that a build makes of the others.
    fn check_joined_readings(&self) -> Result<()> {
        let damaged =
            || Err(Error::damaged("owners", "the names of a term are not what they should be"));
        let capitals = self.arrays.capitals.as_ref().map_or(&[][..], |words| words);
        let unused = capitals.last().map_or(0, |last| match self.arrays.keys.len() % 64 {
            0 => 0,
            used => last >> used,
        });
        if unused > 0 {
            return Err(Error::damaged("capitals", "there are more than tokens"));
        }
        for other in 0..self.arrays.owners.len() {
            if self.arrays.owners.at(other, "owners")? >= self.len() {
                return damaged();
            }
        }
        let shown = self.shown_names();
        let mut next = shown;
        if let Some(options) = self.options().joined_reading()
            && self.normalizer.is_none()
        {
            // What each term that has other names is called so far.
            let mut known: HashMap<TermId, Vec<Vec<u32>>> = HashMap::new();
            for name in self.len()..shown {
                let (owner, place) = (self.owner(name)?, self.key_place(TermId(name as u32))?);
                known.entry(owner).or_default().push(self.key(place)?);
            }
            for name in 0..shown {
                let surface = self.surface(TermId(name as u32))?;
                if !has_joined_reading(&surface, self.options(), &options) {
                    continue;
                }
                let reading = self.reading(&options, &surface, Spaces::None)?;
                let key = reading.phrase().key;
                let owner = self.owner(name)?;
                let names = known.entry(owner).or_default();
                let own = self.key(self.key_place(owner)?)?;
                if key.is_empty() || own == key || names.iter().any(|other| other == key) {
                    continue;
                }
                if next >= self.names() || self.owner(next)? != owner {
                    return damaged();
                }
                let place = self.key_place(TermId(next as u32))?;
                if self.key(place.clone())? != key {
                    return damaged();
                }
                if self.capitals_of(place)? != reading.phrase().capitals {
                    return Err(Error::damaged("capitals", "they are not those of the surfaces"));
                }
                names.push(key.to_vec());
                next += 1;
            }
        } else if self.normalizer.is_some() && self.options().hyphens == Hyphens::Both {
            // Their tokens are what the user's function returned.
            return Ok(());
        }
        if next == self.names() { Ok(()) } else { damaged() }
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
