//! Vocabulary in, index out.
//!
//! 1. Each thread splits its share of the entries and numbers the distinct tokens it meets.
//! 2. The distinct tokens of all are normalised, merged and sorted; their places are the token ids.
//! 3. The entries become runs of token ids; equal ones are merged.
//! 4. Their suffixes are sorted.
//!
//! Nothing of the result depends on how the entries were shared out.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use foldhash::quality::RandomState;
use hashbrown::HashTable;

use crate::analyze::{Normalize, Options, Tokenizer};
use crate::bits::{self, Bits};
use crate::error::{Error, Place, Result};
use crate::index::{Index, Meta};
use crate::strings::Strings;
use crate::suffixes::{self, Tokens};
use crate::threads::{Progress, run, threads_or_all};
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS, MAX_TOKENS};

/// The entries of a vocabulary, in order.
pub trait Entries: Sync {
    /// Cuts the entries into about `parts` parts, in order, of about equal size.
    fn cut(&self, parts: usize) -> Vec<Range<usize>>;

    /// Calls `each` with every entry of a part.
    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()>;

    /// Where entry `n`, counted from 0, stands in the input.
    fn place(&self, n: u64) -> Place;
}

/// Entries one after the other in one string.
#[derive(Clone, Debug, Default)]
pub struct List {
    text: String,
    /// Where in `text` each entry ends.
    ends: Vec<usize>,
    /// Whether they are the rows of a table, for messages.
    rows: bool,
}

impl List {
    /// A list for the rows of a table.
    pub(crate) fn of_rows() -> List {
        List { rows: true, ..List::default() }
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, entry: &str) {
        self.text.push_str(entry);
        self.ends.push(self.text.len());
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Entry `i`.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }
}

impl<'a> FromIterator<&'a str> for List {
    fn from_iter<I: IntoIterator<Item = &'a str>>(entries: I) -> List {
        let mut list = List::default();
        entries.into_iter().for_each(|entry| list.push(entry));
        list
    }
}

impl Entries for List {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        cut_evenly(self.len(), parts)
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        part.into_iter().try_for_each(|i| each(self.get(i)))
    }

    fn place(&self, n: u64) -> Place {
        if self.rows { Place::Row(n + 1) } else { Place::Entry(n) }
    }
}

/// Cuts 0 to `count` into at most `parts` ranges of about equal size.
pub(crate) fn cut_evenly(count: usize, parts: usize) -> Vec<Range<usize>> {
    let size = count.div_ceil(parts.max(1)).max(1);
    (0..count).step_by(size).map(|start| start..(start + size).min(count)).collect()
}

/// How to build an index.
#[derive(Clone, Default)]
pub struct Build {
    /// How terms become tokens.
    pub options: Options,
    /// The user's own normalisation of tokens.
    pub normalizer: Option<Arc<dyn Normalize>>,
    /// How many threads to use; one for each core if not given.
    pub threads: Option<usize>,
    /// How far the build is, and the way to stop it.
    pub progress: Arc<Progress>,
    /// A lower limit of tokens than [`MAX_TOKENS`], for tests of what happens there.
    #[doc(hidden)]
    pub max_tokens: Option<u64>,
}

