//! Answers as JSON, for those who ask over a network: bytes from the start, and pages of long answers.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::analysis::{CharCounter, Spaces, char_count};
use crate::build::entries::{List, cut_evenly};
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::query::answer::Found;
use crate::query::expand::Side;
use crate::query::find::Overlaps;
use crate::query::order::keep;
use crate::query::{SuperOptions, Where};
use crate::threads::run;

/// Which of the two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The terms that contain a phrase.
    Super,
    /// The terms that a phrase contains.
    Nested,
}

/// The order of answers. What is equal is ordered by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Heaviest first.
    #[default]
    Weight,
    /// By the words before the phrase, nearest first; then by those behind it.
    Left,
    /// By the words behind the phrase, nearest first; then by those before it.
    Right,
    /// Fewest tokens first, then heaviest first.
    Length,
}

/// A question about phrases: which answers, in which order.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which question.
    pub ask: Ask,
    /// Where the shorter of phrase and answer must stand in the longer.
    pub place: Where,
    /// Only answers with no other term in between.
    pub direct: bool,
    /// Only super terms with at most so many tokens more than the phrase.
    pub max_extra: Option<usize>,
    /// Only answers of at least so many tokens.
    pub min_length: Option<usize>,
    /// Only answers of at most so many tokens.
    pub max_length: Option<usize>,
    /// The order.
    pub sort: Sort,
}

/// A phrase that was looked up.
struct Phrase<'a> {
    text: &'a str,
    key: &'a [u32],
    /// The slots of its super terms; not used for nested terms.
    slots: Range<usize>,
}

/// Phrases of a batch that one thread takes at a time.
const PORTION: usize = 128;
/// Phrases whose memory is asked for together.
const TOGETHER: usize = 64;

impl Index {
    /// How much there is to look at for an answer, in suffixes or tokens. What takes longer than some
    /// microseconds is better done apart from what must not wait.
    pub fn effort(&self, phrase: &str, question: &Question) -> Result<usize> {
        let key = self.query(phrase)?;
        let size = match question.ask {
            Ask::Super => self.super_slots(&key)?.len(),
            Ask::Nested => key.len(),
        };
        Ok(if question.direct { size.saturating_mul(16) } else { size })
    }

