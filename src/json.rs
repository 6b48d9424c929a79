//! Answers as JSON, for programs that ask over a network. Only writing: what is found, and in which order,
//! is up to the queries.

mod values;

use std::ops::Range;

use crate::analysis::{CharCounter, Options, Spaces, char_count};
use crate::arrays::columns::{Column, Value};
use crate::build::entries::{List, cut_evenly};
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::json::values::{end_list, push_columns, push_number, push_text, push_weight};
use crate::query::answer::Found;
use crate::query::asked::{LIGHT, Phrase};
use crate::query::cursor::Cursors;
use crate::query::expand::Side;
use crate::query::find::options::{FindOptions, Overlaps, Variants};
use crate::query::{NestedOptions, SuperOptions};
use crate::threads::run;

/// One of the two questions, with its options. The page is given separately: `limit` and
/// `offset` of the options are not used.
#[derive(Clone, Debug)]
pub enum Question {
    /// Which terms contain a phrase?
    Super(SuperOptions),
    /// Which terms does a phrase contain?
    Nested(NestedOptions),
}

impl Question {
    fn direct(&self) -> bool {
        match self {
            Question::Super(options) => options.direct,
            Question::Nested(options) => options.direct,
        }
    }
}

/// Which answers are shown, and which of their columns.
struct Shown<'a> {
    columns: &'a [&'a Column],
    offset: usize,
    limit: usize,
}

/// How many phrases of a batch a thread takes at a time.
const PHRASES_PER_TASK: usize = 128;
/// How many phrases are looked up in step, so that they wait for memory at the same time.
const PHRASES_IN_STEP: usize = 64;

impl Index {
    /// A page of the answers to a question: an object with the phrase as `term`, their `total` number,
    /// `results` from `cursor` on, `limit` at most, and the cursor of the `next` page, if there is one.
    ///
    /// Each result has the values of its term in these `columns`.
    ///
    /// None if `only_light` is true and the answer would take more than some microseconds.
    pub fn answer_json(
        &self,
        phrase: &str,
        question: &Question,
        limit: usize,
        cursor: Option<&str>,
        only_light: bool,
        columns: &[String],
    ) -> Result<Option<Vec<u8>>> {
        let columns = self.asked_columns(columns)?;
        let cursors = Cursors { index: self, question, phrase };
        let offset = cursors.offset(cursor)?;
        let asked = self.asked(phrase)?;
        let effort = self.effort(&asked, matches!(question, Question::Super(_)))?;
        if only_light && effort.saturating_mul(if question.direct() { 16 } else { 1 }) > LIGHT {
            return Ok(None);
        }
        let mut json = Vec::with_capacity(128 + 128 * limit.min(16));
        let all = self.all_answers(phrase, question)?;
        let shown = Shown { columns: &columns, offset, limit };
        let (shown, total) = self.push_answer(phrase, all, question, &shown, &mut json)?;
        push_next(cursors.next(offset + shown, total), &mut json);
        Ok(Some(json))
    }

    /// All answers to a question, in id order.
    fn all_answers(&self, phrase: &str, question: &Question) -> Result<Vec<Found>> {
        match question {
            Question::Super(options) => self.super_all(phrase, options),
            Question::Nested(options) => self.nested_all(phrase, options),
        }
    }

    /// The first answers to a question about many phrases: an object whose `results` are an object for
    /// each phrase.
    pub fn batch_json(
        &self,
        phrases: &List,
        question: &Question,
        limit: usize,
        threads: usize,
        columns: &[String],
    ) -> Result<Vec<u8>> {
        let columns = self.asked_columns(columns)?;
        let shown = Shown { columns: &columns, offset: 0, limit };
        let parts = cut_evenly(phrases.len(), phrases.len().div_ceil(PHRASES_PER_TASK));
        let parts = run(threads, parts, |part| {
            let mut json = Vec::with_capacity(part.len() * 128);
            let texts: Vec<&str> = part.map(|i| phrases.get(i)).collect();
            for texts in texts.chunks(PHRASES_IN_STEP) {
                let mut answers = Vec::with_capacity(texts.len());
                match question {
                    Question::Super(options) if self.is_plain() => {
                        let keys = self.keys_of(texts)?;
                        let slots = self.super_slots_of_many(&keys)?;
                        for ((key, _), slots) in keys.iter().zip(slots) {
                            answers.push(self.super_set(
                                Phrase::plain(key),
                                slots,
                                options,
                                &[],
                            )?);
                        }
                    }
                    _ => {
                        for text in texts {
                            answers.push(self.all_answers(text, question)?);
                        }
                    }
                }
                for (text, all) in texts.iter().zip(answers) {
                    self.push_answer(text, all, question, &shown, &mut json)?;
                    json.extend_from_slice(b"},");
                }
            }
            Ok(json)
        })?;
        let mut json = b"{\"results\":[".to_vec();
        json.reserve_exact(parts.iter().map(Vec::len).sum::<usize>() + 2);
        parts.iter().for_each(|part| json.extend_from_slice(part));
        end_list(&mut json);
        json.push(b'}');
        Ok(json)
    }

