//! Vocabulary in, index out.
//!
//! 1. Each thread splits its share of the entries into tokens.
//! 2. The distinct tokens are found, normalised and sorted; their places are the token ids.
//! 3. The entries become runs of token ids.
//! 4. Their suffixes are sorted. That brings equal terms together, which are merged.
//!
//! Nothing of the result depends on how the entries were shared out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::analysis::{Normalize, Options, Spaces, Tokenizer};
use crate::arrays::bits::{self, Bits};
use crate::arrays::dictionary::{Dictionary, Layout, pieces};
use crate::arrays::filter::Filter;
use crate::arrays::packed::Packed;
use crate::arrays::strings::Strings;
use crate::arrays::{Arrays, Meta, SECOND_TOKEN_STEPS};
use crate::build::entries::Entries;
use crate::build::intern::{self, Interned, Occurrences, Partitions};
use crate::build::suffixes::{self, Sorted, Tokens};
use crate::error::{Error, Result};
use crate::threads::{Job, Progress, run, run_all, threads_or_all};
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS, MAX_TOKENS};

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
    /// The arrays of the index of `entries`; `weights` has a weight for each of them.
    pub(crate) fn arrays(&self, entries: &dyn Entries, weights: Option<&[f64]>) -> Result<Arrays> {
        self.options.validate()?;
        // Threads cost more than they gain on a small vocabulary.
        let small = entries.size() < 1 << 16;
        let threads = if small { 1 } else { threads_or_all(self.threads) };

        let shares = self.split(entries, threads)?;
        let count = shares.iter().map(|share| share.counts.len() as u64).sum();
        check_weights(weights, entries, count)?;
        let (mut terms, tokens) = self.number(shares, entries, weights, threads)?;
        let Distinct { text, lengths, layout, mut buckets, dealt } = tokens;

        self.progress.begin(3, terms.keys.len() as u64)?;
        let mut borders = terms.borders();
        let sorted = Tokens { keys: &terms.keys, borders: &borders };
        let Sorted { mut suffixes, equal_terms } =
            suffixes::sort(sorted, &buckets, dealt, threads, &self.progress)?;
        let gone = terms.merge_equal(&suffixes, &equal_terms, &borders);
        if !gone.is_empty() {
            let going = suffixes::positions_of(&gone, &terms.lengths);
            let number = |&p: &u32| layout.number(terms.keys[p as usize]);
            let numbers = going.iter().map(number).collect();
            suffixes::bucket_starts_without(&mut buckets, numbers);
            let jobs: Vec<Job> = vec![
                Box::new(|| suffixes::drop_positions(&mut suffixes, &going)),
                Box::new(|| {
                    terms.drop_all(&gone);
                    borders = terms.borders();
                }),
            ];
            run_all(threads, jobs)?;
        }
        terms.check_sums()?;

        let mut meta = Meta {
            options: self.options.clone(),
            normalized: self.normalizer.is_some(),
            spaces: Spaces::None, // told below
            skipped: terms.skipped,
            duplicates: gone.len() as u64,
            longest: terms.lengths.iter().copied().max().unwrap_or(0).into(),
        };
        let end = layout.ids[lengths.len()];
        let (mut dictionary, mut keys, mut packed) = (None, None, None);
        let (mut some_seconds, mut whole_bits, mut openings) = (None, None, None);
        let (mut enclosed, mut surfaces) = (None, None);
        let jobs: Vec<Job> = vec![
            Box::new(|| enclosed = Some(Filter::of_enclosed(&terms.keys, &borders))),
            Box::new(|| dictionary = Some(Dictionary::new(&text, &lengths, &layout, &buckets))),
            Box::new(|| surfaces = terms.surfaces.as_ref().map(Surfaces::to_strings)),
            Box::new(|| {
                let ids = terms.keys.iter().map(|&id| id.into());
                keys = Some(Packed::new(ids, end.into()));
            }),
            Box::new(|| packed = Some(pack(&suffixes, suffixes.len()))),
            Box::new(|| whole_bits = Some(Bits::new(wholes(&suffixes, &borders)))),
            Box::new(|| {
                let tokens = Tokens { keys: &terms.keys, borders: &borders };
                some_seconds = Some(seconds(tokens, &suffixes, end));
            }),
            Box::new(|| openings = Some(Filter::of_openings(&terms.keys, &borders))),
            Box::new(|| {
                let surfaces = terms.surfaces.as_ref().map(|surfaces| surfaces.text.as_bytes());
                let several = terms.keys.len() > terms.lengths.len();
                meta.spaces = self.options.white_space_separates(surfaces, &text, several);
            }),
        ];
        run_all(threads, jobs)?;
        let made = "all jobs were done";
        Ok(Arrays {
            meta,
            tokens: dictionary.expect(made),
            keys: keys.expect(made),
            borders: Bits::new(borders),
            suffixes: packed.expect(made),
            seconds: some_seconds.expect(made),
            wholes: whole_bits.expect(made),
            openings: openings.expect(made),
            enclosed: enclosed.expect(made),
            weights: terms.weights.map(Into::into),
            surfaces,
        })
    }

    /// Step 1: each thread splits its share of the entries.
    fn split<'a>(&self, entries: &'a dyn Entries, threads: usize) -> Result<Vec<Share<'a>>> {
        let ranges = entries.cut(threads);
        self.progress.begin(1, entries.size() as u64)?;
        let sample = self.sample(entries)?;
        let sample_bytes: usize = sample.iter().map(|token| token.len() + 1).sum();
        let expected =
            (sample.len() as f64 / sample_bytes.max(1) as f64 * entries.size() as f64) as usize;
        let partitions = &Partitions::new(&sample, expected);
        let stored = !self.options.surface_is_key(self.normalizer.is_some());
        let tasks: Vec<usize> = (0..ranges.len()).collect();
        run(threads, tasks, |i| {
            let mut share = Share {
                occurrences: Occurrences::new(partitions, expected / ranges.len()),
                counts: Vec::new(),
                surfaces: stored.then(Surfaces::default),
            };
            let mut seen = 0;
            entries.visit(ranges[i].clone(), &mut |entry| {
                if share.counts.len().is_multiple_of(1024) {
                    self.progress.advance(std::mem::take(&mut seen))?;
                    // Before the positions overflow; the sum of all shares is checked later.
                    self.check_capacity(share.occurrences.len())?;
                }
                seen += entry.len() as u64 + 1;
                let entry = self.options.trim_entry(entry);
                let before = share.occurrences.len();
                let mut bytes = 0;
                self.options.tokens(entry, Spaces::None, |range| {
                    bytes += range.len();
                    share.occurrences.push(partitions, &entry[range]);
                    Ok::<(), Error>(())
                })?;
                let count = share.occurrences.len() - before;
                let surface_bytes = match self.options.tokenizer {
                    Tokenizer::Whitespace => {
                        bytes + self.options.joiner().len() * count.saturating_sub(1)
                    }
                    _ => entry.len(),
                };
                if surface_bytes > MAX_TERM_BYTES && count > 0 {
                    let n = count_entries(entries, &ranges[..i])? + share.counts.len() as u64;
                    return Err(Error::TermBytes { place: entries.place(n), found: surface_bytes });
                }
                // At most 65,535 bytes hold at most as many tokens.
                share.counts.push(count as u16);
                if let Some(surfaces) = &mut share.surfaces {
                    match self.options.tokenizer {
                        Tokenizer::Whitespace => {
                            self.options.push_surface(entry, &mut surfaces.text)
                        }
                        _ if count > 0 => surfaces.text.push_str(entry),
                        _ => {}
                    }
                    surfaces.ends.push(surfaces.text.len());
                }
                Ok(())
            })?;
            self.progress.advance(seen)?;
            Ok(share)
        })
    }

    /// Tokens from several places of the vocabulary.
    fn sample<'a>(&self, entries: &'a dyn Entries) -> Result<Vec<&'a str>> {
        let mut tokens = Vec::new();
        // A small share of a small vocabulary is enough.
        let wanted = (entries.size() / 4096).clamp(16, 1000);
        for range in entries.cut(16) {
            let enough = tokens.len() + wanted;
            let visited = entries.visit(range, &mut |entry| {
                let entry = self.options.trim_entry(entry);
                self.options.tokens(entry, Spaces::None, |range| {
                    tokens.push(&entry[range]);
                    Ok(())
                })?;
                // An error is the way to leave a visit before its end.
                if tokens.len() < enough { Ok(()) } else { Err(Error::Cancelled) }
            });
            match visited {
                Ok(()) | Err(Error::Cancelled) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(tokens)
    }

    fn check_capacity(&self, tokens: usize) -> Result<()> {
        let limit = self.max_tokens.unwrap_or(MAX_TOKENS);
        if tokens as u64 > limit { Err(Error::Full { limit }) } else { Ok(()) }
    }

    /// Steps 2 and 3: the tokens get their ids, the entries that have tokens become terms.
    fn number(
        &self,
        shares: Vec<Share>,
        entries: &dyn Entries,
        weights: Option<&[f64]>,
        threads: usize,
    ) -> Result<(Terms, Distinct)> {
        let total = shares.iter().map(|share| share.occurrences.len()).sum();
        self.check_capacity(total)?;
        self.progress.begin(2, total as u64)?;
        let mut occurrences = Vec::with_capacity(shares.len());
        let mut counts = Vec::with_capacity(shares.len());
        let mut surfaces = Vec::with_capacity(shares.len());
        for share in shares {
            occurrences.push(share.occurrences);
            counts.push(share.counts);
            surfaces.push(share.surfaces);
        }
        let mut interned = intern::intern(occurrences, threads, &self.progress)?;
        let normalized = self.options.normalizes() || self.normalizer.is_some();
        let (mut keys, mut tokens) = match normalized {
            true => self.normalize(interned, threads)?,
            false => {
                let layout = Layout::new(&interned.text, &interned.lengths, threads)?;
                let mut in_order = vec![0; interned.counts.len()];
                for (&number, &count) in layout.numbers.iter().zip(&interned.counts) {
                    in_order[number as usize] = count;
                }
                let buckets = suffixes::starts(&in_order);
                let (keys, dealt) = interned.deal(&layout, &buckets, threads)?;
                let Interned { text, lengths, .. } = interned;
                (keys, Distinct { text, lengths, layout, buckets, dealt })
            }
        };

        let mut terms = Terms::default();
        terms.lengths.reserve(counts.iter().map(Vec::len).sum());
        let (mut read, mut written) = (0, 0);
        let mut entry = 0;
        for (counts, surfaces) in counts.iter().zip(surfaces) {
            let plain = !normalized && weights.is_none() && surfaces.is_none();
            if plain && counts.iter().all(|&count| count as usize <= MAX_TERM_TOKENS) {
                // As a rule: the entries are the terms.
                let before = terms.lengths.len();
                match counts.contains(&0) {
                    false => terms.lengths.extend_from_slice(counts),
                    true => terms.lengths.extend(counts.iter().filter(|&&count| count > 0)),
                }
                terms.skipped += (before + counts.len() - terms.lengths.len()) as u64;
                written += counts.iter().map(|&count| count as usize).sum::<usize>();
                entry += counts.len() as u64;
                continue;
            }
            for (i, &count) in counts.iter().enumerate() {
                let length = if normalized {
                    let start = written;
                    for at in read..read + count as usize {
                        if keys[at] != DROPPED {
                            keys[written] = keys[at];
                            written += 1;
                        }
                    }
                    written - start
                } else {
                    written += count as usize;
                    count as usize
                };
                read += count as usize;
                if length > MAX_TERM_TOKENS {
                    return Err(Error::TermTokens { place: entries.place(entry), found: length });
                }
                if length == 0 {
                    terms.skipped += 1;
                } else {
                    terms.lengths.push(length as u16);
                    if let Some(weights) = weights {
                        // Plus zero, so that a negative zero does not sort behind zero.
                        terms.weights.get_or_insert_default().push(weights[entry as usize] + 0.0);
                    }
                    if let Some(surfaces) = &surfaces {
                        terms.surfaces.get_or_insert_default().push(surfaces.get(i));
                    }
                }
                entry += 1;
            }
            self.progress.advance(0)?;
        }
        keys.truncate(written);
        terms.keys = keys;
        if normalized {
            tokens.dealt = suffixes::deal(&terms.keys, &tokens.buckets);
            for key in &mut terms.keys {
                *key = tokens.layout.ids[*key as usize];
            }
        }
        // An index of no terms has weights and surfaces too, if its options say so.
        if weights.is_some() {
            terms.weights.get_or_insert_default();
        }
        if !self.options.surface_is_key(self.normalizer.is_some()) {
            terms.surfaces.get_or_insert_default();
        }
        Ok((terms, tokens))
    }

    /// Normalises the distinct tokens. The numbers of all tokens' normal forms in the layout, and the
    /// distinct ones.
    fn normalize(&self, mut interned: Interned, threads: usize) -> Result<(Vec<u32>, Distinct)> {
        let mut keys = interned.numbers(threads)?;
        let Interned { text, lengths, .. } = interned;
        let mut forms: Vec<Cow<str>> = Vec::with_capacity(lengths.len());
        let mut answers: HashMap<String, String> = HashMap::new();
        for token in pieces(&text, &lengths) {
            // A function of the user's own may take long for each.
            if self.normalizer.is_some() || forms.len().is_multiple_of(1024) {
                self.progress.advance(0)?;
            }
            // The distinct tokens were cut from text, so they are text.
            let token = std::str::from_utf8(token).map_err(|_| Error::out_of_range("tokens"))?;
            let mut form = self.options.normal_form(token);
            if let Some(normalizer) = &self.normalizer
                && !form.is_empty()
            {
                // Tokens that differ in case only have one form, for which the function is asked once.
                let answer = match answers.get(form.as_ref()) {
                    Some(answer) => String::clone(answer),
                    None => {
                        let answer = normalizer.normalize(&form)?;
                        answers.insert(form.into_owned(), answer.clone());
                        answer
                    }
                };
                form = Cow::Owned(answer);
            }
            if form.len() > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: form.len() });
            }
            forms.push(form);
        }
        let sample: Vec<&str> =
            forms.iter().step_by(forms.len() / 10_000 + 1).map(|form| form.as_ref()).collect();
        let partitions = Partitions::new(&sample, forms.len());
        let mut occurrences = Occurrences::new(&partitions, forms.len());
        forms.iter().for_each(|form| occurrences.push(&partitions, form));
        let mut interned = intern::intern(vec![occurrences], threads, &self.progress)?;
        let numbers = interned.numbers(threads)?;
        let Interned { text, mut lengths, .. } = interned;
        // The empty form comes first, if there is one. It is no token.
        let dropped = usize::from(lengths.first() == Some(&0));
        lengths.drain(..dropped);
        let layout = Layout::new(&text, &lengths, threads)?;
        for key in &mut keys {
            *key = match numbers[*key as usize].checked_sub(dropped as u32) {
                Some(number) => layout.numbers[number as usize],
                None => DROPPED,
            };
        }
        let mut counts = vec![0; lengths.len()];
        keys.iter().filter(|&&key| key != DROPPED).for_each(|&key| counts[key as usize] += 1);
        let buckets = suffixes::starts(&counts);
        // Which positions there are shows only when the dropped ones are gone.
        let dealt = Vec::new();
        Ok((keys, Distinct { text, lengths, layout, buckets, dealt }))
    }
}

