//! Terms and n-grams between machines.
//!
//! A containment join deals terms and n-grams out to *parts*, by fingerprint. What goes from one machine
//! to one part is packed into *parcels* of many records each, so that whoever carries them, Spark for
//! instance, has few large things to carry and not billions of small ones. There are two exchanges:
//!
//! 1. Terms go to the part of their fingerprint. There a [`TermTable`] merges equal ones.
//! 2. N-grams go to the part of theirs, where the term is, if there is one: [`PairMaker`] joins them.
//!    Frequent n-grams stay in the part of the term that they stand in; the terms that they are go to
//!    all parts.
//!
//! A term is called by its *label*: bytes that users know it by, its surface as a rule. Of the labels of
//! equal terms, the least is taken.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::build::entries::Entries;
use crate::error::{Error, Result};
use crate::join::ngrams::{ByFingerprint, FrequentNGrams, TermAnalyzer, TermFilter, Walk, word_of};

/// No term: the end of a chain.
const NONE: u32 = u32::MAX;

/// The part of a fingerprint, of so many.
#[inline]
fn part_of(fingerprint: u128, parts: usize) -> usize {
    ((u128::from(fingerprint as u64) * parts as u128) >> 64) as usize
}

/// A stretch of bytes in a larger one.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    length: u32,
}

impl Place {
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.start + self.length as usize]
    }
}

struct Stored {
    fingerprint: u128,
    surface: Place,
    /// That of the surface, unless labels are given.
    label: Place,
    /// The number of tokens.
    length: u32,
    weight: f64,
    /// The next term with the same fingerprint.
    variant: u32,
}

/// Terms, each once.
pub struct TermTable {
    labelled: bool,
    weighted: bool,
    /// The first term of each fingerprint.
    first: ByFingerprint<u32>,
    terms: Vec<Stored>,
    bytes: Vec<u8>,
    /// The entries that were added, of which equal ones have become one term.
    entries: u64,
}

impl TermTable {
    /// An empty table of terms, with labels that are not their surfaces and with weights or without.
    pub fn new(labelled: bool, weighted: bool) -> TermTable {
        let (terms, bytes) = (Vec::new(), Vec::new());
        TermTable { labelled, weighted, first: ByFingerprint::default(), terms, bytes, entries: 0 }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// About how much memory the table takes.
    fn memory(&self) -> usize {
        self.bytes.len() + self.terms.len() * (size_of::<Stored>() + 32)
    }

    /// Forgets all terms, not the memory that they took.
    fn clear(&mut self) {
        self.first.clear();
        self.terms.clear();
        self.bytes.clear();
        self.entries = 0;
    }

    /// Adds the entries that are terms. `label` and `weight` tell those of an entry, by its number; they
    /// are not asked if the table has none.
    pub fn add<'a>(
        &mut self,
        analyzer: &TermAnalyzer,
        entries: &dyn Entries,
        label: impl Fn(usize) -> &'a [u8],
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        analyzer.visit_fingerprints(entries, |row, surface, length, fingerprint| {
            let row = row as usize;
            let label = if self.labelled { label(row) } else { &[] };
            let weight = if self.weighted { weight(row) } else { 0.0 };
            self.entries += 1;
            self.push(fingerprint, surface.as_bytes(), length, label, weight);
        })
    }

    fn push(&mut self, fingerprint: u128, surface: &[u8], length: u32, label: &[u8], weight: f64) {
        let number = self.terms.len() as u32;
        match self.first.entry(fingerprint) {
            Entry::Vacant(entry) => {
                entry.insert(number);
            }
            Entry::Occupied(entry) => {
                let mut at = *entry.get();
                loop {
                    let term = &mut self.terms[at as usize];
                    if term.surface.of(&self.bytes) == surface {
                        term.weight += weight;
                        if self.labelled && label < term.label.of(&self.bytes) {
                            term.label = store(&mut self.bytes, label);
                        }
                        return;
                    }
                    if term.variant == NONE {
                        term.variant = number;
                        break;
                    }
                    at = term.variant;
                }
            }
        }
        let surface = store(&mut self.bytes, surface);
        let label = if self.labelled { store(&mut self.bytes, label) } else { surface };
        self.terms.push(Stored { fingerprint, surface, label, length, weight, variant: NONE });
    }