impl Build {
    /// Builds the index of `entries`; `weights` has a weight for each of them.
    pub fn index(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Index> {
        self.options.validate()?;
        // Threads cost more than they gain on a small vocabulary.
        let small = entries.cut(1).iter().map(Range::len).sum::<usize>() < 4096;
        let threads = if small { 1 } else { threads_or_all(self.threads) };
        let stored = !self.options.surface_is_key(self.normalizer.is_some());

        let parts = self.split(entries, threads, stored)?;
        self.progress.begin(2, 1)?;
        let mut first = 0;
        let mut firsts = Vec::with_capacity(parts.len());
        for part in &parts {
            firsts.push(first);
            first += part.counts.len() as u64;
        }
        check_weights(weights, entries, first)?;
        let (tokens, ids) = self.dictionary(&parts, threads)?;
        let terms = self.terms(parts, &firsts, &ids, entries, threads, weights.is_some())?;
        drop(ids);
        let terms = self.merge(terms, weights, threads)?;
        let longest = terms.lengths.iter().copied().max().unwrap_or(0);
        let spaces =
            self.options.separator.is_some() && !self.white_space(&terms, &tokens, longest);

        let borders = suffixes::borders(terms.lengths.iter().map(|&n| n.into()), terms.keys.len());
        self.progress.begin(3, terms.keys.len() as u64)?;
        let sorted = Tokens { keys: &terms.keys, borders: &borders };
        let (suffixes, buckets) = suffixes::sort(sorted, tokens.len(), threads, &self.progress)?;
        let wholes = wholes(&suffixes, &borders);
        let meta = Meta {
            options: self.options.clone(),
            normalized: self.normalizer.is_some(),
            spaces,
            skipped: terms.skipped,
            duplicates: terms.duplicates,
            longest: longest.into(),
        };
        Ok(Index {
            meta,
            tokens,
            keys: terms.keys.into(),
            borders: Bits::new(borders),
            suffixes: suffixes.into(),
            wholes: Bits::new(wholes),
            buckets: buckets.into(),
            weights: terms.weights.map(Into::into),
            surfaces: terms.surfaces,
            normalizer: self.normalizer.clone(),
            checksum: None,
        })
    }

    /// Whether a surface holds white space.
    fn white_space(&self, terms: &Merged, tokens: &Strings, longest: u16) -> bool {
        let white = |text: &[u8]| String::from_utf8_lossy(text).contains(char::is_whitespace);
        match &terms.surfaces {
            Some(surfaces) => white(&surfaces.bytes),
            None => white(&tokens.bytes) || longest > 1 && white(self.options.joiner().as_bytes()),
        }
    }

    /// Step 1.
    fn split<'a>(
        &self,
        entries: &'a dyn Entries,
        threads: usize,
        stored: bool,
    ) -> Result<Vec<Part<'a>>> {
        let ranges = entries.cut(threads);
        self.progress.begin(1, ranges.iter().map(|range| range.len() as u64).sum())?;
        let options = &self.options;
        run(threads, ranges, |range| {
            let mut part = Part::new();
            // A range counts bytes or entries; either way its length is what `begin` was told.
            let steps = range.len() as u64;
            let entries_per_check = 1024;
            let mut visited = 0u64;
            entries.visit(range, &mut |entry| {
                visited += 1;
                if visited % entries_per_check == 0 {
                    self.progress.advance(0)?;
                    // Before the numbers of a part's tokens overflow; the sum of all is checked later.
                    if part.tokens.len() as u64 > MAX_TOKENS {
                        return Err(Error::Full { limit: MAX_TOKENS });
                    }
                }
                let entry = options.trim(entry);
                let mut bytes = 0;
                let mut count = 0usize;
                options.tokens(entry, false, |range| {
                    bytes += range.len();
                    count += 1;
                    part.push_token(&entry[range]);
                    Ok::<(), Error>(())
                })?;
                let surface_bytes = match options.tokenizer {
                    Tokenizer::Whitespace => {
                        bytes + options.joiner().len() * count.saturating_sub(1)
                    }
                    _ => entry.len(),
                };
                if surface_bytes > MAX_TERM_BYTES && count > 0 {
                    part.too_long.get_or_insert((part.counts.len() as u64, surface_bytes));
                    part.tokens.truncate(part.tokens.len() - count);
                    count = 0;
                }
                // At most 65,535 bytes hold at most as many tokens.
                part.counts.push(count as u16);
                if stored {
                    if count > 0 {
                        match options.tokenizer {
                            Tokenizer::Whitespace => {
                                options.push_surface(entry, &mut part.surfaces)
                            }
                            _ => part.surfaces.push_str(entry),
                        }
                    }
                    part.surface_ends.push(part.surfaces.len());
                }
                Ok(())
            })?;
            self.progress.advance(steps)?;
            Ok(part)
        })
    }

    /// Step 2: the dictionary, and for each part the ids of its tokens.
    fn dictionary(&self, parts: &[Part], threads: usize) -> Result<(Strings, Vec<Vec<u32>>)> {
        let texts: Vec<&[&str]> = parts.iter().map(|part| part.texts.as_slice()).collect();
        let (distinct, mut ids) = number_sorted(&texts, threads)?;
        if !self.options.lowercase && !self.options.strip_accents && self.normalizer.is_none() {
            let total = distinct.iter().map(|text| text.len()).sum();
            return Ok((Strings::new(distinct.iter().map(|text| text.as_bytes()), total), ids));
        }
        let mut forms: Vec<Cow<str>> = Vec::with_capacity(distinct.len());
        for token in &distinct {
            self.progress.advance(0)?;
            let mut form = self.options.normal_form(token);
            if let Some(normalizer) = &self.normalizer {
                form = Cow::Owned(normalizer.normalize(&form)?);
            }
            if form.len() > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: form.len() });
            }
            forms.push(form);
        }
        let forms: Vec<&str> = forms.iter().map(|form| form.as_ref()).collect();
        let (sorted, form_ids) = number_sorted(&[&forms], threads)?;
        // The empty form sorts first, if there is one; it is no token.
        let dropped = u32::from(sorted.first().is_some_and(|form| form.is_empty()));
        for ids in &mut ids {
            for id in ids {
                *id = form_ids[0][*id as usize].checked_sub(dropped).unwrap_or(DROPPED);
            }
        }
        let kept = &sorted[dropped as usize..];
        let total = kept.iter().map(|form| form.len()).sum();
        Ok((Strings::new(kept.iter().map(|form| form.as_bytes()), total), ids))
    }

    /// Step 3, first half: the entries that have tokens, as runs of token ids.
    fn terms(
        &self,
        parts: Vec<Part>,
        firsts: &[u64],
        ids: &[Vec<u32>],
        entries: &dyn Entries,
        threads: usize,
        weighted: bool,
    ) -> Result<Vec<Terms>> {
        let stored = !self.options.surface_is_key(self.normalizer.is_some());
        let max_tokens = self.max_tokens.unwrap_or(MAX_TOKENS);
        let tasks: Vec<_> = parts.into_iter().zip(firsts).zip(ids).collect();
        let terms = run(threads, tasks, |((part, &first), ids)| {
            let mut terms = Terms::default();
            let mut tokens = part.tokens;
            let mut read = 0;
            let mut written = 0;
            for (entry, &count) in part.counts.iter().enumerate() {
                let start = written;
                for i in read..read + count as usize {
                    let id = ids[tokens[i] as usize];
                    if id != DROPPED {
                        tokens[written] = id;
                        written += 1;
                    }
                }
                read += count as usize;
                let length = written - start;
                if length > MAX_TERM_TOKENS {
                    let place = entries.place(first + entry as u64);
                    return Err(Error::TermTokens { place, found: length });
                }
                if let Some((long, found)) = part.too_long
                    && long == entry as u64
                {
                    return Err(Error::TermBytes { place: entries.place(first + long), found });
                }
                if length == 0 {
                    terms.skipped += 1;
                    continue;
                }
                terms.lengths.push(length as u16);
                if weighted {
                    terms.entries.push(first + entry as u64);
                }
                if stored {
                    let from = if entry == 0 { 0 } else { part.surface_ends[entry - 1] };
                    let surface = &part.surfaces[from..part.surface_ends[entry]];
                    terms.surfaces.push_str(surface);
                    terms.surface_lengths.push(surface.len() as u16);
                }
            }
            tokens.truncate(written);
            terms.keys = tokens;
            self.progress.advance(0)?;
            Ok(terms)
        })?;
        if terms.iter().map(|part| part.keys.len() as u64).sum::<u64>() > max_tokens {
            return Err(Error::Full { limit: max_tokens });
        }
        Ok(terms)
    }

    /// Step 3, second half: equal surfaces become one term, their weights add up.
    fn merge(&self, parts: Vec<Terms>, weights: Option<&[f64]>, threads: usize) -> Result<Merged> {
        let stored = !self.options.surface_is_key(self.normalizer.is_some());
        let skipped = parts.iter().map(|part| part.skipped).sum();
        let mut all = Terms::default();
        for part in parts {
            if all.lengths.is_empty() {
                all = part;
            } else {
                all.append(part);
            }
        }
        // Where each term's surface, or its key if that is the same, lies.
        let count = all.lengths.len();
        let mut starts = Vec::with_capacity(count + 1);
        let mut at = 0usize;
        let lengths = if stored { &all.surface_lengths } else { &all.lengths };
        for &length in lengths {
            starts.push(at);
            at += length as usize;
        }
        starts.push(at);
        let surface = |i: usize| &all.surfaces.as_bytes()[starts[i]..starts[i + 1]];
        let key = |i: usize| &all.keys[starts[i]..starts[i + 1]];
        let equal = |i: usize, j: usize| match stored {
            true => surface(i) == surface(j),
            false => key(i) == key(j),
        };
        let hasher = RandomState::default();
        let hashes: Vec<Vec<u64>> = run(threads, cut_evenly(count, threads), |range| {
            self.progress.advance(0)?;
            Ok(match stored {
                true => range.map(|i| hasher.hash_one(surface(i))).collect(),
                false => range.map(|i| hasher.hash_one(key(i))).collect(),
            })
        })?;
        // Each thread takes the terms whose hash falls to it, in order: the first one stays.
        let found = run(threads, (0..threads).collect(), |me| {
            let mut seen: HashTable<(u64, u32)> = HashTable::with_capacity(count / threads);
            let mut merged = Vec::new();
            for (i, &hash) in hashes.iter().flatten().enumerate() {
                if i % 65536 == 0 {
                    self.progress.advance(0)?;
                }
                // By bits that the table does not use.
                if (hash >> 32) as usize % threads != me {
                    continue;
                }
                let same = |&(other, j): &(u64, u32)| other == hash && equal(j as usize, i);
                match seen.find(hash, same) {
                    Some(&(_, j)) => merged.push((i as u32, j)),
                    None => {
                        seen.insert_unique(hash, (hash, i as u32), |&(hash, _)| hash);
                    }
                }
            }
            Ok(merged)
        })?;
        let mut merged: Vec<(u32, u32)> = found.into_iter().flatten().collect();
        merged.sort_unstable();
        drop(hashes);
        let mut term_weights = weights.map(|weights| {
            all.entries.iter().map(|&entry| weights[entry as usize]).collect::<Vec<f64>>()
        });
        if let Some(weights) = &mut term_weights {
            for &(i, j) in &merged {
                weights[j as usize] += weights[i as usize];
            }
        }
        let duplicates = merged.len() as u64;
        if !merged.is_empty() {
            let mut gone = vec![false; count];
            merged.iter().for_each(|&(i, _)| gone[i as usize] = true);
            drop(starts);
            all.retain(&gone);
            if let Some(weights) = &mut term_weights {
                let mut gone = gone.iter();
                weights.retain(|_| !gone.next().unwrap());
            }
        }
        if let Some(weights) = &term_weights
            && let Some(i) = weights.iter().position(|weight| !weight.is_finite())
        {
            let value =
                "more than a number can hold, when those of equal terms are added up".into();
            return Err(Error::Weight { place: Place::Entry(i as u64), value });
        }
        let surfaces = stored.then(|| {
            let mut at = 0;
            let surfaces = all.surface_lengths.iter().map(|&length| {
                at += length as usize;
                &all.surfaces.as_bytes()[at - length as usize..at]
            });
            Strings::new(surfaces, all.surfaces.len())
        });
        Ok(Merged {
            skipped,
            duplicates,
            weights: term_weights,
            surfaces,
            keys: all.keys,
            lengths: all.lengths,
        })
    }
}

