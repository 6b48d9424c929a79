//! Terms in running text.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::analysis::{CharCounter, Options, char_count, is_capitals, is_hyphen};
use crate::build::entries::cut_evenly;
use crate::error::{Error, Result};
use crate::index::key::UNKNOWN;
use crate::index::{Index, TermId};
use crate::query::batch::Texts;
use crate::query::walk::{TermRange, Walk};
use crate::threads::{Jobs, concat, run, threads_or_all};

/// Which of several overlapping spans to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// All of them.
    #[default]
    All,
    /// Those that are not inside another.
    Longest,
    /// From left to right the longest, each after the end of the one before.
    Leftmost,
}

/// A term in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The term.
    pub id: TermId,
    /// Its first character.
    pub start: u64,
    /// The character after its last.
    pub end: u64,
}

/// Many of them, a column for each property.
#[derive(Default)]
pub(crate) struct Matches {
    pub(crate) id: Vec<u32>,
    pub(crate) start: Vec<u64>,
    pub(crate) end: Vec<u64>,
}

impl Matches {
    /// The matches of all parts of a text.
    fn concat(mut parts: Vec<Matches>, threads: usize) -> Result<Matches> {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let mut jobs = Jobs::default();
        let start = jobs.add(|| concat(parts.iter().map(|part| &part.start)));
        let end = jobs.add(|| concat(parts.iter().map(|part| &part.end)));
        let id = jobs.add(|| concat(parts.iter().map(|part| &part.id)));
        jobs.run(threads)?;
        Ok(Matches { id: id.take(), start: start.take(), end: end.take() })
    }

    /// These and other matches of the same text, each once, in order.
    fn and(mut self, other: Matches) -> Matches {
        self.id.extend(other.id);
        self.start.extend(other.start);
        self.end.extend(other.end);
        self.sort();
        self
    }

    /// Puts the matches in the order of start, end and id, and keeps one of several that are equal.
    fn sort(&mut self) {
        let places = self.start.iter().zip(&self.end);
        let mut rows: Vec<_> = places.zip(&self.id).map(|((&s, &e), &id)| (s, e, id)).collect();
        rows.sort_unstable();
        rows.dedup();
        self.clear();
        rows.into_iter().for_each(|(start, end, id)| self.push(id, start, end));
    }

    #[inline]
    fn push(&mut self, id: u32, start: u64, end: u64) {
        self.id.push(id);
        self.start.push(start);
        self.end.push(end);
    }

    fn clear(&mut self) {
        self.id.clear();
        self.start.clear();
        self.end.clear();
    }

    /// Keeps what the policy asks for, where several terms may have the same place. Of those that begin
    /// at one token, the longest are considered.
    fn keep_spans(&mut self, overlaps: Overlaps) {
        let all = std::mem::take(self);
        let mut covered = 0;
        let mut rows = 0..all.id.len();
        while let Some(first) = rows.next() {
            let start = all.start[first];
            let last = (first..all.id.len()).take_while(|&row| all.start[row] == start).last();
            let last = last.unwrap_or(first);
            rows = last + 1..all.id.len();
            let end = all.end[last];
            let kept = match overlaps {
                Overlaps::All => true,
                Overlaps::Longest => end > covered,
                Overlaps::Leftmost => start >= covered,
            };
            if kept {
                let longest = (first..=last).filter(|&row| all.end[row] == end);
                longest.for_each(|row| self.push(all.id[row], start, end));
                covered = end;
            }
        }
    }

    /// Keeps what the policy asks for, of the longest terms that begin at each token.
    fn keep(&mut self, overlaps: Overlaps) {
        let (mut kept, mut covered) = (0, 0);
        for row in 0..self.id.len() {
            let (start, end) = (self.start[row], self.end[row]);
            let more = match overlaps {
                Overlaps::All => true,
                Overlaps::Longest => end > covered,
                Overlaps::Leftmost => start >= covered,
            };
            if more {
                self.id[kept] = self.id[row];
                (self.start[kept], self.end[kept]) = (start, end);
                covered = end;
                kept += 1;
            }
        }
        self.id.truncate(kept);
        self.start.truncate(kept);
        self.end.truncate(kept);
    }
}

impl Index {
    /// The terms that occur in a text, by start, end and id. Offsets count characters.
    pub fn find(&self, text: &str, overlaps: Overlaps) -> Result<Vec<Match>> {
        let Matches { id, start, end } = self.matches(text, overlaps)?;
        let places = start.into_iter().zip(end);
        let found = id.into_iter().zip(places);
        Ok(found.map(|(id, (start, end))| Match { id: TermId(id), start, end }).collect())
    }