    /// A page of the answers to a question: an object with the phrase as `term`, their `total` number,
    /// `results` from `cursor` on, `limit` at most, and the cursor of the `next` page, if there is one.
    pub fn answer_json(
        &self,
        phrase: &str,
        question: &Question,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Vec<u8>> {
        let cursors = Cursors { index: self, question, phrase };
        let offset = cursors.offset(cursor)?;
        let key = self.query(phrase)?;
        let slots = match question.ask {
            Ask::Super => self.super_slots(&key)?,
            Ask::Nested => 0..0,
        };
        let mut json = Vec::with_capacity(128 + 128 * limit.min(16));
        let asked = Phrase { text: phrase, key: &key, slots };
        let (shown, total) = self.push_answer(&asked, question, offset, limit, &mut json)?;
        cursors.push_next(offset + shown, total, &mut json);
        Ok(json)
    }

    /// The first answers to a question about many phrases: an object whose `results` are an object for
    /// each phrase.
    pub fn batch_json(
        &self,
        phrases: &List,
        question: &Question,
        limit: usize,
        threads: usize,
    ) -> Result<Vec<u8>> {
        let parts = cut_evenly(phrases.len(), phrases.len().div_ceil(PORTION));
        let parts = run(threads, parts, |part| {
            let mut json = Vec::with_capacity(part.len() * 128);
            let texts: Vec<&str> = part.map(|i| phrases.get(i)).collect();
            for texts in texts.chunks(TOGETHER) {
                let keys = self.keys_of(texts)?;
                let slots = match question.ask {
                    Ask::Super => self.super_slots_of_many(&keys)?,
                    Ask::Nested => vec![0..0; texts.len()],
                };
                for ((&text, (key, _)), slots) in texts.iter().zip(keys.iter()).zip(slots) {
                    let asked = Phrase { text, key, slots };
                    self.push_answer(&asked, question, 0, limit, &mut json)?;
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
    /// Tells how many, and the total.
    fn push_answer(
        &self,
        asked: &Phrase,
        question: &Question,
        offset: usize,
        limit: usize,
        json: &mut Vec<u8>,
    ) -> Result<(usize, usize)> {
        let &Question { ask, place, direct, max_extra, min_length, max_length, sort } = question;
        let mut found = match ask {
            Ask::Super => {
                let options = SuperOptions { place, direct, max_extra, ..SuperOptions::default() };
                self.super_set(asked.slots.clone(), asked.key.len(), &options)?
            }
            Ask::Nested => self.nested_set(asked.key, place, direct)?,
        };
        if min_length.is_some() || max_length.is_some() {
            let lengths = min_length.unwrap_or(0)..=max_length.unwrap_or(usize::MAX);
            found.retain(|found| lengths.contains(&(found.length as usize)));
        }
        let total = found.len();
        let found = self.sorted_page(found, asked.key.len(), sort, offset, limit)?;
        json.extend_from_slice(b"{\"term\":");
        push_text(asked.text, json);
        json.extend_from_slice(b",\"total\":");
        push_number(total as u64, json);
        json.extend_from_slice(b",\"results\":[");
        if !found.is_empty() {
            let inner = asked.key.len();
            match ask {
                Ask::Super => self.push_found(&found, json, |found, surface| {
                    self.span(surface, found.start as usize, inner)
                })?,
                Ask::Nested => {
                    let places = self.token_places(asked.text)?;
                    let end = |found: &Found| places.get((found.start + found.length) as usize - 1);
                    self.push_found(&found, json, |found, _| {
                        match (places.get(found.start as usize), end(found)) {
                            (Some(first), Some(last)) => Ok(first.start..last.end),
                            _ => Err(Error::out_of_range("keys")),
                        }
                    })?;
                }
            }
        }
        end_list(json);
        Ok((found.len(), total))
    }

    /// Appends answers as objects, a comma behind each; `span` tells where the shorter of answer and
    /// phrase stands in the text of the longer, given the answer and its surface.
    fn push_found(
        &self,
        found: &[Found],
        json: &mut Vec<u8>,
        span: impl Fn(&Found, &str) -> Result<Range<usize>>,
    ) -> Result<()> {
        let mut rows = found.iter();
        let mut failed = None;
        let mut surface = Vec::with_capacity(64);
        self.each_surface(found.iter().map(|found| found.key()), &mut surface, |surface| {
            if let Some(row) = rows.next()
                && let Err(error) = self.push_row(row, surface, &span, json)
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
        span: impl Fn(&Found, &str) -> Result<Range<usize>>,
        json: &mut Vec<u8>,
    ) -> Result<()> {
        let surface = as_text(surface)?;
        self.push_term(self.id_at(found.position as usize)?, surface, json)?;
        json.extend_from_slice(b",\"start\":");
        push_number(found.start.into(), json);
        json.extend_from_slice(b",\"length\":");
        push_number(found.length.into(), json);
        push_span(span(found, surface)?, json);
        json.extend_from_slice(b"},");
        Ok(())
    }

    /// Appends an object that is left open: a term's id, surface and weight.
    fn push_term(&self, id: TermId, surface: &str, json: &mut Vec<u8>) -> Result<()> {
        json.extend_from_slice(b"{\"id\":");
        push_number(id.0.into(), json);
        json.extend_from_slice(b",\"term\":");
        push_text(surface, json);
        json.extend_from_slice(b",\"weight\":");
        push_weight(self.weight(id)?, json);
        Ok(())
    }

    /// What there is to say about a phrase: whether it is a term, its tokens, and how many answers the
    /// two questions have.
    pub fn term_json(&self, phrase: &str) -> Result<Vec<u8>> {
        let key = self.query(phrase)?;
        let id = self.term_of(phrase, &key)?;
        let supers =
            self.super_set(self.super_slots(&key)?, key.len(), &SuperOptions::default())?;
        let nested = self.nested_set(&key, Where::Anywhere, false)?;
        let mut json = b"{\"term\":".to_vec();
        push_text(phrase, &mut json);
        match id {
            None => json.extend_from_slice(
                b",\"in_vocabulary\":false,\"id\":null,\"surface\":null,\"weight\":null",
            ),
            Some(id) => {
                json.extend_from_slice(b",\"in_vocabulary\":true,\"id\":");
                push_number(id.0.into(), &mut json);
                json.extend_from_slice(b",\"surface\":");
                push_text(&self.surface(id)?, &mut json);
                json.extend_from_slice(b",\"weight\":");
                push_weight(self.weight(id)?, &mut json);
            }
        }
        json.extend_from_slice(b",\"super_count\":");
        push_number(supers.len() as u64, &mut json);
        json.extend_from_slice(b",\"nested_count\":");
        push_number(nested.len() as u64, &mut json);
        json.extend_from_slice(b",\"tokens\":[");
        let mut counter = CharCounter::new(phrase, phrase.is_ascii());
        self.each_token(phrase, self.arrays.meta.spaces, |range, form| {
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
    fn term_of(&self, phrase: &str, key: &[u32]) -> Result<Option<TermId>> {
        match self.id(phrase)? {
            Some(id) => Ok(Some(id)),
            None => self.term_of_key(key),
        }
    }

    /// The answers of [`Index::complete`], with their weights.
    pub fn complete_json(&self, prefix: &str, limit: usize) -> Result<Vec<u8>> {
        let found = self.complete_found(prefix, Some(limit))?;
        let mut json = b"{\"prefix\":".to_vec();
        push_text(prefix, &mut json);
        json.extend_from_slice(b",\"results\":[");
        for found in found {
            let id = self.id_at(found.position as usize)?;
            self.push_term(id, &self.surface(id)?, &mut json)?;
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
        overlaps: Overlaps,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Vec<u8>> {
        let cursors = Cursors { index: self, question: &overlaps, phrase: text };
        let offset = cursors.offset(cursor)?;
        let found = self.matches(text, overlaps)?;
        let total = found.id.len();
        let rows = offset.min(total)..offset.saturating_add(limit).min(total);
        let mut json = b"{\"total\":".to_vec();
        push_number(total as u64, &mut json);
        json.extend_from_slice(b",\"results\":[");
        for row in rows.clone() {
            json.extend_from_slice(b"{\"term\":");
            push_text(&self.surface(TermId(found.id[row]))?, &mut json);
            json.extend_from_slice(b",\"id\":");
            push_number(found.id[row].into(), &mut json);
            json.extend_from_slice(b",\"start\":");
            push_number(found.start[row], &mut json);
            json.extend_from_slice(b",\"end\":");
            push_number(found.end[row], &mut json);
            json.extend_from_slice(b"},");
        }
        end_list(&mut json);
        cursors.push_next(offset.saturating_add(rows.len()), total, &mut json);
        Ok(json)
    }

    // --- places ---

    /// Calls `each` with the bytes of every token of a phrase or surface that is matched, and with the
    /// form in which it is.
    fn each_token(
        &self,
        text: &str,
        spaces: Spaces,
        mut each: impl FnMut(Range<usize>, &str) -> Result<()>,
    ) -> Result<()> {
        let trimmed = self.arrays.meta.options.trim(text);
        let before = match trimmed.is_empty() {
            true => 0,
            false => trimmed.as_ptr().addr() - text.as_ptr().addr(),
        };
        self.arrays.meta.options.tokens(trimmed, spaces, |range| {
            let form = self.normal_form(&trimmed[range.clone()])?;
            match form.is_empty() {
                true => Ok(()),
                false => each(before + range.start..before + range.end, &form),
            }
        })
    }

    /// Where the tokens of a phrase stand in it, in characters.
    fn token_places(&self, phrase: &str) -> Result<Vec<Range<usize>>> {
        let mut counter = CharCounter::new(phrase, phrase.is_ascii());
        let mut places = Vec::new();
        self.each_token(phrase, self.arrays.meta.spaces, |range, _| {
            places.push(counter.advance(range.start)..counter.advance(range.end));
            Ok(())
        })?;
        Ok(places)
    }

    /// Where `length` tokens of a surface from token `start` on stand in it, in characters.
    fn span(&self, surface: &str, start: usize, length: usize) -> Result<Range<usize>> {
        let (mut token, mut first, mut last) = (0, None, None);
        self.each_token(surface, Spaces::None, |range, _| {
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

    // --- order ---

    /// Of answers in the order of ids, those from `offset` on in the order asked for, `limit` at most.
    /// The phrase has `inner` tokens.
    fn sorted_page(
        &self,
        found: Vec<Found>,
        inner: usize,
        sort: Sort,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Found>> {
        let places = offset..offset.saturating_add(limit);
        match sort {
            Sort::Weight => self.page(found, |_| false, offset, Some(limit)),
            Sort::Length => {
                let weigh = |found: Found| {
                    let weight = self.weight(self.id_at(found.position as usize)?)?;
                    Ok((weight, found))
                };
                let mut weighed = found.into_iter().map(weigh).collect::<Result<Vec<_>>>()?;
                keep(&mut weighed, places, |(heavy, a), (light, b)| {
                    let by_length = a.length.cmp(&b.length);
                    by_length.then(light.total_cmp(heavy)).then(a.position.cmp(&b.position))
                });
                Ok(weighed.into_iter().map(|(_, found)| found).collect())
            }
            Sort::Left | Sort::Right => {
                let nearest = |found: Found| {
                    let beside = match sort {
                        Sort::Left => before(&found).next(),
                        _ => behind(&found, inner).next(),
                    };
                    (beside.map_or(0, |place| first_letters(self.word(place))), found)
                };
                for found in &found {
                    self.arrays.keys.prefetch(found.position as usize);
                }
                let mut lettered: Vec<(u64, Found)> = found.into_iter().map(nearest).collect();
                keep(&mut lettered, places, |(letters, a), (others, b)| {
                    letters
                        .cmp(others)
                        .then_with(|| {
                            let left = || self.compare(before(a), before(b));
                            let right = || self.compare(behind(a, inner), behind(b, inner));
                            match sort {
                                Sort::Left => left().then_with(right),
                                _ => right().then_with(left),
                            }
                        })
                        .then(a.position.cmp(&b.position))
                });
                Ok(lettered.into_iter().map(|(_, found)| found).collect())
            }
        }
    }

    /// The token at a place of the keys; empty where a damaged index has none, so that there is an order
    /// all the same.
    fn word(&self, place: usize) -> &[u8] {
        let token = self.arrays.keys.at(place, "keys");
        token.and_then(|token| self.arrays.tokens.text(token as u32)).unwrap_or_default()
    }

    /// The order of two runs of words; the shorter first, if the longer one begins with it.
    fn compare(
        &self,
        mut one: impl Iterator<Item = usize>,
        mut other: impl Iterator<Item = usize>,
    ) -> Ordering {
        loop {
            let (a, b) = match (one.next(), other.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_some().cmp(&b.is_some()),
            };
            if self.arrays.keys.get(a) != self.arrays.keys.get(b) {
                let order = self.word(a).cmp(self.word(b));
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

/// The places of the words before the phrase in a super term, nearest first.
fn before(found: &Found) -> impl Iterator<Item = usize> + use<> {
    let position = found.position as usize;
    (position..position + found.start as usize).rev()
}

/// The places of the words behind the phrase in a super term.
fn behind(found: &Found, inner: usize) -> impl Iterator<Item = usize> + use<> {
    found.key().skip(found.start as usize + inner)
}

/// The first bytes of a word as a number that is ordered as they are.
fn first_letters(word: &[u8]) -> u64 {
    let mut letters = [0; 8];
    let length = word.len().min(8);
    letters[..length].copy_from_slice(&word[..length]);
    u64::from_be_bytes(letters)
}

/// The cursors of the pages of one answer: where a page begins, with a hash of that, of the question
/// and of the index, so that none is taken for another's.
struct Cursors<'a> {
    index: &'a Index,
    question: &'a dyn Debug,
    phrase: &'a str,
}

impl Cursors<'_> {
    fn cursor(&self, offset: usize) -> String {
        let Cursors { index, question, phrase } = self;
        let index = index.fingerprint();
        let hash = xxh3_64(format!("{index} {question:?} {offset} {phrase}").as_bytes());
        format!("{hash:016x}{offset:x}")
    }

    /// Where the page of a cursor begins.
    fn offset(&self, cursor: Option<&str>) -> Result<usize> {
        let Some(cursor) = cursor else { return Ok(0) };
        let offset = cursor.get(16..).and_then(|offset| usize::from_str_radix(offset, 16).ok());
        match offset {
            Some(offset) if self.cursor(offset) == cursor => Ok(offset),
            _ => Err(Error::Option {
                name: "cursor",
                value: format!("{cursor:?}"),
                expected: "it must be the `next` of a page of the same answer, from the index as it \
                           is now; begin again without a cursor",
            }),
        }
    }

    /// Ends an object with the cursor of the page that begins at `offset`, if there is one.
    fn push_next(&self, offset: usize, total: usize, json: &mut Vec<u8>) {
        json.extend_from_slice(b",\"next\":");
        match offset < total {
            true => push_text(&self.cursor(offset), json),
            false => json.extend_from_slice(b"null"),
        }
        json.push(b'}');
    }
}

fn as_text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))
}

/// Ends a list, behind whose last item there is a comma.
fn end_list(json: &mut Vec<u8>) {
    if json.last() == Some(&b',') {
        json.pop();
    }
    json.push(b']');
}

fn push_text(text: &str, json: &mut Vec<u8>) {
    serde_json::to_writer(json, text).expect("a string is always JSON, and memory takes it");
}

fn push_number(number: u64, json: &mut Vec<u8>) {
    serde_json::to_writer(json, &number).expect("a number is always JSON, and memory takes it");
}

fn push_weight(weight: f64, json: &mut Vec<u8>) {
    // JSON has no infinity, which a sum of weights may be.
    let weight = weight.min(f64::MAX);
    serde_json::to_writer(json, &weight).expect("a number is always JSON, and memory takes it");
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
    use crate::build::pipeline::Build;

    fn question(ask: Ask, sort: Sort) -> Question {
        Question {
            ask,
            place: Where::Anywhere,
            direct: false,
            max_extra: None,
            min_length: None,
            max_length: None,
            sort,
        }
    }

    fn index(terms: &[&str]) -> Index {
        Build::default().index(&List::from_iter(terms.iter().copied()), None).unwrap()
    }

    fn parse(json: Vec<u8>) -> serde_json::Value {
        serde_json::from_slice(&json).unwrap()
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
            let json = index.answer_json("x", &question(Ask::Super, sort), 9, None).unwrap();
            terms(&parse(json)).join(", ")
        };
        assert_eq!(ordered(Sort::Weight), "b x, a c x, x b, c c x a, a x a");
        assert_eq!(ordered(Sort::Left), "x b, a x a, b x, a c x, c c x a");
        assert_eq!(ordered(Sort::Right), "b x, a c x, a x a, c c x a, x b");
        assert_eq!(ordered(Sort::Length), "b x, x b, a c x, a x a, c c x a");
    }

    #[test]
    fn pages_follow_one_another_and_their_cursors_are_no_others() {
        let index = index(&TERMS);
        let asked = question(Ask::Super, Sort::Left);
        let first = parse(index.answer_json("x", &asked, 2, None).unwrap());
        assert_eq!(terms(&first), ["x b", "a x a"]);
        let cursor = first["next"].as_str();
        let second = parse(index.answer_json("x", &asked, 9, cursor).unwrap());
        assert_eq!(terms(&second), ["b x", "a c x", "c c x a"]);
        assert_eq!(
            (second["total"].as_u64(), &second["next"]),
            (Some(5), &serde_json::Value::Null)
        );
        for (phrase, sort) in [("x", Sort::Right), ("c", Sort::Left)] {
            let other = index.answer_json(phrase, &question(Ask::Super, sort), 2, cursor);
            assert!(matches!(other, Err(Error::Option { name: "cursor", .. })));
        }
    }

    #[test]
    fn a_batch_is_the_answers_of_its_phrases_whatever_the_threads() {
        let index = index(&TERMS);
        let phrases: Vec<&str> = TERMS.iter().copied().cycle().take(1000).collect();
        let list = List::from_iter(phrases.iter().copied());
        for ask in [Ask::Super, Ask::Nested] {
            let asked = question(ask, Sort::Weight);
            let batch = index.batch_json(&list, &asked, 3, 1).unwrap();
            assert_eq!(batch, index.batch_json(&list, &asked, 3, 4).unwrap());
            let batch = parse(batch);
            for (phrase, answer) in phrases.iter().zip(batch["results"].as_array().unwrap()) {
                let single = parse(index.answer_json(phrase, &asked, 3, None).unwrap());
                assert_eq!(answer["results"], single["results"]);
            }
        }
    }

    #[test]
    fn what_json_cannot_hold_is_written_so_that_it_can() {
        let index = index(&["\u{1}\"\\ </script> \u{2028}é"]);
        let answer = parse(index.term_json("\u{1}\"\\").unwrap());
        assert_eq!(answer["term"], "\u{1}\"\\");
        let mut json = Vec::new();
        push_weight(f64::INFINITY, &mut json);
        assert_eq!(parse(json).as_f64(), Some(f64::MAX));
    }
}