/// The id of a token whose normal form is empty, while ids are being given out.
const DROPPED: u32 = u32::MAX;

/// What step 1 makes of one part of the entries.
struct Part<'a> {
    /// The tokens of all entries, by their number in `texts`.
    tokens: Vec<u32>,
    /// How many tokens each entry has.
    counts: Vec<u16>,
    /// The distinct tokens.
    texts: Vec<&'a str>,
    seen: HashTable<(u32, u32)>,
    hasher: RandomState,
    /// The surfaces and where each ends, if they are to be stored.
    surfaces: String,
    surface_ends: Vec<usize>,
    /// The first entry that is too long, and its length; an error, but not the first one, perhaps.
    too_long: Option<(u64, usize)>,
}

impl<'a> Part<'a> {
    fn new() -> Part<'a> {
        Part {
            tokens: Vec::new(),
            counts: Vec::new(),
            texts: Vec::new(),
            seen: HashTable::new(),
            // Seeded at random, so that no vocabulary can be made to collide.
            hasher: RandomState::default(),
            surfaces: String::new(),
            surface_ends: Vec::new(),
            too_long: None,
        }
    }

    #[inline]
    fn push_token(&mut self, text: &'a str) {
        let hash = self.hasher.hash_one(text);
        // The table keeps a part of the hash, so that it need not read the texts to grow or to tell
        // most tokens apart.
        let short = (hash >> 32) as u32;
        let rehash = |&(short, _): &(u32, u32)| spread(short);
        let entry = self.seen.entry(
            spread(short),
            |&(other, id)| other == short && self.texts[id as usize] == text,
            rehash,
        );
        let id = match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => entry.get().1,
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = self.texts.len() as u32;
                self.texts.push(text);
                entry.insert((short, id));
                id
            }
        };
        self.tokens.push(id);
    }
}

