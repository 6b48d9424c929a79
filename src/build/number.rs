//! Steps 2 and 3 of a build: the distinct tokens get their ids, and the entries that have tokens become
//! terms.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::arrays::dictionary::{Layout, pieces};
use crate::build::Build;
use crate::build::entries::Entries;
use crate::build::intern::{self, Interned, Occurrences, Partitions};
use crate::build::split::SplitPart;
use crate::build::suffixes;
use crate::build::terms::Terms;
use crate::error::{Error, Result};
use crate::progress::Stage;
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS};

/// Marks a token whose normal form is empty, while ids are assigned.
const DROPPED: u32 = u32::MAX;

/// The most tokens whose normal forms are sampled.
const MAX_SAMPLE: usize = 10_000;

/// The distinct tokens, and what [`suffixes::sort`] needs of them.
pub(super) struct TokenTable {
    /// The tokens one after the other, in order, and the length of each.
    pub(super) text: Vec<u8>,
    pub(super) lengths: Vec<u32>,
    pub(super) layout: Layout,
    /// The first slot of each token's bucket, by the numbers of the layout; and the end of all.
    pub(super) buckets: Vec<u32>,
    /// All positions, in the buckets of their tokens.
    pub(super) dealt: Vec<u32>,
}

impl Build {
    /// The terms, with their tokens as ids, and the distinct tokens.
    pub(super) fn number(
        &self,
        parts: Vec<SplitPart>,
        entries: &dyn Entries,
        weights: Option<&[f64]>,
        threads: usize,
    ) -> Result<(Terms, TokenTable)> {
        let total = parts.iter().map(|part| part.occurrences.len()).sum();
        self.check_capacity(total)?;
        self.progress.begin(Stage::SortingTokens, total as u64)?;
        let mut occurrences = Vec::with_capacity(parts.len());
        let mut token_counts = Vec::with_capacity(parts.len());
        let mut surfaces = Vec::with_capacity(parts.len());
        for part in parts {
            occurrences.push(part.occurrences);
            token_counts.push(part.token_counts);
            surfaces.extend(part.surfaces);
        }
        let interned = intern::intern(occurrences, threads, &self.progress)?;
        let (keys, tokens) = if self.options.normalizes() || self.normalizer.is_some() {
            let (mut numbers, mut tokens) = self.normalize(interned, threads)?;
            drop_empty_forms(&mut numbers, &mut token_counts);
            tokens.dealt = suffixes::deal(&numbers, &tokens.buckets);
            for number in &mut numbers {
                *number = tokens.layout.ids[*number as usize];
            }
            (numbers, tokens)
        } else {
            assign_ids(interned, threads)?
        };
        check_term_lengths(&token_counts, entries)?;
        let surfaces = self.stores_surfaces().then_some(surfaces);
        Ok((Terms::new(keys, &token_counts, weights, surfaces, &self.progress)?, tokens))
    }

    /// Normalises the distinct tokens. Returns for every token the number of its normal form in the
    /// layout, or [`DROPPED`]; and the distinct normal forms, with nothing dealt yet.
    fn normalize(&self, mut interned: Interned, threads: usize) -> Result<(Vec<u32>, TokenTable)> {
        let mut numbers = interned.numbers(threads)?;
        let Interned { text, lengths, .. } = interned;
        let forms = self.normal_forms(&text, &lengths)?;
        // Several tokens can have the same form, so the forms are interned again.
        let sample: Vec<&str> =
            forms.iter().step_by(forms.len() / MAX_SAMPLE + 1).map(|form| form.as_ref()).collect();
        let partitions = Partitions::new(&sample, forms.len());
        let mut occurrences = Occurrences::new(&partitions, forms.len());
        forms.iter().for_each(|form| occurrences.push(&partitions, form));
        let mut interned = intern::intern(vec![occurrences], threads, &self.progress)?;
        let form_numbers = interned.numbers(threads)?;
        let Interned { text, mut lengths, .. } = interned;
        // The empty form, if there is one, is the first. It is not a token.
        let dropped = usize::from(lengths.first() == Some(&0));
        lengths.drain(..dropped);
        let layout = Layout::new(&text, &lengths, threads)?;
        for number in &mut numbers {
            *number = match form_numbers[*number as usize].checked_sub(dropped as u32) {
                Some(form) => layout.numbers[form as usize],
                None => DROPPED,
            };
        }
        let mut counts = vec![0; lengths.len()];
        let kept = numbers.iter().filter(|&&number| number != DROPPED);
        kept.for_each(|&number| counts[number as usize] += 1);
        let buckets = suffixes::starts(&counts);
        Ok((numbers, TokenTable { text, lengths, layout, buckets, dealt: Vec::new() }))
    }

