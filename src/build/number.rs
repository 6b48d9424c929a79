//! Steps 2 and 3 of a build: the distinct tokens get their ids, and the entries that have tokens become
//! terms.

use std::sync::atomic::Ordering::Relaxed;

use crate::MAX_TERM_TOKENS;
use crate::analysis::{Case, Spaces, is_capitals};
use crate::arrays::dictionary::Layout;
use crate::arrays::forms::TokenForms;
use crate::build::Build;
use crate::build::intern::{self, Interned};
use crate::build::names::Sources;
use crate::build::normal_forms::{DROPPED, Distinct, NOT_LISTED, NormalForms};
use crate::build::removed::Removed;
use crate::build::split::SplitPart;
use crate::build::suffixes;
use crate::build::terms::{CAPITALS, Terms, WholeSurfaces};
use crate::error::Result;
use crate::progress::Stage;
use crate::threads::{run, threads_for};

/// The distinct tokens in a task of a few steps for each.
const TOKENS_PER_TASK: usize = 1 << 16;
/// The positions in a task of a few steps for each.
const POSITIONS_PER_TASK: usize = 1 << 18;

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
                whole.push(before + entry, surface);
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
            let (keys, tokens, forms) =
                self.normalize(interned, &mut token_counts, &mut whole, shown, threads)?;
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

    /// Normalises the distinct tokens. Returns for every token that is not dropped its id; the distinct
    /// normal forms; and for every token the number of the form in which it is written, with [`CAPITALS`]
    /// if that matters, or nothing if all numbers are 0. The first `shown` names are shown somewhere.
    fn normalize(
        &self,
        mut interned: Interned,
        token_counts: &mut [Vec<u16>],
        whole: &mut WholeSurfaces,
        shown: usize,
        threads: usize,
    ) -> Result<(Vec<u32>, TokenTable, Vec<u8>)> {
        let normal = self.normal_forms(&interned.text, &interned.lengths, threads)?;
        let written_text = std::mem::take(&mut interned.text);
        let written = Distinct::new(&written_text, &interned.lengths)?;
        let shown_counts = token_counts.iter().flatten().take(shown);
        let shown_tokens = shown_counts.map(|&count| usize::from(count)).sum();
        let is_shown = match shown_tokens < interned.total() {
            true => Some(interned.occur_before(shown_tokens, threads)?),
            false => None,
        };
        let (forms, mut form_numbers) = normal.list(&written, is_shown.as_deref(), threads)?;
        let layout = Layout::new(&normal.text, &normal.lengths, &forms, threads)?;
        let (ids, slots, buckets) = places_of_written(&normal, &layout, &interned.counts, threads)?;
        let positions = |is_wanted: &(dyn Fn(usize) -> bool + Sync), end| {
            interned.positions_of(|number| is_wanted(number as usize), end, threads)
        };
        let dropped = match normal.any_dropped() {
            true => positions(&|number| normal.token_of[number] == DROPPED, interned.total())?,
            false => Vec::new(),
        };
        let not_listed = match form_numbers.contains(&NOT_LISTED) {
            true => positions(&|number| form_numbers[number] == NOT_LISTED, shown_tokens)?,
            false => Vec::new(),
        };
        let removed = Removed::new(&dropped, interned.total());
        let staying = interned.total() - dropped.len();
        let slots = |number: u32| (number, slots[number as usize]);
        let (mut numbers, dealt) = interned.deal(slots, &removed, staying, threads)?;
        self.store_whole_entries(&numbers, token_counts, &written, &not_listed, whole);
        let spaces = self.spaces_of_written(&written, whole, |number| {
            normal.token_of[number] != DROPPED
                && is_shown.as_ref().is_none_or(|is_shown| is_shown[number])
        });
        self.finish_form_numbers(&mut form_numbers, &written, threads)?;
        let mut entry_forms = match form_numbers.iter().all(|&number| number == 0) {
            true => Vec::new(),
            false => vec![0; numbers.len()],
        };
        // From numbers of written tokens to ids.
        let parts = numbers.chunks_mut(POSITIONS_PER_TASK);
        let forms_of_parts = entry_forms.chunks_mut(POSITIONS_PER_TASK).map(Some);
        let parts = parts.zip(forms_of_parts.chain(std::iter::repeat_with(|| None)));
        run(threads_for(staying, threads), parts.collect(), |(numbers, forms)| {
            for (form, &number) in forms.into_iter().flatten().zip(&*numbers) {
                *form = form_numbers[number as usize];
            }
            numbers.iter_mut().for_each(|number| *number = ids[*number as usize]);
            Ok(())
        })?;
        if !dropped.is_empty() {
            removed.remove_from(&mut numbers);
            if !entry_forms.is_empty() {
                removed.remove_from(&mut entry_forms);
            }
            each_entry_with(&dropped, token_counts, |_, count, _, own| *count -= own as u16);
        }
        let NormalForms { text, lengths, .. } = normal;
        let tokens = TokenTable { text, lengths, forms, layout, buckets, dealt, spaces };
        Ok((numbers, tokens, entry_forms))
    }

    /// The white space that the written tokens do not contain, as far as they are kept, nor the surfaces
    /// that are stored whole.
    fn spaces_of_written(
        &self,
        written: &Distinct,
        whole: &WholeSurfaces,
        is_kept: impl Fn(usize) -> bool,
    ) -> Spaces {
        let whole = whole.surfaces.text().as_bytes();
        let all = self.options.white_space_separates([written.text().as_bytes(), whole]);
        // Usually no token has any, also of those that are not kept.
        if all == Spaces::All || self.options.separator.is_none() {
            return all;
        }
        let kept = (0..written.len()).filter(|&number| is_kept(number));
        let kept = kept.map(|number| written.get(number).as_bytes());
        self.options.white_space_separates(kept.chain([whole]))
    }

    /// Marks the tokens in capitals, if that matters, and gives those the first form that are only in
    /// entries that are stored whole.
    fn finish_form_numbers(
        &self,
        numbers: &mut [u8],
        written: &Distinct,
        threads: usize,
    ) -> Result<()> {
        let is_smart = self.options.case == Case::Smart;
        let parts: Vec<_> =
            (0..).step_by(TOKENS_PER_TASK).zip(numbers.chunks_mut(TOKENS_PER_TASK)).collect();
        run(threads_for(written.len(), threads), parts, |(first, numbers): (usize, &mut [u8])| {
            for (i, number) in (first..).zip(numbers) {
                if *number == NOT_LISTED {
                    *number = 0;
                }
                if is_smart && is_capitals(written.get(i)) {
                    *number |= CAPITALS;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Adds the entries with a token that is dropped, or is written in a form that is not listed, at these
    /// positions: their surfaces cannot be made from their keys.
    fn store_whole_entries(
        &self,
        numbers: &[u32],
        token_counts: &mut [Vec<u16>],
        written: &Distinct,
        not_listed: &[u32],
        whole: &mut WholeSurfaces,
    ) {
        if not_listed.is_empty() {
            return;
        }
        let before = std::mem::take(whole);
        let mut known = before.iter().peekable();
        each_entry_with(not_listed, token_counts, |entry, count, start, _| {
            while let Some((next, surface)) = known.next_if(|&(next, _)| next <= entry) {
                whole.push(next, surface);
            }
            if whole.entries.last() == Some(&entry) {
                return;
            }
            whole.entries.push(entry);
            whole.surfaces.push_with(|surface| {
                let tokens = &numbers[start..start + usize::from(*count)];
                for (i, &token) in tokens.iter().enumerate() {
                    surface.push_str(if i > 0 { self.options.joiner() } else { "" });
                    surface.push_str(written.get(token as usize));
                }
            });
        });
        known.for_each(|(entry, surface)| whole.push(entry, surface));
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
        let all = Removed::new(&[], interned.total());
        let id_and_slot = |token: u32| {
            let number = layout.numbers[token as usize] as usize;
            (layout.ids[number], buckets[number])
        };
        let (keys, dealt) = interned.deal(id_and_slot, &all, interned.total(), threads)?;
        let Interned { text, lengths, .. } = interned;
        let spaces =
            self.options.white_space_separates([&text[..], whole.surfaces.text().as_bytes()]);
        Ok((keys, TokenTable { text, lengths, forms, layout, buckets, dealt, spaces }))
    }
}

/// For each written token the id of its normal form and the first of its slots; and the buckets of the
/// normal forms, by the numbers of the layout. `counts` has how often each written token occurs.
fn places_of_written(
    normal: &NormalForms,
    layout: &Layout,
    counts: &[u32],
    threads: usize,
) -> Result<(Vec<u32>, Vec<u32>, Vec<u32>)> {
    let each_token = |work: &(dyn Fn(&[u32], u32) + Sync)| {
        let parts = (0..).step_by(TOKENS_PER_TASK).zip(layout.numbers.chunks(TOKENS_PER_TASK));
        run(threads_for(counts.len(), threads), parts.collect(), |(first, numbers)| {
            for (token, &number) in (first..).zip(numbers) {
                work(normal.written(token), number);
            }
            Ok(())
        })
    };
    let mut of_tokens = vec![0; layout.numbers.len()];
    let places = intern::atomic(&mut of_tokens);
    each_token(&|written, number| {
        let count = written.iter().map(|&written| counts[written as usize]).sum();
        places[number as usize].store(count, Relaxed);
    })?;
    let buckets = suffixes::starts(&of_tokens);
    let (mut ids, mut slots) = (vec![0; counts.len()], vec![0; counts.len()]);
    let (id_places, slot_places) = (intern::atomic(&mut ids), intern::atomic(&mut slots));
    each_token(&|written, number| {
        let mut slot = buckets[number as usize];
        for &written in written {
            id_places[written as usize].store(layout.ids[number as usize], Relaxed);
            slot_places[written as usize].store(slot, Relaxed);
            slot += counts[written as usize];
        }
    })?;
    Ok((ids, slots, buckets))
}

/// Entries whose tokens are added up at once, where few entries matter.
const ENTRIES_AT_ONCE: usize = 64;

/// Calls `each` with the entries that have some of these positions, which are in order: the number of the
/// entry, the count of its tokens, the position of the first, and how many of the positions it has.
fn each_entry_with(
    positions: &[u32],
    token_counts: &mut [Vec<u16>],
    mut each: impl FnMut(u32, &mut u16, usize, usize),
) {
    let mut rest = positions;
    let (mut first_entry, mut start) = (0, 0);
    for counts in token_counts {
        for some in counts.chunks_mut(ENTRIES_AT_ONCE) {
            let end = start + some.iter().map(|&count| usize::from(count)).sum::<usize>();
            if rest.first().is_some_and(|&p| (p as usize) < end) {
                let mut at = start;
                for (entry, count) in (first_entry..).zip(some.iter_mut()) {
                    let entry_end = at + usize::from(*count);
                    let own = rest.iter().take_while(|&&p| (p as usize) < entry_end).count();
                    if own > 0 {
                        each(entry, count, at, own);
                        rest = &rest[own..];
                    }
                    at = entry_end;
                }
            }
            first_entry += some.len() as u32;
            start = end;
        }
    }
}

/// Refuses names of too many tokens.
fn check_term_lengths(token_counts: &[Vec<u16>], sources: &Sources) -> Result<()> {
    let mut counts = token_counts.iter().flatten().enumerate();
    match counts.find(|&(_, &count)| count as usize > MAX_TERM_TOKENS) {
        Some((number, &count)) => Err(sources.too_many_tokens(number, count.into())),
        None => Ok(()),
    }
}