/// 64 bits from 32, all of which matter: the table uses the lowest and the highest.
#[inline]
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Entries that have tokens.
#[derive(Default)]
struct Terms {
    keys: Vec<u32>,
    lengths: Vec<u16>,
    /// The number of each entry in the input.
    entries: Vec<u64>,
    surfaces: String,
    surface_lengths: Vec<u16>,
    skipped: u64,
}

impl Terms {
    fn append(&mut self, mut other: Terms) {
        self.keys.append(&mut other.keys);
        self.lengths.append(&mut other.lengths);
        self.entries.append(&mut other.entries);
        self.surfaces.push_str(&other.surfaces);
        self.surface_lengths.append(&mut other.surface_lengths);
    }

    /// Drops the terms that are `gone`.
    fn retain(&mut self, gone: &[bool]) {
        let kept = |i: &usize| !gone[*i];
        let mut read = 0;
        let mut written = 0;
        for (i, &length) in self.lengths.iter().enumerate() {
            let length = length as usize;
            if kept(&i) {
                self.keys.copy_within(read..read + length, written);
                written += length;
            }
            read += length;
        }
        self.keys.truncate(written);
        if !self.surface_lengths.is_empty() {
            let mut surfaces = String::with_capacity(self.surfaces.len());
            let mut read = 0;
            for (i, &length) in self.surface_lengths.iter().enumerate() {
                let length = length as usize;
                if kept(&i) {
                    surfaces.push_str(&self.surfaces[read..read + length]);
                }
                read += length;
            }
            self.surfaces = surfaces;
            let mut i = 0..;
            self.surface_lengths.retain(|_| kept(&i.next().unwrap()));
        }
        let mut i = 0..;
        self.lengths.retain(|_| kept(&i.next().unwrap()));
    }
}