    /// Packs the terms, each behind what the parcel of its part holds already.
    pub fn pack(&self, parcels: &mut [Vec<u8>]) {
        let parts = parcels.len();
        for term in &self.terms {
            let parcel = &mut parcels[part_of(term.fingerprint, parts)];
            put_fingerprint(parcel, term.fingerprint);
            put_bytes(parcel, term.surface.of(&self.bytes));
            put_number(parcel, term.length);
            if self.labelled {
                put_bytes(parcel, term.label.of(&self.bytes));
            }
            if self.weighted {
                put_weight(parcel, term.weight);
            }
        }
    }

    /// Adds the terms of a parcel.
    pub fn add_parcel(&mut self, parcel: &[u8]) -> Result<()> {
        let (records, entries) = parcel.split_last_chunk().ok_or(Error::Parcel)?;
        self.entries += u64::from_le_bytes(*entries);
        let mut reader = Reader(records);
        while !reader.0.is_empty() {
            let fingerprint = reader.fingerprint()?;
            let surface = reader.bytes()?;
            let length = reader.number()?;
            let label = if self.labelled { reader.bytes()? } else { &[] };
            let weight = if self.weighted { reader.weight()? } else { 0.0 };
            self.push(fingerprint, surface, length, label, weight);
        }
        Ok(())
    }

    /// The labels, lengths in tokens and weights of the terms from number `first` on, and the number of
    /// the next term.
    pub fn rows(&self, first: usize) -> (Labels, Vec<u32>, Vec<f64>, usize) {
        let (mut labels, mut lengths, mut weights) = (Labels::default(), Vec::new(), Vec::new());
        for term in self.terms.iter().skip(first) {
            if labels.bytes.len() >= MUCH {
                break;
            }
            labels.push(term.label.of(&self.bytes));
            lengths.push(term.length);
            weights.push(term.weight);
        }
        let next = first + lengths.len();
        (labels, lengths, weights, next)
    }

    fn text(&self, place: Place) -> Result<&str> {
        std::str::from_utf8(place.of(&self.bytes)).map_err(|_| Error::Parcel)
    }

    /// Packs what the second exchange carries, for the terms from number `first` on, until it is much.
    /// The second answer is the number of the term to go on with.
    pub fn outgoing(
        &self,
        analyzer: &TermAnalyzer,
        first: usize,
        parts: usize,
        filter: Option<&TermFilter>,
        frequent: &FrequentNGrams,
    ) -> Result<(Outgoing, usize)> {
        let mut out = Outgoing {
            terms: vec![Vec::new(); parts],
            frequent_terms: Vec::new(),
            ngrams: vec![Vec::new(); parts],
            frequent_ngrams: vec![Vec::new(); parts],
        };
        let mut walk = Walk::default();
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut packed = 0;
        for (number, term) in self.terms.iter().enumerate().skip(first) {
            if packed >= enough(parts) {
                return Ok((out, number));
            }
            let label = term.label.of(&self.bytes);
            let part = part_of(term.fingerprint, parts);
            match frequent.number(term.fingerprint) {
                Some(number) => {
                    put_number(&mut out.frequent_terms, number);
                    put_bytes(&mut out.frequent_terms, label);
                }
                None => {
                    put_fingerprint(&mut out.terms[part], term.fingerprint);
                    put_bytes(&mut out.terms[part], label);
                }
            }
            packed += label.len() + 20;
            found.clear();
            let surface = self.text(term.surface)?;
            analyzer.each_ngram(surface, filter, &mut walk, |fingerprint, start| {
                if let Some(number) = frequent.number(fingerprint) {
                    found.push((number, start));
                    return;
                }
                let parcel = &mut out.ngrams[part_of(fingerprint, parts)];
                put_fingerprint(parcel, fingerprint);
                put_number(parcel, start);
                put_bytes(parcel, label);
                if self.weighted {
                    put_weight(parcel, term.weight);
                }
                packed += label.len() + 24;
            })?;
            if !found.is_empty() {
                let parcel = &mut out.frequent_ngrams[part];
                put_bytes(parcel, label);
                if self.weighted {
                    put_weight(parcel, term.weight);
                }
                put_number(parcel, found.len() as u32);
                for &(number, start) in &found {
                    put_number(parcel, number);
                    put_number(parcel, start);
                }
                packed += label.len() + 8 * found.len();
            }
        }
        Ok((out, self.terms.len()))
    }
}