/// The id of a token whose normal form is empty, while ids are being given out.
const DROPPED: u32 = u32::MAX;

/// The number of entries in these parts.
fn count_entries(entries: &dyn Entries, parts: &[Range<usize>]) -> Result<u64> {
    let mut count = 0;
    for part in parts {
        entries.visit(part.clone(), &mut |_| {
            count += 1;
            Ok(())
        })?;
    }
    Ok(count)
}

/// The distinct tokens in order, one after the other.
struct Distinct {
    text: Vec<u8>,
    lengths: Vec<u32>,
    layout: Layout,
    /// What [`suffixes::sort`] needs, by the numbers of the layout.
    buckets: Vec<u32>,
    dealt: Vec<u32>,
}

/// What step 1 makes of one thread's share of the entries.
struct Share<'a> {
    occurrences: Occurrences<'a>,
    /// How many tokens each entry has.
    counts: Vec<u16>,
    /// The surface of each entry, if surfaces are to be stored.
    surfaces: Option<Surfaces>,
}

/// Surfaces, one after the other.
#[derive(Default)]
struct Surfaces {
    text: String,
    ends: Vec<usize>,
}

impl Surfaces {
    fn push(&mut self, surface: &str) {
        self.text.push_str(surface);
        self.ends.push(self.text.len());
    }

    fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    fn to_strings(&self) -> Strings {
        Strings::new((0..self.ends.len()).map(|i| self.get(i).as_bytes()), self.text.len())
    }
}

/// Entries that have tokens.
#[derive(Default)]
struct Terms {
    keys: Vec<u32>,
    lengths: Vec<u16>,
    weights: Option<Vec<f64>>,
    surfaces: Option<Surfaces>,
    skipped: u64,
}

impl Terms {
    fn borders(&self) -> Vec<u64> {
        suffixes::borders(self.lengths.iter().map(|&length| length.into()), self.keys.len())
    }

    /// Adds the weights of terms with equal surfaces up to that of the first. The others are to be
    /// dropped: their ids, in order. `equal` tells the slots of terms with equal keys.
    fn merge_equal(
        &mut self,
        suffixes: &[u32],
        equal: &[Range<usize>],
        borders: &[u64],
    ) -> Vec<u32> {
        if equal.is_empty() {
            return Vec::new();
        }
        let borders = Bits::new(borders.to_vec());
        let mut gone = Vec::new();
        for slots in equal {
            let id = |&p: &u32| borders.rank(p as usize).expect("a suffix is a position") as u32;
            let mut ids: Vec<u32> = suffixes[slots.clone()].iter().map(id).collect();
            if let Some(surfaces) = &self.surfaces {
                ids.sort_by_key(|&id| surfaces.get(id as usize)); // stable: by id where equal
            }
            let same = |&a: &u32, &b: &u32| match &self.surfaces {
                Some(surfaces) => surfaces.get(a as usize) == surfaces.get(b as usize),
                None => true,
            };
            for ids in ids.chunk_by(same) {
                for &id in &ids[1..] {
                    if let Some(weights) = &mut self.weights {
                        weights[ids[0] as usize] += weights[id as usize];
                    }
                    gone.push(id);
                }
            }
        }
        gone.sort_unstable();
        gone
    }