    /// Appends an object that is left open: the phrase, the total number of answers and some of them.
    /// Returns how many were appended, and the total.
    fn push_answer(
        &self,
        phrase: &str,
        all: Vec<Found>,
        question: &Question,
        &Shown { columns, offset, limit }: &Shown,
        json: &mut Vec<u8>,
    ) -> Result<(usize, usize)> {
        let sort = match question {
            Question::Super(options) => options.sort,
            Question::Nested(options) => options.sort,
        };
        let total = all.len();
        let found = self.sorted_page(all, sort, offset, Some(limit))?;
        json.extend_from_slice(b"{\"term\":");
        push_text(phrase, json);
        json.extend_from_slice(b",\"total\":");
        push_number(total as u64, json);
        json.extend_from_slice(b",\"results\":[");
        if !found.is_empty() {
            match question {
                Question::Super(_) => {
                    self.push_found(&found, columns, json, |found, surface, json| {
                        self.push_super_span(found, surface, json)
                    })?
                }
                Question::Nested(_) => {
                    let joined = self.options().joined_reading();
                    let readings = [Some(self.options()), joined.as_ref()];
                    let places = readings
                        .map(|options| options.map(|options| self.token_places(options, phrase)));
                    self.push_found(&found, columns, json, |found, surface, json| {
                        self.push_alias(found, surface, json)?;
                        let Some(Some(Ok(places))) = places.get(found.inner as usize) else {
                            return Err(Error::out_of_range("keys"));
                        };
                        let last = found.start as usize + found.length as usize - 1;
                        match (places.get(found.start as usize), places.get(last)) {
                            (Some(first), Some(last)) => push_span(first.start..last.end, json),
                            _ => return Err(Error::out_of_range("keys")),
                        }
                        Ok(())
                    })?;
                }
            }
        }
        end_list(json);
        Ok((found.len(), total))
    }