    /// What [`Index::find`] finds, by columns.
    pub(crate) fn matches(&self, text: &str, overlaps: Overlaps) -> Result<Matches> {
        // Threads cost more than they gain on a short text.
        let threads = if text.len() < 1 << 16 { 1 } else { threads_or_all(None) };
        let parts = match threads {
            1 => vec![text],
            _ => self.arrays.meta.options.cut(text, threads * 4),
        };
        let ascii = text.is_ascii();
        let lengths = run(threads, parts.clone(), |part| Ok(char_count(part)))?;
        let mut searches = Vec::with_capacity(parts.len());
        let (mut bytes, mut chars) = (0, 0);
        for (part, length) in parts.into_iter().zip(lengths) {
            let counter = CharCounter::new(&text[bytes..], ascii);
            searches.push(Search { text: &text[bytes..], own: part.len(), chars, counter });
            bytes += part.len();
            chars += length;
        }
        // The second reading differs from the first only where there are hyphens.
        let joined = self.options().joined_reading().filter(|_| text.contains(is_hyphen));
        let found = run(threads, searches, |search| match &joined {
            None => search.run(self, self.options(), overlaps),
            Some(joined) => {
                let other = search.clone().run(self, joined, overlaps)?;
                Ok(search.run(self, self.options(), overlaps)?.and(other))
            }
        })?;
        let mut found = Matches::concat(found, threads)?;
        match overlaps {
            Overlaps::All => {}
            _ if self.is_plain() => {
                found.keep(overlaps);
                if self.may_have_variants() {
                    found = self.with_variants(found)?;
                }
            }
            _ => found.keep_spans(overlaps),
        }
        Ok(found)
    }

