//! Indexes of the terms that matter for a question.
//!
//! What an answer is and in which order is a rule of one index. So a question whose answer depends on how the
//! terms of several segments relate is put to one index: to that of all terms which can be part of the answer,
//! or decide about it. It is small, since few terms match a phrase.

use std::sync::Arc;

use crate::build::{Entries, List};
use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::asked::LIGHT;
use crate::query::find::options::FindOptions;
use crate::query::{NestedOptions, SuperOptions};
use crate::store::rows::RowPlace;
use crate::store::snapshot::Snapshot;

/// What a question is about.
pub enum About<'a> {
    /// The super terms of a phrase, and the terms that it is.
    Super(&'a str),
    /// The nested terms of a phrase, and the terms that it is.
    Nested(&'a str),
    /// Both of these.
    Both(&'a str),
    /// Both of these, and the first completions; all without a number.
    Around(&'a str, Option<usize>),
    /// The super terms of many phrases.
    SuperOfMany(&'a dyn Entries),
    /// The nested terms of many phrases.
    NestedOfMany(&'a dyn Entries),
    /// The first completions of a phrase; all without a number.
    Completions(&'a str, Option<usize>),
    /// The terms in texts.
    Texts(&'a dyn Entries),
}

/// A question about more than one in this many terms is put to the index of all.
const TERMS_PER_PHRASE: usize = 4;
/// The size in bytes of texts, for each term, from which on they are searched with the index of all.
const TEXT_PER_TERM: usize = 16;
/// The most bytes of texts that are searched segment by segment.
const MAX_TEXT: usize = 1 << 24;

impl Snapshot {
    /// An index that answers a question as one of all terms would: it has those that matter, with
    /// their ids as its own.
    pub fn about(&self, question: &About) -> Result<Arc<Index>> {
        if self.is_one_index() || self.has_index() || self.is_large(question) {
            return self.index();
        }
        let mut places = Vec::new();
        match question {
            About::Super(phrase) => self.push_super(phrase, &mut places)?,
            About::Nested(phrase) => self.push_nested(phrase, &mut places)?,
            About::Both(phrase) => {
                self.push_super(phrase, &mut places)?;
                self.push_nested(phrase, &mut places)?;
            }
            About::Around(phrase, limit) => {
                self.push_super(phrase, &mut places)?;
                self.push_nested(phrase, &mut places)?;
                self.push_completions(phrase, *limit, &mut places)?;
            }
            About::SuperOfMany(phrases) => {
                each(*phrases, |phrase| self.push_super(phrase, &mut places))?
            }
            About::NestedOfMany(phrases) => {
                each(*phrases, |phrase| self.push_nested(phrase, &mut places))?
            }
            About::Completions(prefix, limit) => {
                self.push_completions(prefix, *limit, &mut places)?
            }
            About::Texts(texts) => each(*texts, |text| self.push_found(text, &mut places))?,
        }
        places.sort_unstable_by_key(|place| place.id);
        places.dedup_by_key(|place| place.id);
        self.index_of(&places).map(Arc::new)
    }

    /// Whether the index of all terms is made sooner than the terms that matter are found.
    fn is_large(&self, question: &About) -> bool {
        match question {
            About::SuperOfMany(phrases) | About::NestedOfMany(phrases) => {
                let count: usize = phrases.cut(1).iter().map(ExactSizeIterator::len).sum();
                count > self.len() / TERMS_PER_PHRASE
            }
            About::Texts(texts) => texts.size() > MAX_TEXT.min(TEXT_PER_TERM * self.len()),
            _ => false,
        }
    }

    /// Whether a question about a phrase, and the index of the terms that matter for it, are made in some
    /// microseconds.
    pub fn is_light(&self, phrase: &str) -> Result<bool> {
        let mut effort = 0;
        for segment in &self.segments {
            effort += segment.index.effort(&segment.index.asked(phrase)?, true)?;
        }
        Ok(effort <= LIGHT)
    }

    fn push(&self, segment: usize, term: TermId, places: &mut Vec<RowPlace>) -> Result<bool> {
        let id = self.segments[segment].id(term)?;
        let is_live = self.hidden.is_live(id, self.segments[segment].tier());
        if is_live {
            places.push(RowPlace { id, source: segment as u16, row: term.0 });
        }
        Ok(is_live)
    }

    /// Adds the terms that a phrase is: they are neither its super terms nor nested in it, even if a
    /// name of theirs is.
    fn push_matches(&self, phrase: &str, places: &mut Vec<RowPlace>) -> Result<()> {
        self.each_match(phrase, |segment, term, id| {
            places.push(RowPlace { id, source: segment as u16, row: term.0 });
        })
    }

    fn push_super(&self, phrase: &str, places: &mut Vec<RowPlace>) -> Result<()> {
        for (number, segment) in self.segments.iter().enumerate() {
            for hit in segment.index.super_terms(phrase, &SuperOptions::default())? {
                self.push(number, hit.id, places)?;
            }
        }
        self.push_matches(phrase, places)
    }

    fn push_nested(&self, phrase: &str, places: &mut Vec<RowPlace>) -> Result<()> {
        for (number, segment) in self.segments.iter().enumerate() {
            for hit in segment.index.nested_terms(phrase, &NestedOptions::default())? {
                self.push(number, hit.id, places)?;
            }
        }
        self.push_matches(phrase, places)
    }

    fn push_completions(
        &self,
        prefix: &str,
        limit: Option<usize>,
        places: &mut Vec<RowPlace>,
    ) -> Result<()> {
        for (number, segment) in self.segments.iter().enumerate() {
            let before = places.len();
            let mut asked = limit;
            loop {
                let hits = segment.index.complete(prefix, asked)?;
                let is_all = asked.is_none_or(|asked| hits.len() < asked);
                places.truncate(before);
                for hit in hits {
                    self.push(number, hit.id, places)?;
                }
                if is_all || limit.is_some_and(|limit| places.len() - before >= limit) {
                    break;
                }
                // Hidden rows took the places of live ones.
                asked = asked.map(|asked| asked.saturating_mul(8).max(16));
            }
        }
        Ok(())
    }

    fn push_found(&self, text: &str, places: &mut Vec<RowPlace>) -> Result<()> {
        let before = places.len();
        for (number, segment) in self.segments.iter().enumerate() {
            let found = segment.index.find(text, &FindOptions::default(), self.recipe.threads)?;
            let mut terms: Vec<TermId> = found.into_iter().map(|found| found.id).collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                self.push(number, term, places)?;
            }
        }
        // Many texts have the same terms.
        if places.len() > 2 * before.max(1 << 16) {
            places.sort_unstable_by_key(|place| place.id);
            places.dedup_by_key(|place| place.id);
        }
        Ok(())
    }

    /// A list of one text, as [`About::Texts`] takes it.
    pub fn one_text(text: &str) -> List {
        List::from_iter([text])
    }
}

fn each(entries: &dyn Entries, mut work: impl FnMut(&str) -> Result<()>) -> Result<()> {
    entries.cut(1).into_iter().try_for_each(|part| entries.visit(part, &mut |entry| work(entry)))
}
