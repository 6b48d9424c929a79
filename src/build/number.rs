//! Steps 2 and 3 of a build: the distinct tokens get their ids, and the entries that have tokens become
//! terms.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::analysis::{Case, Spaces, is_capitals};
use crate::arrays::dictionary::Layout;
use crate::arrays::forms::TokenForms;
use crate::arrays::pieces::pieces;
use crate::build::Build;
use crate::build::intern::{self, Interned, Occurrences, Partitions};
use crate::build::names::Sources;
use crate::build::split::SplitPart;
use crate::build::suffixes;
use crate::build::terms::{CAPITALS, Terms, WholeSurfaces};
use crate::error::{Error, Result};
use crate::progress::Stage;
use crate::threads::run;
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS};

/// Marks a token whose normal form is empty, while ids are assigned.
const DROPPED: u32 = u32::MAX;
/// Marks a token whose form is not listed, while the forms are numbered.
const NOT_LISTED: u8 = u8::MAX;

/// The most tokens whose normal forms are sampled.
const MAX_SAMPLE: usize = 10_000;

/// The distinct tokens, and what [`suffixes::sort`] needs of them.
pub(super) struct TokenTable {
    /// The tokens one after the other, in order, and the length of each.
    pub(super) text: Vec<u8>,
    pub(super) lengths: Vec<u32>,
    /// How each is written.
    pub(super) forms: TokenForms,
    pub(super) layout: Layout,
    /// The first slot of each token's bucket, by the numbers of the layout; and the end of all.
    pub(super) buckets: Vec<u32>,
    /// All positions, in the buckets of their tokens.
    pub(super) dealt: Vec<u32>,
    /// The white space that neither the tokens as they are written contain, nor the surfaces that are
    /// stored whole.
    pub(super) spaces: Spaces,
}

impl Build {
    /// The terms, with their tokens as ids, and the distinct tokens.
    pub(super) fn number(
        &self,
        parts: Vec<SplitPart>,
        sources: &Sources,
        weights: Option<&[f64]>,
        threads: usize,
    ) -> Result<(Terms, TokenTable)> {
        let total = parts.iter().map(|part| part.occurrences.len()).sum();
        self.check_capacity(total)?;
        self.progress.begin(Stage::SortingTokens, total as u64)?;
        let mut occurrences = Vec::with_capacity(parts.len());
        let mut token_counts = Vec::with_capacity(parts.len());
        let mut whole = WholeSurfaces::default();
        let mut before = 0;
        for part in parts {
            for (entry, surface) in part.whole.iter() {
                whole.entries.push(before + entry);
                whole.surfaces.push(surface);
            }
            before += part.token_counts.len() as u32;
            occurrences.push(part.occurrences);
            token_counts.push(part.token_counts);
        }
        let interned = intern::intern(occurrences, threads, &self.progress)?;
        // The joined readings are not shown anywhere.
        whole.keep_before(sources.shown() as u32);
        let normalizes = self.options.normalizes() || self.options.joined_reading().is_some();
        let (keys, forms, tokens) = if normalizes || self.normalizer.is_some() {
            let shown = sources.shown();
            let (mut keys, tokens, forms) =
                self.normalize(interned, &mut token_counts, &mut whole, shown, threads)?;
            for number in &mut keys {
                *number = tokens.layout.ids[*number as usize];
            }
            (keys, forms, tokens)
        } else {
            let (keys, tokens) = self.assign_ids(interned, &whole, threads)?;
            (keys, Vec::new(), tokens)
        };
        check_term_lengths(&token_counts, sources)?;
        let terms =
            Terms::new(keys, forms, &token_counts, weights, whole, sources, &self.progress)?;
        Ok((terms, tokens))
    }

