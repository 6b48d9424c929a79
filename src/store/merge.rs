//! Answers of several segments as one.
//!
//! A super term or a nested term of a phrase is one whatever the other terms are, so the answers of the
//! segments are put together and ordered. What depends on other terms, or is ordered by words, is asked of an
//! index of the terms that matter ([`About`](crate::store::About)).

use crate::error::Result;
use crate::index::key::Forms;
use crate::index::{Index, TermId};
use crate::query::order::{Rank, Sort, keep, page_length, places};
use crate::query::{Hit, NestedOptions, SuperOptions};
use crate::store::gather::About;
use crate::store::segment::id_of;
use crate::store::snapshot::Snapshot;

/// An answer, by its place and by its id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Where its surface is.
    pub segment: u16,
    /// Its number there.
    pub term: TermId,
    /// Its id.
    pub id: u32,
    /// Its weight.
    pub weight: f64,
    /// Where the shorter of term and query begins in the longer, in tokens.
    pub start: u32,
    /// The tokens of the term.
    pub length: u32,
}

/// Answers, and where their terms are.
pub struct Answers<'a> {
    snapshot: &'a Snapshot,
    /// The index that was asked, if the segments were not.
    about: Option<std::sync::Arc<Index>>,
    /// In order.
    pub all: Vec<Answer>,
}

impl Answers<'_> {
    /// Appends the surface of an answer.
    pub fn push_surface(&self, answer: &Answer, text: &mut Vec<u8>) -> Result<()> {
        let index = match &self.about {
            Some(index) => index,
            None => &self.snapshot.segments[answer.segment as usize].index,
        };
        index.push_surface(answer.term, text)
    }
}

/// A phrase, analysed once for all segments.
struct Asked<'a> {
    phrase: &'a str,
    /// The normal forms of its words, if these are all that matters.
    forms: Option<Forms<'a>>,
}

impl<'a> Asked<'a> {
    fn of(snapshot: &Snapshot, phrase: &'a str) -> Result<Asked<'a>> {
        let segments = &snapshot.segments;
        let mut asked = Asked { phrase, forms: None };
        if segments.len() > 1 && segments.iter().all(|segment| segment.index.is_plain()) {
            let mut forms = Forms::new();
            let index = &segments[0].index;
            index.push_forms(phrase, index.spaces(), &mut forms)?;
            asked.forms = Some(forms);
        }
        Ok(asked)
    }

    fn super_terms(&self, index: &Index, options: &SuperOptions) -> Result<Vec<Hit>> {
        match &self.forms {
            None => index.super_terms(self.phrase, options),
            Some(forms) => {
                index.hits(&index.super_found_of_key(&index.key_of_forms(forms)?, options)?)
            }
        }
    }

    fn nested_terms(&self, index: &Index, options: &NestedOptions) -> Result<Vec<Hit>> {
        match &self.forms {
            None => index.nested_terms(self.phrase, options),
            Some(forms) => {
                index.hits(&index.nested_found_of_key(&index.key_of_forms(forms)?, options)?)
            }
        }
    }
}

/// Whether the answers of the segments can be put together.
fn is_mergeable(direct: bool, sort: Sort) -> bool {
    !direct && matches!(sort, Sort::Weight | Sort::Length)
}

impl Snapshot {
    /// The super terms of a phrase.
    pub fn super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<Answers<'_>> {
        let &SuperOptions { direct, sort, offset, limit, .. } = options;
        if !is_mergeable(direct, sort) {
            let about = self.about(&About::Super(phrase))?;
            let hits = about.super_terms(phrase, options)?;
            return self.answers_of(about, hits);
        }
        let asked = Asked::of(self, phrase)?;
        self.merged(sort, offset, limit, |index, limit| {
            asked.super_terms(index, &SuperOptions { limit, offset: 0, ..options.clone() })
        })
    }

