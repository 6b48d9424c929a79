//! The normal forms of the distinct tokens, and how each is written in the terms.

use std::collections::HashMap;
use std::ops::Range;

use crate::MAX_TERM_BYTES;
use crate::arrays::forms::TokenForms;
use crate::build::Build;
use crate::build::entries::{List, cut_evenly};
use crate::build::intern::{self, Interned, Occurrences, Partitions};
use crate::build::removed::Removed;
use crate::build::suffixes;
use crate::error::{Error, Result};
use crate::threads::{run, threads_for};

/// Marks a token whose normal form is empty.
pub(super) const DROPPED: u32 = u32::MAX;
/// Marks a token whose form is not listed, while the forms are numbered.
pub(super) const NOT_LISTED: u8 = u8::MAX;

/// The most tokens whose normal forms are sampled.
const MAX_SAMPLE: usize = 10_000;
/// For each thread the parts of the distinct tokens: more than one, as some take longer than others.
const PARTS_PER_THREAD: usize = 4;

/// Distinct texts, which are stored one after the other.
pub(super) struct Distinct<'a> {
    text: &'a str,
    /// Where each begins; at the end, where the last ends.
    starts: Vec<usize>,
}

impl<'a> Distinct<'a> {
    pub(super) fn new(text: &'a [u8], lengths: &[u32]) -> Result<Distinct<'a>> {
        // They were split from text, so they are text.
        let text = std::str::from_utf8(text).map_err(|_| Error::out_of_range("tokens"))?;
        let mut end = 0;
        let ends = lengths.iter().map(|&length| {
            end += length as usize;
            end
        });
        Ok(Distinct { text, starts: [0].into_iter().chain(ends).collect() })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(super) fn get(&self, i: usize) -> &'a str {
        &self.text[self.starts[i]..self.starts[i + 1]]
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }
}

/// The distinct normal forms of written tokens.
pub(super) struct NormalForms {
    /// The forms one after the other, in order, without the empty one.
    pub(super) text: Vec<u8>,
    /// The length of each in bytes.
    pub(super) lengths: Vec<u32>,
    /// For each written token the number of its normal form, or [`DROPPED`].
    pub(super) token_of: Vec<u32>,
    /// The written tokens by normal form; those of one form in the order of their bytes.
    by_token: Vec<u32>,
    /// Where those of each form begin in `by_token`; at the end, where the last ones end.
    starts: Vec<u32>,
}

impl NormalForms {
    /// The numbers of the written tokens with a normal form.
    #[inline]
    pub(super) fn written(&self, token: usize) -> &[u32] {
        &self.by_token[self.starts[token] as usize..self.starts[token + 1] as usize]
    }

    /// Whether some written tokens have no normal form.
    pub(super) fn any_dropped(&self) -> bool {
        self.starts[0] > 0
    }