    /// Normalises the distinct tokens. Returns for every token that is not dropped the number of its
    /// normal form in the layout; the distinct normal forms; and for every token the number of the form
    /// in which it is written, with [`CAPITALS`] if that matters, or nothing if all numbers are 0. The
    /// first `shown` names are shown somewhere.
    fn normalize(
        &self,
        mut interned: Interned,
        token_counts: &mut [Vec<u16>],
        whole: &mut WholeSurfaces,
        shown: usize,
        threads: usize,
    ) -> Result<(Vec<u32>, TokenTable, Vec<u8>)> {
        let mut numbers = interned.numbers(threads)?;
        let Interned { text: written_text, lengths: written_lengths, .. } = interned;
        let normal_forms = self.normal_forms(&written_text, &written_lengths, threads)?;
        let (text, lengths, tokens_of_written) = self.number_forms(&normal_forms, threads)?;
        let written: Vec<&str> = texts(&written_text, &written_lengths)?;
        let normal: Vec<&str> = texts(&text, &lengths)?;
        let shown_counts = || token_counts.iter().flatten().take(shown).copied();
        let shown_tokens: usize = shown_counts().map(usize::from).sum();
        let mut is_shown = vec![shown_tokens == numbers.len(); written.len()];
        if shown_tokens < numbers.len() {
            numbers[..shown_tokens].iter().for_each(|&number| is_shown[number as usize] = true);
        }
        let (forms, mut form_numbers) =
            list_forms(&normal, &written, &tokens_of_written, &is_shown);
        self.store_whole_entries(&numbers, shown_counts(), &written, &form_numbers, whole);
        let kept = |&(number, _): &(usize, &&str)| {
            tokens_of_written[number] != DROPPED && is_shown[number]
        };
        let kept = written.iter().enumerate().filter(kept);
        let spaces = self.options.white_space_separates(
            kept.map(|(_, text)| text.as_bytes()).chain([whole.surfaces.text().as_bytes()]),
        );
        for (number, text) in form_numbers.iter_mut().zip(&written) {
            if *number == NOT_LISTED {
                *number = 0;
            }
            if self.options.case == Case::Smart && is_capitals(text) {
                *number |= CAPITALS;
            }
        }

        let layout = Layout::new(&text, &lengths, &forms, threads)?;
        let mut entry_forms = match form_numbers.iter().all(|&number| number == 0) {
            true => Vec::new(),
            false => numbers.iter().map(|&written| form_numbers[written as usize]).collect(),
        };
        for number in &mut numbers {
            *number = match tokens_of_written[*number as usize] {
                DROPPED => DROPPED,
                token => layout.numbers[token as usize],
            };
        }
        drop_empty_forms(&mut numbers, &mut entry_forms, token_counts);
        let mut counts = vec![0; lengths.len()];
        numbers.iter().for_each(|&number| counts[number as usize] += 1);
        let buckets = suffixes::starts(&counts);
        let dealt = suffixes::deal(&numbers, &buckets);
        let tokens = TokenTable { text, lengths, forms, layout, buckets, dealt, spaces };
        Ok((numbers, tokens, entry_forms))
    }

    /// Numbers the distinct normal forms: their text, their lengths, and for every token the number of its
    /// form. Several tokens can have the same form, so the forms are interned again.
    fn number_forms(
        &self,
        normal_forms: &[Cow<str>],
        threads: usize,
    ) -> Result<(Vec<u8>, Vec<u32>, Vec<u32>)> {
        let sample: Vec<&str> = normal_forms
            .iter()
            .step_by(normal_forms.len() / MAX_SAMPLE + 1)
            .map(AsRef::as_ref)
            .collect();
        let partitions = Partitions::new(&sample, normal_forms.len());
        let mut occurrences = Occurrences::new(&partitions, normal_forms.len());
        normal_forms.iter().for_each(|form| occurrences.push(&partitions, form));
        let mut interned = intern::intern(vec![occurrences], threads, &self.progress)?;
        let mut tokens_of_written = interned.numbers(threads)?;
        let Interned { text, mut lengths, .. } = interned;
        // The empty form, if there is one, is the first. It is not a token.
        let dropped = u32::from(lengths.first() == Some(&0));
        lengths.drain(..dropped as usize);
        for token in &mut tokens_of_written {
            *token = token.checked_sub(dropped).unwrap_or(DROPPED);
        }
        Ok((text, lengths, tokens_of_written))
    }

    /// Adds the entries with a token that is dropped, or is written in a form that is not listed: their
    /// surfaces cannot be made from their keys.
    fn store_whole_entries(
        &self,
        numbers: &[u32],
        token_counts: impl Iterator<Item = u16>,
        written: &[&str],
        form_numbers: &[u8],
        whole: &mut WholeSurfaces,
    ) {
        if !form_numbers.contains(&NOT_LISTED) {
            return;
        }
        let before = std::mem::take(whole);
        let mut known = before.iter().peekable();
        let mut at = 0;
        for (entry, count) in (0u32..).zip(token_counts) {
            let tokens = &numbers[at..at + count as usize];
            at += count as usize;
            if let Some((_, surface)) = known.next_if(|&(next, _)| next == entry) {
                whole.entries.push(entry);
                whole.surfaces.push(surface);
            } else if tokens.iter().any(|&token| form_numbers[token as usize] == NOT_LISTED) {
                whole.entries.push(entry);
                whole.surfaces.push_with(|surface| {
                    for (i, &token) in tokens.iter().enumerate() {
                        surface.push_str(if i > 0 { self.options.joiner() } else { "" });
                        surface.push_str(written[token as usize]);
                    }
                });
            }
        }
    }

    /// The id of every token, and the distinct tokens, when tokens are matched as they are.
    fn assign_ids(
        &self,
        mut interned: Interned,
        whole: &WholeSurfaces,
        threads: usize,
    ) -> Result<(Vec<u32>, TokenTable)> {
        let forms = TokenForms::default();
        let layout = Layout::new(&interned.text, &interned.lengths, &forms, threads)?;
        let mut counts = vec![0; interned.counts.len()];
        for (&number, &count) in layout.numbers.iter().zip(&interned.counts) {
            counts[number as usize] = count;
        }
        let buckets = suffixes::starts(&counts);
        let (keys, dealt) = interned.deal(&layout, &buckets, threads)?;
        let Interned { text, lengths, .. } = interned;
        let spaces =
            self.options.white_space_separates([&text[..], whole.surfaces.text().as_bytes()]);
        Ok((keys, TokenTable { text, lengths, forms, layout, buckets, dealt, spaces }))
    }