    /// Appends answers as objects, a comma after each. Given an answer and its surface, `push_span` appends
    /// where the shorter of answer and phrase is in the text of the longer.
    fn push_found(
        &self,
        found: &[Found],
        columns: &[&Column],
        json: &mut Vec<u8>,
        push_span: impl Fn(&Found, &str, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut rows = found.iter();
        let mut failed = None;
        let mut surface = Vec::with_capacity(64);
        self.each_surface(self.own_keys(found)?.into_iter(), &mut surface, |surface| {
            if let Some(row) = rows.next()
                && let Err(error) = self.push_row(row, surface, columns, &push_span, json)
            {
                failed.get_or_insert(error);
            }
            surface.clear();
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn push_row(
        &self,
        found: &Found,
        surface: &[u8],
        columns: &[&Column],
        push_span: impl Fn(&Found, &str, &mut Vec<u8>) -> Result<()>,
        json: &mut Vec<u8>,
    ) -> Result<()> {
        let surface = as_text(surface)?;
        self.push_term(self.id_at(found.position as usize)?, surface, columns, json)?;
        json.extend_from_slice(b",\"start\":");
        push_number(found.start.into(), json);
        json.extend_from_slice(b",\"length\":");
        push_number(found.length.into(), json);
        push_span(found, surface, json)?;
        json.extend_from_slice(b"},");
        Ok(())
    }

    /// Appends where the phrase is in a super term: in its surface, or in that of the alias that contains
    /// the phrase, which is appended too.
    fn push_super_span(&self, found: &Found, surface: &str, json: &mut Vec<u8>) -> Result<()> {
        let (start, length) = (found.start as usize, found.inner as usize);
        if found.name == found.position {
            push_span(self.span(self.options(), surface, start, length)?, json);
            return Ok(());
        }
        if let Some(alias) = self.push_alias(found, surface, json)? {
            push_span(self.span(self.options(), &alias, start, length)?, json);
            return Ok(());
        }
        // A joined reading: of the surface, or of an alias, which is not known.
        if let Some(options) = self.options().joined_reading()
            && self.token_places(&options, surface)?.len() == found.length as usize
        {
            push_span(self.span(&options, surface, start, length)?, json);
            return Ok(());
        }
        json.extend_from_slice(b",\"span\":null");
        Ok(())
    }

    /// Appends the alias of an answer, if it is an answer because of it.
    fn push_alias(
        &self,
        found: &Found,
        surface: &str,
        json: &mut Vec<u8>,
    ) -> Result<Option<String>> {
        let Some(alias) = self.alias_at(found.name as usize)? else { return Ok(None) };
        if alias != surface {
            json.extend_from_slice(b",\"alias\":");
            push_text(&alias, json);
        }
        Ok(Some(alias))
    }

    /// Appends an object that is left open: a term's id, surface, weight and columns.
    fn push_term(
        &self,
        id: TermId,
        surface: &str,
        columns: &[&Column],
        json: &mut Vec<u8>,
    ) -> Result<()> {
        json.extend_from_slice(b"{\"id\":");
        self.push_id(id, json)?;
        json.extend_from_slice(b",\"term\":");
        push_text(surface, json);
        json.extend_from_slice(b",\"weight\":");
        push_weight(self.weight(id)?, json);
        push_columns(columns, id, json)
    }

    /// What there is to say about a phrase: whether it is a term, its tokens, and how many answers the
    /// two questions have. With `columns`, these values of the term, and all terms that match the phrase.
    pub fn term_json(&self, phrase: &str, columns: &[String]) -> Result<Vec<u8>> {
        let columns = self.asked_columns(columns)?;
        let id = self.term_of(phrase)?;
        let supers = self.super_all(phrase, &SuperOptions::default())?;
        let nested = self.nested_all(phrase, &NestedOptions::default())?;
        let mut json = b"{\"term\":".to_vec();
        push_text(phrase, &mut json);
        match id {
            None => json.extend_from_slice(
                b",\"in_vocabulary\":false,\"id\":null,\"surface\":null,\"weight\":null",
            ),
            Some(id) => {
                json.extend_from_slice(b",\"in_vocabulary\":true,\"id\":");
                self.push_id(id, &mut json)?;
                json.extend_from_slice(b",\"surface\":");
                push_text(&self.surface(id)?, &mut json);
                json.extend_from_slice(b",\"weight\":");
                push_weight(self.weight(id)?, &mut json);
                push_columns(&columns, id, &mut json)?;
            }
        }
        if !columns.is_empty() {
            json.extend_from_slice(b",\"terms\":[");
            for id in self.lookup(phrase)? {
                self.push_term(id, &self.surface(id)?, &columns, &mut json)?;
                json.extend_from_slice(b"},");
            }
            end_list(&mut json);
        }
        json.extend_from_slice(b",\"super_count\":");
        push_number(supers.len() as u64, &mut json);
        json.extend_from_slice(b",\"nested_count\":");
        push_number(nested.len() as u64, &mut json);
        json.extend_from_slice(b",\"tokens\":[");
        let mut counter = CharCounter::new(phrase, phrase.is_ascii());
        self.each_token(self.options(), phrase, self.arrays.meta.spaces, |range, form| {
            json.extend_from_slice(b"{\"text\":");
            push_text(&phrase[range.clone()], &mut json);
            json.extend_from_slice(b",\"key\":");
            push_text(form, &mut json);
            push_span(counter.advance(range.start)..counter.advance(range.end), &mut json);
            json.extend_from_slice(b"},");
            Ok(())
        })?;
        end_list(&mut json);
        json.push(b'}');
        Ok(json)
    }

    /// The term that a phrase is: the one with its very surface, or else the first that is matched like
    /// it.
    fn term_of(&self, phrase: &str) -> Result<Option<TermId>> {
        match self.id(phrase)? {
            Some(id) => Ok(Some(id)),
            None => Ok(self.lookup(phrase)?.first().copied()),
        }
    }

    /// The answers of [`Index::complete`], with their weights.
    pub fn complete_json(&self, prefix: &str, limit: usize, columns: &[String]) -> Result<Vec<u8>> {
        let columns = self.asked_columns(columns)?;
        let found = self.complete_found(prefix, Some(limit))?;
        let mut json = b"{\"prefix\":".to_vec();
        push_text(prefix, &mut json);
        json.extend_from_slice(b",\"results\":[");
        for found in found {
            let id = self.id_at(found.position as usize)?;
            self.push_term(id, &self.surface(id)?, &columns, &mut json)?;
            json.extend_from_slice(b"},");
        }
        end_list(&mut json);
        json.push(b'}');
        Ok(json)
    }

    /// The first answers of [`Index::expansions`], and their total number.
    pub fn expansions_json(&self, phrase: &str, side: Side, limit: usize) -> Result<Vec<u8>> {
        let found = self.expansions(phrase, side)?;
        let mut json = b"{\"term\":".to_vec();
        push_text(phrase, &mut json);
        json.extend_from_slice(match side {
            Side::Left => b",\"side\":\"left\",\"total\":" as &[u8],
            Side::Right => b",\"side\":\"right\",\"total\":",
        });
        push_number(found.len() as u64, &mut json);
        json.extend_from_slice(b",\"results\":[");
        for expansion in found.iter().take(limit) {
            json.extend_from_slice(b"{\"word\":");
            push_text(&expansion.word, &mut json);
            json.extend_from_slice(b",\"terms\":");
            push_number(expansion.terms, &mut json);
            json.extend_from_slice(b",\"weight\":");
            push_weight(expansion.weight, &mut json);
            json.extend_from_slice(b"},");
        }
        end_list(&mut json);
        json.push(b'}');
        Ok(json)
    }

    /// A page of the answers of [`Index::find`]: see [`Index::answer_json`].
    pub fn find_json(
        &self,
        text: &str,
        (overlaps, variants): (Overlaps, Variants),
        conditions: &[(&str, Vec<Value>)],
        limit: usize,
        cursor: Option<&str>,
        columns: &[String],
    ) -> Result<Vec<u8>> {
        let columns = self.asked_columns(columns)?;
        let question = (overlaps, variants, conditions);
        let cursors = Cursors { index: self, question: &question, phrase: text };
        let offset = cursors.offset(cursor)?;
        let only = match conditions {
            [] => None,
            conditions => Some(self.term_mask(conditions)?),
        };
        let options = FindOptions { overlaps, variants, only: only.as_deref() };
        let found = self.matches(text, &options, None)?;
        let total = found.len();
        let rows = offset.min(total)..offset.saturating_add(limit).min(total);
        let mut json = b"{\"total\":".to_vec();
        push_number(total as u64, &mut json);
        json.extend_from_slice(b",\"results\":[");
        found.each_span(rows.clone(), |ids, start, end| {
            for &id in ids {
                json.extend_from_slice(b"{\"term\":");
                push_text(&self.surface(TermId(id))?, &mut json);
                json.extend_from_slice(b",\"id\":");
                self.push_id(TermId(id), &mut json)?;
                json.extend_from_slice(b",\"start\":");
                push_number(start, &mut json);
                json.extend_from_slice(b",\"end\":");
                push_number(end, &mut json);
                push_columns(&columns, TermId(id), &mut json)?;
                json.extend_from_slice(b"},");
            }
            Ok::<(), Error>(())
        })?;
        end_list(&mut json);
        push_next(cursors.next(offset.saturating_add(rows.len()), total), &mut json);
        Ok(json)
    }

    // --- places ---

    /// Calls `each` with the bytes of every token of a phrase or surface that is matched, and with the
    /// form in which it is.
    fn each_token(
        &self,
        options: &Options,
        text: &str,
        spaces: Spaces,
        mut each: impl FnMut(Range<usize>, &str) -> Result<()>,
    ) -> Result<()> {
        let trimmed = options.trim(text);
        let before = match trimmed.is_empty() {
            true => 0,
            false => trimmed.as_ptr().addr() - text.as_ptr().addr(),
        };
        options.tokens(trimmed, spaces, |range| {
            let form = self.normal_form_under(options, &trimmed[range.clone()])?;
            match form.is_empty() {
                true => Ok(()),
                false => each(before + range.start..before + range.end, &form),
            }
        })
    }

    /// Where the tokens of a phrase are in it, in characters.
    fn token_places(&self, options: &Options, phrase: &str) -> Result<Vec<Range<usize>>> {
        let mut counter = CharCounter::new(phrase, phrase.is_ascii());
        let mut places = Vec::new();
        self.each_token(options, phrase, self.arrays.meta.spaces, |range, _| {
            places.push(counter.advance(range.start)..counter.advance(range.end));
            Ok(())
        })?;
        Ok(places)
    }

    /// Where `length` tokens of a surface from token `start` on are in it, in characters.
    fn span(
        &self,
        options: &Options,
        surface: &str,
        start: usize,
        length: usize,
    ) -> Result<Range<usize>> {
        let (mut token, mut first, mut last) = (0, None, None);
        self.each_token(options, surface, Spaces::None, |range, _| {
            if token == start {
                first = Some(range.start);
            }
            if token + 1 == start + length {
                last = Some(range.end);
            }
            token += 1;
            Ok(())
        })?;
        match (first, last) {
            (Some(first), Some(last)) if first <= last => {
                let before = char_count(&surface[..first]);
                Ok(before..before + char_count(&surface[first..last]))
            }
            _ => Err(Error::out_of_range("keys")),
        }
    }
}

/// Ends an object with the cursor of the next page, if there is one.
fn push_next(cursor: Option<String>, json: &mut Vec<u8>) {
    json.extend_from_slice(b",\"next\":");
    match cursor {
        Some(cursor) => push_text(&cursor, json),
        None => json.extend_from_slice(b"null"),
    }
    json.push(b'}');
}

fn as_text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))
}

fn push_span(span: Range<usize>, json: &mut Vec<u8>) {
    json.extend_from_slice(b",\"span\":[");
    push_number(span.start as u64, json);
    json.push(b',');
    push_number(span.end as u64, json);
    json.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Build;
    use crate::query::Sort;

    fn supers(sort: Sort) -> Question {
        Question::Super(SuperOptions { sort, ..SuperOptions::default() })
    }

    fn index(terms: &[&str]) -> Index {
        Build::default().index(&List::from_iter(terms.iter().copied()), None).unwrap()
    }

    fn parse(json: Vec<u8>) -> serde_json::Value {
        serde_json::from_slice(&json).unwrap()
    }

    fn page(
        index: &Index,
        phrase: &str,
        asked: &Question,
        limit: usize,
        cursor: Option<&str>,
    ) -> serde_json::Value {
        parse(index.answer_json(phrase, asked, limit, cursor, false, &[]).unwrap().unwrap())
    }

    fn terms(answer: &serde_json::Value) -> Vec<&str> {
        let results = answer["results"].as_array().unwrap();
        results.iter().map(|result| result["term"].as_str().unwrap()).collect()
    }

    const TERMS: [&str; 6] = ["b x", "x", "a c x", "x b", "c c x a", "a x a"];

    #[test]
    fn super_terms_are_ordered_by_the_words_beside_the_phrase() {
        let index = index(&TERMS);
        let ordered = |sort| {
            let json = index.answer_json("x", &supers(sort), 9, None, false, &[]).unwrap();
            terms(&parse(json.unwrap())).join(", ")
        };
        assert_eq!(ordered(Sort::Weight), "b x, a c x, x b, c c x a, a x a");
        assert_eq!(ordered(Sort::Left), "x b, a x a, b x, a c x, c c x a");
        assert_eq!(ordered(Sort::Right), "b x, a c x, a x a, c c x a, x b");
        assert_eq!(ordered(Sort::Length), "b x, x b, a c x, a x a, c c x a");
    }

    #[test]
    fn pages_follow_one_another_and_their_cursors_are_no_others() {
        let index = index(&TERMS);
        let asked = supers(Sort::Left);
        let first = page(&index, "x", &asked, 2, None);
        assert_eq!(terms(&first), ["x b", "a x a"]);
        let cursor = first["next"].as_str();
        let second = page(&index, "x", &asked, 9, cursor);
        assert_eq!(terms(&second), ["b x", "a c x", "c c x a"]);
        assert_eq!(
            (second["total"].as_u64(), &second["next"]),
            (Some(5), &serde_json::Value::Null)
        );
        for (phrase, sort) in [("x", Sort::Right), ("c", Sort::Left)] {
            let other = index.answer_json(phrase, &supers(sort), 2, cursor, false, &[]);
            assert!(matches!(other, Err(Error::Option { name: "cursor", .. })));
        }
    }

    #[test]
    fn a_batch_is_the_answers_of_its_phrases_whatever_the_threads() {
        let index = index(&TERMS);
        let phrases: Vec<&str> = TERMS.iter().copied().cycle().take(1000).collect();
        let list = List::from_iter(phrases.iter().copied());
        for asked in [supers(Sort::Weight), Question::Nested(NestedOptions::default())] {
            let batch = index.batch_json(&list, &asked, 3, 1, &[]).unwrap();
            assert_eq!(batch, index.batch_json(&list, &asked, 3, 4, &[]).unwrap());
            let batch = parse(batch);
            for (phrase, answer) in phrases.iter().zip(batch["results"].as_array().unwrap()) {
                let single = page(&index, phrase, &asked, 3, None);
                assert_eq!(answer["results"], single["results"]);
            }
        }
    }

    #[test]
    fn what_json_cannot_hold_is_written_so_that_it_can() {
        let index = index(&["\u{1}\"\\ </script> \u{2028}é"]);
        let answer = parse(index.term_json("\u{1}\"\\", &[]).unwrap());
        assert_eq!(answer["term"], "\u{1}\"\\");
        let mut json = Vec::new();
        push_weight(f64::INFINITY, &mut json);
        assert_eq!(parse(json).as_f64(), Some(f64::MAX));
    }
}