    /// The normal forms of distinct tokens, which are in `text` one after the other.
    fn normal_forms<'a>(&self, text: &'a [u8], lengths: &'a [u32]) -> Result<Vec<Cow<'a, str>>> {
        let mut forms: Vec<Cow<str>> = Vec::with_capacity(lengths.len());
        // The results of the user's function, by argument: tokens that differ in case only have the same
        // form under the options, and the function is called once for it.
        let mut results: HashMap<String, String> = HashMap::new();
        for token in pieces(text, lengths) {
            // The user's function may take long for each token.
            if self.normalizer.is_some() || forms.len().is_multiple_of(1024) {
                self.progress.check()?;
            }
            // The distinct tokens were split from text, so they are text.
            let token = std::str::from_utf8(token).map_err(|_| Error::out_of_range("tokens"))?;
            let mut form = self.options.normal_form(token);
            if let Some(normalizer) = &self.normalizer
                && !form.is_empty()
            {
                let result = match results.get(form.as_ref()) {
                    Some(result) => String::clone(result),
                    None => {
                        let result = normalizer.normalize(&form)?;
                        results.insert(form.into_owned(), result.clone());
                        result
                    }
                };
                form = Cow::Owned(result);
            }
            if form.len() > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: form.len() });
            }
            forms.push(form);
        }
        Ok(forms)
    }
}

/// The id of every token, and the distinct tokens, when tokens are matched as they are.
fn assign_ids(mut interned: Interned, threads: usize) -> Result<(Vec<u32>, TokenTable)> {
    let layout = Layout::new(&interned.text, &interned.lengths, threads)?;
    let mut counts = vec![0; interned.counts.len()];
    for (&number, &count) in layout.numbers.iter().zip(&interned.counts) {
        counts[number as usize] = count;
    }
    let buckets = suffixes::starts(&counts);
    let (keys, dealt) = interned.deal(&layout, &buckets, threads)?;
    let Interned { text, lengths, .. } = interned;
    Ok((keys, TokenTable { text, lengths, layout, buckets, dealt }))
}

/// Removes the tokens marked [`DROPPED`] from `keys`, and from the counts of their entries.
fn drop_empty_forms(keys: &mut Vec<u32>, token_counts: &mut [Vec<u16>]) {
    let (mut read, mut written) = (0, 0);
    for count in token_counts.iter_mut().flatten() {
        let (end, first) = (read + *count as usize, written);
        for at in read..end {
            if keys[at] != DROPPED {
                keys[written] = keys[at];
                written += 1;
            }
        }
        read = end;
        *count = (written - first) as u16;
    }
    keys.truncate(written);
}

/// Refuses terms of too many tokens.
fn check_term_lengths(token_counts: &[Vec<u16>], entries: &dyn Entries) -> Result<()> {
    let mut before = 0;
    for counts in token_counts {
        if let Some(i) = counts.iter().position(|&count| count as usize > MAX_TERM_TOKENS) {
            let place = entries.place(before + i as u64);
            return Err(Error::TermTokens { place, found: counts[i] as usize });
        }
        before += counts.len() as u64;
    }
    Ok(())
}