/// The terms of a share of the vocabulary on their way to their parts.
///
/// What repeats within some ten thousand terms is merged before it is sent: an entry that stands a
/// billion times in the vocabulary piles up nowhere. That is what fits into a core's cache; the rest is
/// merged by the tables of the parts.
pub struct TermSender {
    recent: TermTable,
    parcels: Vec<Vec<u8>>,
    /// The entries that were packed.
    entries: u64,
}

/// The memory for terms that may repeat.
const RECENT: usize = 1 << 22;

impl TermSender {
    /// A sender to so many parts, of terms as in [`TermTable::new`].
    pub fn new(parts: usize, labelled: bool, weighted: bool) -> TermSender {
        let recent = TermTable::new(labelled, weighted);
        TermSender { recent, parcels: vec![Vec::new(); parts], entries: 0 }
    }

    /// Adds entries as [`TermTable::add`] does.
    pub fn add<'a>(
        &mut self,
        analyzer: &TermAnalyzer,
        entries: &dyn Entries,
        label: impl Fn(usize) -> &'a [u8],
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        self.recent.add(analyzer, entries, label, weight)?;
        if self.recent.memory() >= RECENT {
            self.pack();
        }
        Ok(())
    }

    /// Whether what waits to be sent is enough.
    pub fn is_full(&self) -> bool {
        self.parcels.iter().map(Vec::len).sum::<usize>() >= enough(self.parcels.len())
    }

    /// The parcels, one for each part; empty for a part of which there is no term.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        self.pack();
        let empty = vec![Vec::new(); self.parcels.len()];
        let mut parcels = std::mem::replace(&mut self.parcels, empty);
        // The number of entries goes with the first of them.
        for parcel in parcels.iter_mut().filter(|parcel| !parcel.is_empty()) {
            let entries = std::mem::take(&mut self.entries);
            parcel.extend_from_slice(&entries.to_le_bytes());
        }
        parcels
    }

    fn pack(&mut self) {
        self.entries += self.recent.entries;
        self.recent.pack(&mut self.parcels);
        self.recent.clear();
    }
}

/// What all machines should know of the terms of a part.
pub struct PartSurvey {
    labelled: bool,
    weighted: bool,
    /// How many terms are still to be looked at for frequent n-grams. The first ones of a part are as
    /// good as any: they come by fingerprint.
    sample: usize,
    /// How many terms of the sample an n-gram stands in, and the last of them.
    counts: ByFingerprint<(u64, usize)>,
    /// The entries of a [`TermFilter`], by parts of the filter.
    filter: Vec<Vec<u64>>,
    entries: u64,
    walk: Walk,
}

impl PartSurvey {
    /// The survey of a part with terms as in [`TermTable::new`], of a filter with so many parts, and of
    /// a sample of so many terms.
    pub fn new(labelled: bool, weighted: bool, filter_parts: usize, sample: usize) -> PartSurvey {
        PartSurvey {
            labelled,
            weighted,
            sample,
            counts: HashMap::default(),
            filter: vec![Vec::new(); filter_parts],
            entries: 0,
            walk: Walk::default(),
        }
    }