    /// The forms in which each token is written where it is shown, and for each written token the number
    /// of its form, or [`NOT_LISTED`]. `is_shown` is for each written token, or None if all are shown.
    pub(super) fn list(
        &self,
        written: &Distinct,
        is_shown: Option<&[bool]>,
        threads: usize,
    ) -> Result<(TokenForms, Vec<u8>)> {
        let tokens = Distinct::new(&self.text, &self.lengths)?;
        let is_shown = |number: u32| is_shown.is_none_or(|shown| shown[number as usize]);
        let threads = threads_for(written.len(), threads);
        let parts = cut_evenly(tokens.len(), threads * PARTS_PER_THREAD);
        let listed = run(threads, parts, |part| {
            let mut forms = TokenForms::default();
            let (mut texts, mut listed) = (Vec::new(), Vec::new());
            // Those of the written tokens, in the order of `by_token`.
            let mut numbers: Vec<u8> = Vec::new();
            for token in part.clone() {
                let own = self.written(token);
                texts.clear();
                let shown = own.iter().filter(|&&number| is_shown(number));
                texts.extend(shown.map(|&number| written.get(number as usize)));
                forms.push(tokens.get(token), &texts, &mut listed);
                let mut listed = listed.iter().map(|form| form.unwrap_or(NOT_LISTED));
                numbers.extend(own.iter().map(|&number| match is_shown(number) {
                    true => listed.next().unwrap_or(NOT_LISTED),
                    false => NOT_LISTED,
                }));
            }
            Ok((self.starts[part.start] as usize, forms, numbers))
        })?;
        let mut forms = TokenForms::default();
        let mut numbers = vec![NOT_LISTED; written.len()];
        for (first, part, part_numbers) in listed {
            forms.append(part);
            for (&written, number) in self.by_token[first..].iter().zip(part_numbers) {
                numbers[written as usize] = number;
            }
        }
        Ok((forms, numbers))
    }
}

impl Build {
    /// The normal forms of distinct tokens, which are in `text` one after the other.
    pub(super) fn normal_forms(
        &self,
        text: &[u8],
        lengths: &[u32],
        threads: usize,
    ) -> Result<NormalForms> {
        let written = Distinct::new(text, lengths)?;
        let count = written.len();
        let threads = threads_for(64 * count, threads);
        let parts = match self.normalizer {
            // It is called by one thread at a time, and once for each argument.
            Some(_) => 1,
            None => threads * PARTS_PER_THREAD,
        };
        let parts = cut_evenly(count, parts);
        let forms = run(threads, parts, |part| self.normal_forms_of(&written, part))?;
        // Several tokens can have the same form, so the forms are interned too.
        let step = count / MAX_SAMPLE + 1;
        let sampled = |list: &List| (0..list.len()).step_by(step).collect::<Vec<_>>();
        let sample: Vec<&str> =
            forms.iter().flat_map(|list| sampled(list).into_iter().map(|i| list.get(i))).collect();
        let partitions = Partitions::new(&sample, count);
        let occurrences = run(threads, forms.iter().collect(), |forms: &List| {
            let mut occurrences = Occurrences::new(&partitions, forms.len());
            forms.iter().for_each(|form| occurrences.push(&partitions, form));
            Ok(occurrences)
        })?;
        let mut interned = intern::intern(occurrences, threads, &self.progress)?;
        let mut starts = suffixes::starts(&interned.counts);
        let all = Removed::new(&[], count);
        let (mut token_of, by_token) =
            interned.deal(|token| (token, starts[token as usize]), &all, count, threads)?;
        let Interned { text, mut lengths, .. } = interned;
        // The empty form, if there is one, is the first. It is not a token.
        if lengths.first() == Some(&0) {
            lengths.remove(0);
            starts.remove(0);
            for token in &mut token_of {
                *token = token.checked_sub(1).unwrap_or(DROPPED);
            }
        }
        Ok(NormalForms { text, lengths, token_of, by_token, starts })
    }

    /// The normal forms of some of the tokens.
    fn normal_forms_of(&self, tokens: &Distinct, part: Range<usize>) -> Result<List> {
        let mut forms = List::default();
        // Only tokens of joined readings have hyphens, and normal forms of their own.
        let joined = self.options.joined_reading();
        let options = joined.as_ref().unwrap_or(&self.options);
        // The results of the user's function, by argument: tokens that differ in case only have the same
        // form under the options, and the function is called once for it.
        let mut results: HashMap<String, String> = HashMap::new();
        for token in part {
            // The user's function may take long for each token.
            if self.normalizer.is_some() || token.is_multiple_of(1024) {
                self.progress.check()?;
            }
            let token = tokens.get(token);
            if self.normalizer.is_none() && options.only_lowers(token) {
                forms.push_with(|text| {
                    text.push_str(token);
                    let start = text.len() - token.len();
                    text[start..].make_ascii_lowercase();
                });
                continue;
            }
            let form = options.normal_form(token);
            let before = forms.text().len();
            match &self.normalizer {
                Some(normalizer) if !form.is_empty() => match results.get(form.as_ref()) {
                    Some(result) => forms.push(result),
                    None => {
                        let result = normalizer.normalize(&form)?;
                        forms.push(&result);
                        results.insert(form.into_owned(), result);
                    }
                },
                _ => forms.push(&form),
            }
            let length = forms.text().len() - before;
            if length > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: length });
            }
        }
        Ok(forms)
    }
}