    /// Drops the terms with these ids, which are in order.
    fn drop_all(&mut self, gone: &[u32]) {
        let mut kept = vec![true; self.lengths.len()];
        gone.iter().for_each(|&id| kept[id as usize] = false);
        // Whole stretches between terms that go are moved at once.
        let (mut read, mut written, mut stretch) = (0, 0, 0);
        for (&length, &kept) in self.lengths.iter().zip(&kept) {
            if !kept {
                self.keys.copy_within(stretch..read, written);
                written += read - stretch;
                stretch = read + length as usize;
            }
            read += length as usize;
        }
        self.keys.copy_within(stretch..read, written);
        self.keys.truncate(written + read - stretch);
        if let Some(surfaces) = &mut self.surfaces {
            let mut left = Surfaces::default();
            (0..kept.len()).filter(|&i| kept[i]).for_each(|i| left.push(surfaces.get(i)));
            *surfaces = left;
        }
        retain(&mut self.lengths, &kept);
        if let Some(weights) = &mut self.weights {
            retain(weights, &kept);
        }
    }

    /// Refuses weights that became too large when they were added up.
    fn check_sums(&self) -> Result<()> {
        let weights = self.weights.iter().flatten();
        match weights.clone().position(|weight| !weight.is_finite()) {
            None => Ok(()),
            Some(id) => Err(Error::WeightSum { id: id as u64 }),
        }
    }
}