    /// Adds the terms of a parcel. Equal ones are not merged, which makes no difference here.
    pub fn add_parcel(&mut self, analyzer: &TermAnalyzer, parcel: &[u8]) -> Result<()> {
        let (records, entries) = parcel.split_last_chunk().ok_or(Error::Parcel)?;
        self.entries += u64::from_le_bytes(*entries);
        let mut reader = Reader(records);
        while !reader.0.is_empty() {
            let fingerprint = reader.fingerprint()?;
            let surface = reader.bytes()?;
            let surface = std::str::from_utf8(surface).map_err(|_| Error::Parcel)?;
            let length = reader.number()?;
            if self.labelled {
                reader.bytes()?;
            }
            if self.weighted {
                reader.weight()?;
            }
            let PartSurvey { filter, counts, walk, sample, .. } = self;
            let parts = filter.len();
            if parts > 0 {
                let enter = |entry| filter[word_of(entry, parts)].push(entry);
                analyzer.each_filter_entry(surface, length, fingerprint, walk, enter)?;
            }
            if *sample > 0 {
                *sample -= 1;
                analyzer.each_short_ngram(surface, walk, |ngram| {
                    let (count, last) = counts.entry(ngram).or_insert((0, usize::MAX));
                    if *last != *sample {
                        (*count, *last) = (*count + 1, *sample);
                    }
                })?;
            }
        }
        Ok(())
    }

    /// The entries of the filter, by its parts: what [`TermFilter::enter`] makes words of.
    pub fn filter(&self) -> &[Vec<u64>] {
        &self.filter
    }

    /// How many terms of the sample n-grams stand in. If there are more than `most`, those of one term
    /// are left out.
    pub fn counts(&self, most: usize) -> Vec<(u128, u64)> {
        let least = if self.counts.len() > most { 2 } else { 1 };
        let counts = self.counts.iter().map(|(&fingerprint, &(count, _))| (fingerprint, count));
        counts.filter(|(_, count)| *count >= least).collect()
    }

    /// The number of entries that the terms stand for.
    pub fn entries(&self) -> u64 {
        self.entries
    }
}

/// The parcels of the second exchange, one for each part.
pub struct Outgoing {
    /// Terms, which n-grams may be.
    pub terms: Vec<Vec<u8>>,
    /// Terms that are frequent n-grams: one parcel, for all parts.
    pub frequent_terms: Vec<u8>,
    /// N-grams, which may be terms.
    pub ngrams: Vec<Vec<u8>>,
    /// Terms with the frequent n-grams in them.
    pub frequent_ngrams: Vec<Vec<u8>>,
}

/// So many bytes are enough for one table. Copies of it stay in a core's cache.
const MUCH: usize = 1 << 22;

/// So many bytes in parcels are enough to send them, if they go to so many parts: parcels that are not
/// too small, and all together not too much.
pub fn enough(parts: usize) -> usize {
    (parts << 14).clamp(MUCH, 1 << 26)
}

/// Labels, one after the other.
#[derive(Debug, Default)]
pub struct Labels {
    /// All of them.
    pub bytes: Vec<u8>,
    /// Where each one ends.
    pub ends: Vec<usize>,
}

impl Labels {
    /// Adds one.
    pub fn push(&mut self, label: &[u8]) {
        self.bytes.extend_from_slice(label);
        self.ends.push(self.bytes.len());
    }

    /// Label `i`.
    pub fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }
}

/// Pairs of terms.
#[derive(Debug, Default)]
pub struct LabelledPairs {
    /// The shorter terms.
    pub nested: Labels,
    /// The longer ones.
    pub supers: Labels,
    /// Where in the longer the shorter begins first, in tokens.
    pub start: Vec<u32>,
    /// The weights of the longer ones, if there are any.
    pub weight: Vec<f64>,
}

impl LabelledPairs {
    fn push(&mut self, nested: &[u8], super_term: &[u8], start: u32, weight: Option<f64>) {
        self.nested.push(nested);
        self.supers.push(super_term);
        self.start.push(start);
        self.weight.extend(weight);
    }

    fn is_much(&self) -> bool {
        self.nested.bytes.len() + self.supers.bytes.len() + 8 * self.start.len() >= MUCH
    }
}

/// The terms of a part, and the n-grams that may be one of them.
pub struct PairMaker {
    weighted: bool,
    /// The first of each fingerprint.
    first: ByFingerprint<u32>,
    /// The label, and the next term with the same fingerprint.
    terms: Vec<(Place, u32)>,
    /// The labels of the terms that are frequent n-grams, by their numbers.
    frequent: HashMap<u32, Vec<Place>>,
    bytes: Vec<u8>,
}