/// The terms of the index.
struct Merged {
    keys: Vec<u32>,
    lengths: Vec<u16>,
    surfaces: Option<Strings>,
    weights: Option<Vec<f64>>,
    skipped: u64,
    duplicates: u64,
}

/// Refuses weights that are not one for each entry, or not numbers of zero or more.
fn check_weights(weights: Option<&[f64]>, entries: &dyn Entries, count: u64) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() as u64 != count {
        return Err(Error::WeightCount { terms: count, weights: weights.len() as u64 });
    }
    match weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        None => Ok(()),
        Some(i) => {
            Err(Error::Weight { place: entries.place(i as u64), value: weights[i].to_string() })
        }
    }
}

/// The bits that mark the slots of whole terms.
pub(crate) fn wholes(suffixes: &[u32], borders: &[u64]) -> Vec<u64> {
    let whole = |p: u32| borders[p as usize / 64] >> (p % 64) & 1;
    let word = |slots: &[u32]| slots.iter().rev().fold(0, |word, &p| word << 1 | whole(p));
    let mut words: Vec<u64> = suffixes.chunks(64).map(word).collect();
    words.resize(bits::words_for(suffixes.len() + 1), 0);
    words
}

/// The distinct texts of several lists, sorted, and for each text of each list its place among them.
fn number_sorted<'a>(
    lists: &[&[&'a str]],
    threads: usize,
) -> Result<(Vec<&'a str>, Vec<Vec<u32>>)> {
    // Most texts differ in their first eight bytes, and a number is compared faster.
    let head = |text: &str| {
        let mut head = [0; 8];
        let length = text.len().min(8);
        head[..length].copy_from_slice(&text.as_bytes()[..length]);
        u64::from_be_bytes(head)
    };
    #[derive(Clone, Copy)]
    struct Item {
        head: u64,
        list: u32,
        place: u32,
    }
    let text = |item: &Item| lists[item.list as usize][item.place as usize];
    let order = |a: &Item, b: &Item| a.head.cmp(&b.head).then_with(|| text(a).cmp(text(b)));
    let pieces: Vec<(usize, Range<usize>)> = lists
        .iter()
        .enumerate()
        .flat_map(|(list, texts)| {
            let parts = threads.div_ceil(lists.len());
            cut_evenly(texts.len(), parts).into_iter().map(move |range| (list, range))
        })
        .collect();
    let runs: Vec<Vec<Item>> = run(threads, pieces, |(list, range)| {
        let item = |place: usize| Item {
            head: head(lists[list][place]),
            list: list as u32,
            place: place as u32,
        };
        let mut items: Vec<Item> = range.map(item).collect();
        items.sort_unstable_by(order);
        Ok(items)
    })?;
    // Each thread merges a stretch of the alphabet, cut where the longest run says.
    let longest = runs.iter().max_by_key(|run| run.len()).map_or(&[][..], Vec::as_slice);
    let fences: Vec<Item> =
        (1..threads).filter_map(|i| longest.get(longest.len() * i / threads)).copied().collect();
    let stretches: Vec<usize> = (0..=fences.len()).collect();
    let stretches: Vec<Vec<(Item, bool)>> = run(threads, stretches, |i| {
        let mut items = Vec::new();
        for run in &runs {
            let place = |fence: &Item| run.partition_point(|item| order(item, fence).is_lt());
            let from = if i == 0 { 0 } else { place(&fences[i - 1]) };
            let to = fences.get(i).map_or(run.len(), place);
            items.extend_from_slice(&run[from..to]);
        }
        // A sort that finds the runs in its input and merges them.
        items.sort_by(order);
        let mut before: Option<Item> = None;
        Ok(items
            .into_iter()
            .map(|item| {
                let new = before.is_none_or(|before| order(&before, &item).is_ne());
                before = Some(item);
                (item, new)
            })
            .collect())
    })?;
    let mut distinct = Vec::with_capacity(longest.len());
    let mut numbers: Vec<Vec<u32>> = lists.iter().map(|texts| vec![0; texts.len()]).collect();
    for (item, new) in stretches.into_iter().flatten() {
        if new {
            distinct.push(text(&item));
        }
        numbers[item.list as usize][item.place as usize] = distinct.len() as u32 - 1;
    }
    Ok((distinct, numbers))
}