    /// The nested terms of a phrase.
    pub fn nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<Answers<'_>> {
        let &NestedOptions { direct, sort, offset, limit, .. } = options;
        if !is_mergeable(direct, sort) {
            let about = self.about(&About::Nested(phrase))?;
            let hits = about.nested_terms(phrase, options)?;
            return self.answers_of(about, hits);
        }
        let asked = Asked::of(self, phrase)?;
        self.merged(sort, offset, limit, |index, limit| {
            asked.nested_terms(index, &NestedOptions { limit, offset: 0, ..options.clone() })
        })
    }

    /// The number of answers of [`Snapshot::super_terms`].
    pub fn count_super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        if options.direct {
            return self.about(&About::Super(phrase))?.count_super_terms(phrase, options);
        }
        let all = SuperOptions { limit: None, offset: 0, ..options.clone() };
        let asked = Asked::of(self, phrase)?;
        let count = match self.hidden.is_empty() {
            true => self.sum(|index| Ok(asked.super_terms(index, &all)?.len()))?,
            false => self.super_terms(phrase, &all)?.all.len(),
        };
        Ok(page_length(count, options.offset, options.limit))
    }

    /// The number of answers of [`Snapshot::nested_terms`].
    pub fn count_nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<usize> {
        if options.direct {
            return self.about(&About::Nested(phrase))?.count_nested_terms(phrase, options);
        }
        let all = NestedOptions { limit: None, offset: 0, ..options.clone() };
        let asked = Asked::of(self, phrase)?;
        let count = match self.hidden.is_empty() {
            true => self.sum(|index| Ok(asked.nested_terms(index, &all)?.len()))?,
            false => self.nested_terms(phrase, &all)?.all.len(),
        };
        Ok(page_length(count, options.offset, options.limit))
    }

    fn sum(&self, count: impl Fn(&Index) -> Result<usize>) -> Result<usize> {
        self.segments.iter().map(|segment| count(&segment.index)).sum()
    }

    /// The answers of an index of the terms that matter.
    fn answers_of(&self, about: std::sync::Arc<Index>, hits: Vec<Hit>) -> Result<Answers<'_>> {
        let all = hits.into_iter().map(|Hit { id: term, start, length }| {
            let (id, weight) = (id_of(&about, term)?, about.weight(term)?);
            Ok(Answer { segment: 0, term, id, weight, start, length })
        });
        let all = all.collect::<Result<_>>()?;
        Ok(Answers { snapshot: self, about: Some(about), all })
    }

    /// A page of the answers of all segments. `ask` has those of one, in the order of `sort`, and with
    /// a limit the first of them.
    fn merged(
        &self,
        sort: Sort,
        offset: usize,
        limit: Option<usize>,
        ask: impl Fn(&Index, Option<usize>) -> Result<Vec<Hit>>,
    ) -> Result<Answers<'_>> {
        let places = places(offset, limit);
        let first = limit.map(|_| places.end);
        let mut all = Vec::new();
        for number in 0..self.segments.len() {
            self.push_live(number, first, &ask, &mut all)?;
        }
        let rank = |answer: &Answer| Rank {
            weight: answer.weight,
            length: answer.length,
            id: answer.id.into(),
        };
        if self.segments.len() > 1 || offset > 0 || all.len() > places.end {
            keep(&mut all, places, |a, b| rank(a).compare(&rank(b), sort));
        }
        Ok(Answers { snapshot: self, about: None, all })
    }

    /// Adds the live answers of a segment, with a limit the first of them.
    fn push_live(
        &self,
        number: usize,
        limit: Option<usize>,
        ask: impl Fn(&Index, Option<usize>) -> Result<Vec<Hit>>,
        all: &mut Vec<Answer>,
    ) -> Result<()> {
        let segment = &self.segments[number];
        let before = all.len();
        // Hidden rows take places of live ones: a few at first, or else all.
        let mut asked = match self.hidden.is_empty() {
            true => limit,
            false => limit.map(|limit| limit.saturating_add(16)),
        };
        loop {
            let hits = ask(&segment.index, asked)?;
            let is_all = asked.is_none_or(|asked| hits.len() < asked);
            all.truncate(before);
            for Hit { id: term, start, length } in hits {
                let id = segment.id(term)?;
                if self.hidden.is_live(id, segment.tier()) {
                    let weight = segment.index.weight(term)?;
                    all.push(Answer { segment: number as u16, term, id, weight, start, length });
                }
            }
            if is_all || limit.is_some_and(|limit| all.len() - before >= limit) {
                return Ok(());
            }
            asked = asked.map(|asked| asked.saturating_mul(8));
        }
    }

    /// The ids of the terms that match a phrase, in order.
    pub fn lookup(&self, phrase: &str) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        self.each_match(phrase, |_, _, id| found.push(id))?;
        found.sort_unstable();
        Ok(found)
    }

    /// Calls `each` with the segments, the numbers there and the ids of the terms that match a phrase.
    pub(super) fn each_match(
        &self,
        phrase: &str,
        mut each: impl FnMut(usize, TermId, u32),
    ) -> Result<()> {
        for (number, segment) in self.segments.iter().enumerate() {
            for term in segment.index.lookup(phrase)? {
                let id = segment.id(term)?;
                if self.hidden.is_live(id, segment.tier()) {
                    each(number, term, id);
                }
            }
        }
        Ok(())
    }

    /// The id of the term with this surface, if there is one.
    pub fn id(&self, term: &str) -> Result<Option<u32>> {
        for segment in &self.segments {
            if let Some(row) = segment.index.id(term)? {
                let id = segment.id(row)?;
                if self.hidden.is_live(id, segment.tier()) {
                    return Ok(Some(id));
                }
            }
        }
        Ok(None)
    }

    /// The surface of the term with an id, if there is one.
    pub fn surface(&self, id: u32) -> Result<Option<String>> {
        let Some(place) = self.place(id)? else { return Ok(None) };
        self.segments[place.source as usize].index.surface(TermId(place.row)).map(Some)
    }

    /// The weight of the term with an id, if there is one.
    pub fn weight(&self, id: u32) -> Result<Option<f64>> {
        let Some(place) = self.place(id)? else { return Ok(None) };
        self.segments[place.source as usize].index.weight(TermId(place.row)).map(Some)
    }
}