impl PairMaker {
    /// A part without terms.
    pub fn new(weighted: bool) -> PairMaker {
        let (terms, bytes) = (Vec::new(), Vec::new());
        let frequent = HashMap::new();
        PairMaker { weighted, first: ByFingerprint::default(), terms, frequent, bytes }
    }

    /// Adds the terms of a parcel. All of a part must be there before the n-grams are.
    pub fn add_terms(&mut self, parcel: &[u8]) -> Result<()> {
        let mut reader = Reader(parcel);
        while !reader.0.is_empty() {
            let fingerprint = reader.fingerprint()?;
            let label = store(&mut self.bytes, reader.bytes()?);
            let number = self.terms.len() as u32;
            let next = self.first.insert(fingerprint, number).unwrap_or(NONE);
            self.terms.push((label, next));
        }
        Ok(())
    }

    /// Adds the terms of a parcel that are frequent n-grams.
    pub fn add_frequent_terms(&mut self, parcel: &[u8]) -> Result<()> {
        let mut reader = Reader(parcel);
        while !reader.0.is_empty() {
            let number = reader.number()?;
            let label = store(&mut self.bytes, reader.bytes()?);
            self.frequent.entry(number).or_default().push(label);
        }
        Ok(())
    }

    /// The pairs of a parcel of n-grams from byte `at` on, until they are much; and where to go on.
    pub fn pairs(&self, parcel: &[u8], at: usize) -> Result<(LabelledPairs, usize)> {
        let mut pairs = LabelledPairs::default();
        let mut reader = Reader(parcel.get(at..).ok_or(Error::Parcel)?);
        while !reader.0.is_empty() && !pairs.is_much() {
            let fingerprint = reader.fingerprint()?;
            let start = reader.number()?;
            let super_term = reader.bytes()?;
            let weight = self.weighted.then(|| reader.weight()).transpose()?;
            let mut number = self.first.get(&fingerprint).copied().unwrap_or(NONE);
            while let Some(&(label, next)) = self.terms.get(number as usize) {
                pairs.push(label.of(&self.bytes), super_term, start, weight);
                number = next;
            }
        }
        Ok((pairs, parcel.len() - reader.0.len()))
    }

    /// The same of a parcel of terms with the frequent n-grams in them.
    pub fn frequent_pairs(&self, parcel: &[u8], at: usize) -> Result<(LabelledPairs, usize)> {
        let mut pairs = LabelledPairs::default();
        let mut reader = Reader(parcel.get(at..).ok_or(Error::Parcel)?);
        while !reader.0.is_empty() && !pairs.is_much() {
            let super_term = reader.bytes()?;
            let weight = self.weighted.then(|| reader.weight()).transpose()?;
            for _ in 0..reader.number()? {
                let (number, start) = (reader.number()?, reader.number()?);
                for label in self.frequent.get(&number).into_iter().flatten() {
                    pairs.push(label.of(&self.bytes), super_term, start, weight);
                }
            }
        }
        Ok((pairs, parcel.len() - reader.0.len()))
    }
}

fn store(bytes: &mut Vec<u8>, stretch: &[u8]) -> Place {
    let start = bytes.len();
    bytes.extend_from_slice(stretch);
    Place { start, length: stretch.len() as u32 }
}

fn put_fingerprint(parcel: &mut Vec<u8>, fingerprint: u128) {
    parcel.extend_from_slice(&fingerprint.to_le_bytes());
}

fn put_weight(parcel: &mut Vec<u8>, weight: f64) {
    parcel.extend_from_slice(&weight.to_le_bytes());
}

/// Seven bits in a byte, the lower ones first; all bytes but the last have the upper bit set.
fn put_number(parcel: &mut Vec<u8>, mut number: u32) {
    while number > 127 {
        parcel.push(number as u8 | 128);
        number >>= 7;
    }
    parcel.push(number as u8);
}

fn put_bytes(parcel: &mut Vec<u8>, bytes: &[u8]) {
    put_number(parcel, bytes.len() as u32);
    parcel.extend_from_slice(bytes);
}