    /// Given the matches of the first of each term's variants, the matches of all variants.
    fn with_variants(&self, firsts: Matches) -> Result<Matches> {
        let mut all = Matches::default();
        for (row, &id) in firsts.id.iter().enumerate() {
            let place = self.key_place(TermId(id))?;
            let (position, length) = (place.start, place.len());
            let slots = self.phrase(&self.key(place)?)?;
            self.each_variant(&TermRange { position, length, slots }, |position| {
                all.id.push(self.id_at(position)?.0);
                all.start.push(firsts.start[row]);
                all.end.push(firsts.end[row]);
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// The surfaces of terms that occur in a text at these places, in characters and ordered by start,
    /// when they are the tokens joined; empty where a place is not in the text.
    pub fn surfaces_in(&self, text: &str, starts: &[u64], ends: &[u64]) -> Result<Texts> {
        let ascii = text.is_ascii();
        // The byte that is `chars` characters after another.
        let after = |byte: usize, chars: u64| match ascii {
            true => text.len().min(byte + chars as usize),
            false => {
                let mut rest = text[byte..].char_indices();
                rest.nth(chars as usize).map_or(text.len(), |(more, _)| byte + more)
            }
        };
        let threads = threads_or_all(None);
        let mut tasks = Vec::new();
        let (mut byte, mut char) = (0, 0);
        for rows in cut_evenly(starts.len(), starts.len().div_ceil(1 << 16)) {
            byte = after(byte, starts[rows.start].saturating_sub(char));
            char = starts[rows.start];
            tasks.push((rows, byte));
        }
        let joiner = self.arrays.meta.options.joiner().as_bytes();
        let parts = run(threads, tasks, |(rows, mut byte)| {
            let mut texts = Texts::default();
            let Texts { text: surfaces, end } = &mut texts;
            let mut char = starts[rows.start];
            for (&from, &to) in starts[rows.clone()].iter().zip(&ends[rows]) {
                byte = after(byte, from.saturating_sub(char));
                char = from;
                let span = &text[byte..after(byte, to.saturating_sub(from))];
                let first = surfaces.len();
                self.arrays.meta.options.tokens(span, self.arrays.meta.spaces, |token| {
                    if surfaces.len() > first {
                        surfaces.extend_from_slice(joiner);
                    }
                    surfaces.extend_from_slice(span[token].as_bytes());
                    Ok::<(), Error>(())
                })?;
                end.push(surfaces.len() as i64);
            }
            Ok(texts)
        })?;
        Texts::concat(&parts, threads)
    }
}

/// The search in a part of a text.
#[derive(Clone)]
struct Search<'a> {
    /// The text from where the part begins.
    text: &'a str,
    /// The bytes of the part. Terms that begin in it may end after it.
    own: usize,
    /// The characters before it.
    chars: usize,
    counter: CharCounter<'a>,
}

/// Tokens of a text that are searched at a time: few enough for a core's cache.
const TOKENS_AT_A_TIME: usize = 4096;

impl<'a> Search<'a> {
    fn run(mut self, index: &'a Index, options: &Options, overlaps: Overlaps) -> Result<Matches> {
        // No term goes further than the longest.
        let ahead = (index.arrays.meta.longest as usize).saturating_sub(1);
        let mut portion = Portion::new(index, overlaps, self.own);
        let is_smart = index.arrays.capitals.is_some();
        let mut beyond = 0;
        let done = options.tokens(self.text, index.arrays.meta.spaces, |range| {
            let own = range.start < self.own;
            // Enough is read when no term can go further, or none has begun.
            if !own && (beyond == ahead || portion.places.len() == beyond) {
                return Err(None);
            }
            let token = &self.text[range.clone()];
            if !portion.push(options, token)? {
                return Ok(());
            }
            if is_smart {
                portion.capitals.push(is_capitals(token));
            }
            beyond += usize::from(!own);
            let mut place = |byte| (self.chars + self.counter.advance(byte)) as u64;
            portion.places.push(place(range.start)..place(range.end));
            if portion.places.len() == TOKENS_AT_A_TIME + ahead {
                portion.search(TOKENS_AT_A_TIME)?;
            }
            Ok::<(), Option<Error>>(())
        });
        if let Err(Some(error)) = done {
            return Err(error);
        }
        portion.search(portion.places.len() - beyond)?;
        if index.has_other_names() {
            portion.found.sort();
        }
        Ok(portion.found)
    }
}

/// Some tokens of a text, and what has been found up to them.
struct Portion<'a> {
    index: &'a Index,
    overlaps: Overlaps,
    /// The ids of the tokens, as far as they are known.
    ids: Vec<u32>,
    /// The normal forms of the others, with their places among the ids.
    forms: Vec<Cow<'a, str>>,
    unknown: Vec<(u32, &'a str)>,
    seen: SeenTokens<'a>,
    /// Where the tokens are in the text, in characters.
    places: Vec<Range<u64>>,
    /// Which of them are in capitals, if that matters.
    capitals: Vec<bool>,
    words: KnownWords,
    found: Matches,
}

impl<'a> Portion<'a> {
    fn new(index: &'a Index, overlaps: Overlaps, bytes: usize) -> Portion<'a> {
        Portion {
            index,
            overlaps,
            ids: Vec::new(),
            forms: Vec::new(),
            unknown: Vec::new(),
            seen: SeenTokens::new(index, bytes),
            places: Vec::new(),
            capitals: Vec::new(),
            words: KnownWords::new(bytes),
            found: Matches::default(),
        }
    }

    /// Adds a token, unless it is ignored.
    #[inline]
    fn push(&mut self, options: &Options, token: &'a str) -> Result<bool> {
        if let Some(id) = self.seen.id(token) {
            if id != IGNORED {
                self.ids.push(id);
            }
            return Ok(id != IGNORED);
        }
        let form = self.index.normal_form_under(options, token)?;
        if form.is_empty() {
            self.seen.remember(token, IGNORED);
            return Ok(false);
        }
        self.unknown.push((self.ids.len() as u32, token));
        self.ids.push(UNKNOWN);
        self.forms.push(form);
        Ok(true)
    }

    /// Searches for the terms that begin at the first `count` tokens, and lets go of these.
    fn search(&mut self, count: usize) -> Result<()> {
        let Portion { index, overlaps, ids, forms, unknown, seen, places, capitals, words, found } =
            self;
        let is_plain = index.is_plain();
        let mut tokens = unknown.drain(..);
        index.arrays.tokens.find_all(forms, |id| {
            if let Some((place, token)) = tokens.next() {
                ids[place as usize] = id.unwrap_or(UNKNOWN);
                seen.remember(token, ids[place as usize]);
            }
        })?;
        drop(tokens);
        forms.clear();
        let mut report = |id: TermId, start: usize, length: usize| {
            found.push(id.0, places[start].start, places[start + length - 1].end);
        };
        let mut walk = Walk::of(index, ids);
        for (start, &token) in ids[..count].iter().enumerate() {
            // Most words of a text begin no longer term.
            if let Some(pair) = ids.get(start..start + 2)
                && !index.arrays.openings.may_have(pair)
            {
                match words.alone(index, token)? {
                    Alone::NoTerm => continue,
                    Alone::Term(id) => {
                        report(id, start, 1);
                        continue;
                    }
                    Alone::Terms => {}
                }
            }
            match overlaps {
                Overlaps::All if is_plain => walk.each_at(start, |term| {
                    index.each_variant(term, |position| {
                        report(index.id_at(position)?, start, term.length);
                        Ok(())
                    })
                })?,
                _ if !is_plain => {
                    let capitals = capitals.get(start..).unwrap_or_default();
                    let mut report_allowed = |term: &TermRange| {
                        let mut any = false;
                        index.each_variant(term, |position| {
                            if index.allows_capitals(position, term.length, capitals)? {
                                report(index.id_at(position)?, start, term.length);
                                any = true;
                            }
                            Ok(())
                        })?;
                        Ok(any)
                    };
                    match overlaps {
                        Overlaps::All => walk.each_at(start, |t| report_allowed(t).map(drop))?,
                        _ => {
                            for term in walk.terms_at(start)?.iter().rev() {
                                if report_allowed(term)? {
                                    break;
                                }
                            }
                        }
                    }
                }
                // Its variants are added when it is clear that it stays.
                _ => {
                    if let Some(term) = walk.longest_at(start, usize::MAX)? {
                        report(index.id_at(term.position)?, start, term.length);
                    }
                }
            }
        }
        places.drain(..count);
        capitals.drain(..count.min(capitals.len()));
        ids.drain(..count);
        Ok(())
    }
}

/// The id of a token that is ignored; no index has as many tokens as that.
const IGNORED: u32 = UNKNOWN - 1;

/// The tokens of a text that were seen last, with their ids, if their normal forms take long to make.
struct SeenTokens<'a> {
    seen: Vec<(&'a str, u32)>,
}

impl<'a> SeenTokens<'a> {
    /// For a text of this size.
    fn new(index: &Index, bytes: usize) -> SeenTokens<'a> {
        let count = match index.options().normalizes() || index.normalizer.is_some() {
            true => (bytes / 16).next_power_of_two().min(MAX_KNOWN_WORDS),
            false => 0,
        };
        SeenTokens { seen: vec![("", UNKNOWN); count] }
    }

    /// Where a token is remembered, if it is.
    #[inline]
    fn place(&self, token: &str) -> usize {
        xxh3_64(token.as_bytes()) as usize & (self.seen.len() - 1)
    }

    #[inline]
    fn id(&self, token: &str) -> Option<u32> {
        if self.seen.is_empty() {
            return None;
        }
        let (seen, id) = self.seen[self.place(token)];
        (seen == token).then_some(id)
    }

    #[inline]
    fn remember(&mut self, token: &'a str, id: u32) {
        if !self.seen.is_empty() {
            let place = self.place(token);
            self.seen[place] = (token, id);
        }
    }
}

/// The tokens that were seen last, and what they are on their own: words of a text recur.
struct KnownWords {
    known: Vec<(u32, Alone)>,
}

/// What a token is on its own.
#[derive(Clone, Copy)]
enum Alone {
    NoTerm,
    Term(TermId),
    /// Several terms, which differ in their surfaces.
    Terms,
}

/// The most words that are remembered: half a megabyte.
const MAX_KNOWN_WORDS: usize = 1 << 15;

impl KnownWords {
    /// For a text of this size.
    fn new(bytes: usize) -> KnownWords {
        let count = (bytes / 8).next_power_of_two().min(MAX_KNOWN_WORDS);
        KnownWords { known: vec![(UNKNOWN, Alone::NoTerm); count] }
    }

    #[inline]
    fn alone(&mut self, index: &Index, token: u32) -> Result<Alone> {
        let place = (token.wrapping_mul(0x9E37_79B9) >> 16) as usize % self.known.len();
        let (known, alone) = &mut self.known[place];
        if *known != token {
            (*known, *alone) = (token, Alone::NoTerm);
            let slots = index.bucket(token)?;
            if !slots.is_empty()
                && let Some(position) = index.whole_at(&slots, 1)?
            {
                *alone = Alone::Term(index.id_at(position)?);
                let mut count = 0;
                index.each_variant(&TermRange { position, length: 1, slots }, |_| {
                    count += 1;
                    Ok(())
                })?;
                if count > 1 || index.is_in_capitals(position)? {
                    *alone = Alone::Terms;
                }
            }
        }
        Ok(*alone)
    }
}