fn retain<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next() == Some(&true));
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

/// Packs numbers up to `largest`.
pub(crate) fn pack(numbers: &[u32], largest: usize) -> Packed {
    Packed::new(numbers.iter().map(|&number| number.into()), largest as u64)
}

/// The second tokens of some of the suffixes: see [`Index::seconds`]. `end` is the id behind the last.
pub(crate) fn seconds(
    tokens: Tokens,
    suffixes: &[u32],
    end: u32,
) -> [Packed; SECOND_TOKEN_STEPS.len()] {
    let second = |&p: &u32| tokens.second(p).map_or(0, |id| u64::from(id) + 1);
    SECOND_TOKEN_STEPS
        .map(|step| Packed::new(suffixes.iter().step_by(step).map(second), end.into()))
}

/// The bits that mark the slots of whole terms.
pub(crate) fn wholes(suffixes: &[u32], borders: &[u64]) -> Vec<u64> {
    let whole = |p: u32| borders[p as usize / 64] >> (p % 64) & 1;
    let word = |slots: &[u32]| slots.iter().rev().fold(0, |word, &p| word << 1 | whole(p));
    let mut words: Vec<u64> = suffixes.chunks(64).map(word).collect();
    words.resize(bits::words_for(suffixes.len() + 1), 0);
    words
}