    /// The normal forms of distinct tokens, which are in `text` one after the other.
    fn normal_forms<'a>(
        &self,
        text: &'a [u8],
        lengths: &'a [u32],
        threads: usize,
    ) -> Result<Vec<Cow<'a, str>>> {
        if self.normalizer.is_some() {
            // It is called by one thread at a time.
            return self.normal_forms_of(text, lengths);
        }
        let mut parts = Vec::new();
        let mut rest = text;
        for lengths in lengths.chunks(MAX_SAMPLE) {
            let bytes = lengths.iter().map(|&length| length as usize).sum();
            let (part, after) = rest.split_at_checked(bytes).unwrap_or((rest, &[]));
            parts.push((part, lengths));
            rest = after;
        }
        let forms = run(threads, parts, |(text, lengths)| self.normal_forms_of(text, lengths))?;
        Ok(forms.into_iter().flatten().collect())
    }

    /// [`Builder::normal_forms`] in one thread.
    fn normal_forms_of<'a>(&self, text: &'a [u8], lengths: &'a [u32]) -> Result<Vec<Cow<'a, str>>> {
        let mut forms: Vec<Cow<str>> = Vec::with_capacity(lengths.len());
        // Only tokens of joined readings have hyphens, and normal forms of their own.
        let joined = self.options.joined_reading();
        let options = joined.as_ref().unwrap_or(&self.options);
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
            let mut form = options.normal_form(token);
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

/// The texts of distinct tokens, which are in `text` one after the other.
fn texts<'a>(text: &'a [u8], lengths: &'a [u32]) -> Result<Vec<&'a str>> {
    // They were split from text, so they are text.
    let as_text = |token| std::str::from_utf8(token).map_err(|_| Error::out_of_range("tokens"));
    pieces(text, lengths).map(as_text).collect()
}

/// The forms in which each token is written where it is shown, and for each written token the number of
/// its form, or [`NOT_LISTED`]. `token_of` has the token of each written one, or [`DROPPED`].
fn list_forms(
    tokens: &[&str],
    written: &[&str],
    token_of: &[u32],
    is_shown: &[bool],
) -> (TokenForms, Vec<u8>) {
    let kept = || {
        let all = (0u32..).zip(token_of).zip(is_shown);
        all.filter(|&((_, &token), &shown)| shown && token != DROPPED).map(|(token, _)| token)
    };
    let mut counts = vec![0; tokens.len()];
    kept().for_each(|(_, &token)| counts[token as usize] += 1);
    let starts = suffixes::starts(&counts);
    let mut next = starts.clone();
    // The written tokens by token. Those of one token stay in the order of their bytes.
    let mut by_token = vec![0u32; starts[tokens.len()] as usize];
    for (number, token) in kept() {
        let place = &mut next[*token as usize];
        by_token[*place as usize] = number;
        *place += 1;
    }
    let mut forms = TokenForms::default();
    let mut numbers = vec![NOT_LISTED; written.len()];
    let (mut texts, mut listed) = (Vec::new(), Vec::new());
    for (token, range) in tokens.iter().zip(starts.windows(2)) {
        let own = &by_token[range[0] as usize..range[1] as usize];
        texts.clear();
        texts.extend(own.iter().map(|&number| written[number as usize]));
        forms.push(token, &texts, &mut listed);
        for (&number, &form) in own.iter().zip(&listed) {
            numbers[number as usize] = form.unwrap_or(NOT_LISTED);
        }
    }
    (forms, numbers)
}

/// Removes the tokens marked [`DROPPED`] from `keys` and `forms`, and from the counts of their entries.
fn drop_empty_forms(keys: &mut Vec<u32>, forms: &mut Vec<u8>, token_counts: &mut [Vec<u16>]) {
    let (mut read, mut written) = (0, 0);
    for count in token_counts.iter_mut().flatten() {
        let (end, first) = (read + *count as usize, written);
        for at in read..end {
            if keys[at] != DROPPED {
                keys[written] = keys[at];
                if let Some(&form) = forms.get(at) {
                    forms[written] = form;
                }
                written += 1;
            }
        }
        read = end;
        *count = (written - first) as u16;
    }
    keys.truncate(written);
    forms.truncate(written);
}

/// Refuses names of too many tokens.
fn check_term_lengths(token_counts: &[Vec<u16>], sources: &Sources) -> Result<()> {
    let mut counts = token_counts.iter().flatten().enumerate();
    match counts.find(|&(_, &count)| count as usize > MAX_TERM_TOKENS) {
        Some((number, &count)) => Err(sources.too_many_tokens(number, count.into())),
        None => Ok(()),
    }
}