/// What is left to read of a parcel.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Error::Parcel)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn fingerprint(&mut self) -> Result<u128> {
        self.take().map(u128::from_le_bytes)
    }

    fn weight(&mut self) -> Result<f64> {
        self.take().map(f64::from_le_bytes)
    }

    fn number(&mut self) -> Result<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let [byte] = self.take()?;
            number |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Error::Parcel)
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.number()? as usize;
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Error::Parcel)?;
        self.0 = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::entries::List;
    use crate::build::pipeline::Build;
    use crate::join::fingerprint::mix;
    use crate::{Fingerprinter, KEY_BYTES, Options, TermId};

    fn analyzer(options: Options) -> TermAnalyzer {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        TermAnalyzer { options, normalizer: None, fingerprinter }
    }

    /// Entries of all lengths over two words in two cases, some of them more than once.
    fn entries(count: usize) -> Vec<String> {
        let mut number = 1u64;
        let mut list = Vec::new();
        for _ in 0..count {
            number = mix(number);
            let length = if number.is_multiple_of(10) { 40 } else { 1 + number % 6 };
            let word = |i| ["a", "b", "A", "b"][(mix(number + i) % 4) as usize];
            list.push((0..length).map(word).collect::<Vec<_>>().join(" "));
        }
        list
    }

    const PARTS: usize = 3;

    /// Both exchanges, between two machines and three parts.
    fn join(
        analyzer: &TermAnalyzer,
        entries: &[String],
        frequent: &[&str],
    ) -> Vec<(String, String, u32)> {
        let table = || TermTable::new(false, true);
        let mut parts: Vec<TermTable> = (0..PARTS).map(|_| table()).collect();
        for share in entries.chunks(entries.len().div_ceil(2)) {
            let mut terms = TermSender::new(PARTS, false, true);
            let list: List = share.iter().map(String::as_str).collect();
            terms.add(analyzer, &list, |_| &[], |_| 1.0).unwrap();
            for (part, parcel) in parts.iter_mut().zip(terms.take()) {
                part.add_parcel(&parcel).unwrap();
            }
        }
        let total: f64 = parts.iter().flat_map(|part| &part.terms).map(|term| term.weight).sum();
        assert_eq!(total, entries.len() as f64);
        assert_eq!(parts.iter().map(|part| part.entries).sum::<u64>(), entries.len() as u64);
        let list = List::from_iter(frequent.iter().copied());
        let mut fingerprints = Vec::new();
        let each = |_, _: &str, _, fingerprint| fingerprints.push(fingerprint);
        analyzer.visit_fingerprints(&list, each).unwrap();
        let frequent = FrequentNGrams::new(fingerprints.into_iter());
        let outgoing: Vec<Outgoing> = parts
            .iter()
            .map(|part| {
                let (out, next) = part.outgoing(analyzer, 0, PARTS, None, &frequent).unwrap();
                assert_eq!(next, part.len());
                out
            })
            .collect();
        let mut found = Vec::new();
        for part in 0..PARTS {
            let mut maker = PairMaker::new(true);
            for out in &outgoing {
                maker.add_terms(&out.terms[part]).unwrap();
                maker.add_frequent_terms(&out.frequent_terms).unwrap();
            }
            for out in &outgoing {
                for (pairs, _) in [
                    maker.pairs(&out.ngrams[part], 0).unwrap(),
                    maker.frequent_pairs(&out.frequent_ngrams[part], 0).unwrap(),
                ] {
                    let text =
                        |labels: &Labels, i| String::from_utf8(labels.get(i).to_vec()).unwrap();
                    for i in 0..pairs.start.len() {
                        found.push((
                            text(&pairs.nested, i),
                            text(&pairs.supers, i),
                            pairs.start[i],
                        ));
                    }
                    assert_eq!(pairs.weight.len(), pairs.start.len());
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn both_exchanges_give_all_pairs() {
        for lowercase in [false, true] {
            let options = Options { lowercase, ..Options::default() };
            let entries = entries(400);
            let list: List = entries.iter().map(String::as_str).collect();
            let build = Build { options: options.clone(), ..Build::default() };
            let index = build.index(&list, None).unwrap();
            let pairs = index.pairs(false, 1).unwrap();
            let term = |id: u32| index.surface(TermId(id)).unwrap();
            let mut expected: Vec<(String, String, u32)> = (0..pairs.nested.len())
                .map(|i| (term(pairs.nested[i]), term(pairs.supers[i]), pairs.starts[i]))
                .collect();
            expected.sort_unstable();
            assert!(expected.len() > 1000);
            // A frequent n-gram need not be a term.
            for frequent in [&["a", "b", "b b", "x"][..], &[]] {
                assert!(join(&analyzer(options.clone()), &entries, frequent) == expected);
            }
        }
    }

    #[test]
    fn much_work_is_given_in_portions() {
        let analyzer = analyzer(Options::default());
        let long = |i: usize| format!("t{i} {}", "x ".repeat(3000));
        let terms: List = (0..3).map(long).collect::<Vec<_>>().iter().map(String::as_str).collect();
        let mut table = TermTable::new(false, false);
        table.add(&analyzer, &terms, |_| &[], |_| 0.0).unwrap();
        let (mut first, mut portions) = (0, 0);
        while first < table.len() {
            let none = FrequentNGrams::default();
            let (out, next) = table.outgoing(&analyzer, first, 1, None, &none).unwrap();
            assert!(next > first);
            assert!(!out.terms[0].is_empty());
            (first, portions) = (next, portions + 1);
        }
        assert_eq!((first, portions), (3, 3));
    }

    #[test]
    fn the_least_label_is_taken_and_weights_add_up() {
        let analyzer = analyzer(Options::default());
        let mut table = TermTable::new(true, true);
        let labels: [&[u8]; 3] = [b"7", b"3", b"5"];
        let list = List::from_iter(["a b", "a  b", "c"]);
        table.add(&analyzer, &list, |row| labels[row], |row| row as f64 + 1.0).unwrap();
        let (labels, lengths, weights, next) = table.rows(0);
        assert_eq!(
            (labels.bytes.as_slice(), &lengths[..], &weights[..], next),
            (&b"35"[..], &[2, 1][..], &[3.0, 3.0][..], 2)
        );
    }

    #[test]
    fn a_parcel_that_was_cut_is_an_error() {
        let analyzer = analyzer(Options::default());
        let mut sender = TermSender::new(1, false, false);
        sender.add(&analyzer, &List::from_iter(["a b", "c"]), |_| &[], |_| 0.0).unwrap();
        let parcel = sender.take().remove(0);
        assert!(!sender.is_full() && sender.take()[0].is_empty());
        for length in 1..parcel.len() {
            let mut other = TermTable::new(false, false);
            let cut = other.add_parcel(&parcel[..length]);
            assert!(matches!(cut, Err(Error::Parcel)) || other.len() < 2, "{length}");
        }
    }

    #[test]
    fn a_survey_counts_ngrams_once_a_term_and_enters_terms() {
        let analyzer = analyzer(Options::default());
        let long = "x ".repeat(20);
        let list = List::from_iter(["a b a", "a c", "a", "b a", "not in the sample", &long]);
        let mut sender = TermSender::new(1, false, false);
        sender.add(&analyzer, &list, |_| &[], |_| 0.0).unwrap();
        let mut survey = PartSurvey::new(false, false, 2, 4);
        survey.add_parcel(&analyzer, &sender.take()[0]).unwrap();
        assert_eq!(survey.entries(), 6);
        let fingerprint_of = |text| {
            let mut found = 0;
            let each = |_, _: &str, _, fingerprint| found = fingerprint;
            analyzer.visit_fingerprints(&List::from_iter([text]), each).unwrap();
            found
        };
        let mut counts = survey.counts(4);
        counts.sort_unstable_by_key(|&(_, count)| count);
        assert_eq!(counts, [(fingerprint_of("b"), 2), (fingerprint_of("a"), 3)]);
        // "a", "b", "c", "a b" and "b a"
        assert_eq!(survey.counts(5).len(), 5);
        // A term of 20 tokens has entries for its first 8 and 16 too.
        assert_eq!(survey.filter().iter().map(Vec::len).sum::<usize>(), 6 + 2);
        assert!(survey.filter()[0].iter().all(|&entry| entry < 1 << 63));
        assert!(survey.filter()[1].iter().all(|&entry| entry >= 1 << 63));
    }
}
