//! The join of two columns: every row of one whose phrase occurs in a row of the other.
//!
//! The phrases become an index in which each row is a term of its own. If the texts are the phrases
//! themselves, one scan of its suffixes finds all pairs (see pairs.rs), and terms with equal keys are
//! neighbours. Other texts are walked, one by one.

use std::ops::Range;

use crate::build::Build;
use crate::build::entries::{Entries, cut_evenly};
use crate::error::Result;
use crate::graph::pairs::{Names, Nested};
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::asked::Phrase;
use crate::query::walk::{TermRange, Walk};
use crate::threads::{run, threads_for, threads_or_all};

/// Pairs of a phrase and a text in which it occurs, by phrase, then by text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Containment {
    /// The rows of the phrases.
    pub phrases: Vec<u32>,
    /// The rows of the texts.
    pub texts: Vec<u32>,
}

/// Texts that are looked up in step, so that they wait for memory at the same time.
const TEXTS_IN_STEP: usize = 64;
/// The most texts of a task.
const TEXTS_PER_TASK: usize = 4096;
/// The bytes that a task reads.
const BYTES_PER_TASK: usize = 1 << 17;

impl Build {
    /// The rows of phrases that occur in rows of texts; the texts are the phrases themselves if none are
    /// given. With `proper`, not in texts that they equal.
    pub fn containment(
        &self,
        phrases: &dyn Entries,
        texts: Option<&dyn Entries>,
        proper: bool,
    ) -> Result<Containment> {
        let (arrays, rows) = self.arrays_of_rows(phrases)?;
        let index = Index::new(arrays, self.normalizer.clone(), None);
        self.progress.check()?;
        let threads = threads_or_all(self.threads);
        let is_own = texts.is_none() && index.is_plain();
        let parts = match is_own {
            true => index.own_containment(proper, threads)?,
            false => {
                index.contained_in(texts.unwrap_or(phrases), proper, threads, &self.progress)?
            }
        };
        self.progress.check()?;
        let pairs = index.sort_by_nested(&parts, threads_for(index.arrays.keys.len(), threads))?;
        let (mut found, mut within) = (pairs.nested, pairs.supers);
        // The entries without a token are not terms.
        if rows.last().is_some_and(|&last| last as usize >= rows.len()) {
            found.iter_mut().for_each(|term| *term = rows[*term as usize]);
            if is_own {
                within.iter_mut().for_each(|term| *term = rows[*term as usize]);
            }
        }
        Ok(Containment { phrases: found, texts: within })
    }
}

impl Index {
    /// The terms that occur in each term of a plain index.
    fn own_containment(&self, proper: bool, threads: usize) -> Result<Vec<Nested>> {
        let threads = threads_for(self.arrays.keys.len(), threads);
        let parts = self.all_nested(Names::Own, threads, true)?;
        if proper {
            return Ok(parts);
        }
        let groups = self.equal_terms()?;
        let mut group_of = Vec::new();
        if !groups.is_empty() {
            group_of = vec![0..0; self.len()];
            let mut start = 0;
            for end in groups.ends {
                for &term in &groups.terms[start..end] {
                    group_of[term as usize] = start..end;
                }
                start = end;
            }
        }
        let shares: Vec<(Range<usize>, Nested)> =
            cut_evenly(self.len(), threads).into_iter().zip(parts).collect();
        run(threads, shares, |(terms, nested)| {
            let mut all = Nested::default();
            let mut nested = nested.each().peekable();
            for term in terms.start as u32..terms.end as u32 {
                if let Some((_, found)) = nested.next_if(|&(other, _)| other == term) {
                    all.found.extend_from_slice(found);
                }
                match group_of.get(term as usize).filter(|group| !group.is_empty()) {
                    None => all.found.push((term, 0)),
                    Some(group) => {
                        let equal = groups.terms[group.clone()].iter();
                        all.found.extend(equal.map(|&other| (other, 0)));
                    }
                }
                all.end(term);
            }
            Ok(all)
        })
    }

    /// The terms that occur in each of some texts, by the numbers of these.
    fn contained_in(
        &self,
        texts: &dyn Entries,
        proper: bool,
        threads: usize,
        progress: &crate::Progress,
    ) -> Result<Vec<Nested>> {
        let count: usize = texts.cut(1).iter().map(Range::len).sum();
        let tasks = count.div_ceil(TEXTS_PER_TASK).max(texts.size() / BYTES_PER_TASK).max(1);
        let parts = texts.cut(tasks);
        let mut first = 0;
        let numbered = parts.into_iter().map(|part| {
            let number = first;
            first += part.len() as u32;
            (part, number)
        });
        run(threads_for(texts.size(), threads), numbered.collect(), |(part, first)| {
            progress.check()?;
            let mut all = Nested::default();
            let mut number = first;
            let mut occurring = Vec::new();
            let mut held = Vec::new();
            let mut finish = |held: &mut Vec<&str>| {
                if self.is_plain() {
                    let keys = self.keys_of(held)?;
                    // The walks take these steps again; by then their memory is there.
                    self.first_steps(keys.iter().flat_map(|(key, _)| {
                        let next = key.iter().skip(1).map(|&next| Some(next)).chain([None]);
                        key.iter().copied().zip(next).filter(|&(token, _)| token != UNKNOWN)
                    }))?;
                    for (key, _) in keys.iter() {
                        self.occurring(Phrase::plain(key), proper, &[], &mut occurring)?;
                        all.add(number, &mut occurring);
                        number += 1;
                    }
                } else {
                    for text in held.iter() {
                        let asked = self.asked(text)?;
                        let own = if proper { &asked.own[..] } else { &[] };
                        for reading in &asked.readings {
                            self.occurring(reading.phrase(), proper, own, &mut occurring)?;
                        }
                        all.add(number, &mut occurring);
                        number += 1;
                    }
                }
                held.clear();
                Ok(())
            };
            texts.visit(part, &mut |text| {
                held.push(text);
                if held.len() == TEXTS_IN_STEP { finish(&mut held) } else { Ok(()) }
            })?;
            finish(&mut held)?;
            Ok(all)
        })
    }

    /// Adds the terms that occur in a phrase, some perhaps more than once: all that have a name in it; with
    /// `proper`, none that has a name of all its tokens, or whose own key begins at a position in `own`.
    fn occurring(
        &self,
        phrase: Phrase,
        proper: bool,
        own: &[u32],
        all: &mut Vec<(u32, u32)>,
    ) -> Result<()> {
        let count = phrase.key.len();
        let mut terms: Vec<(usize, TermRange)> = Vec::new();
        let mut each = |start: usize, term: TermRange| {
            if !proper || term.length < count {
                terms.push((start, term));
            }
            Ok(())
        };
        let mut walk = Walk::of(self, phrase.key);
        if self.arrays.capitals.is_some() {
            // Of several occurrences, one may have the capitals that a term needs.
            for start in 0..count {
                walk.each_at(start, |term| each(start, term.clone()))?;
            }
        } else {
            walk.each_distinct(each)?;
            // Each once, and only then its variants.
            terms.sort_unstable_by_key(|(_, term)| term.position);
            terms.dedup_by_key(|(_, term)| term.position);
        }
        for (start, term) in &terms {
            let capitals = phrase.capitals.get(*start..).unwrap_or_default();
            self.each_variant(term, |name| {
                if self.allows_capitals(name, term.length, capitals)? {
                    let position = self.own_position(name)? as u32;
                    if own.binary_search(&position).is_err() {
                        all.push((self.id_at(name)?.0, *start as u32));
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl Nested {
    /// Takes the terms that occur in a text, each once.
    fn add(&mut self, text: u32, occurring: &mut Vec<(u32, u32)>) {
        occurring.sort_unstable();
        occurring.dedup_by_key(|&mut (term, _)| term);
        self.found.append(occurring);
        self.end(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Case, Hyphens, Options};
    use crate::build::entries::List;

    /// The pairs by definition: a row of tokens in another.
    fn expected(phrases: &[String], texts: &[String], proper: bool) -> Vec<(u32, u32)> {
        let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut pairs = Vec::new();
        for (p, phrase) in (0..).zip(phrases) {
            for (t, text) in (0..).zip(texts) {
                let (inner, outer) = (split(phrase), split(text));
                let occurs = !phrase.is_empty() && outer.windows(inner.len()).any(|w| w == inner);
                if occurs && !(proper && inner == outer) {
                    pairs.push((p, t));
                }
            }
        }
        pairs
    }

    #[test]
    fn a_join_has_every_pair_of_rows_by_definition() {
        let mut state = 5u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let mut column = |count: u64, length: u64| -> Vec<String> {
                let count = random(count);
                (0..count)
                    .map(|_| {
                        let words =
                            (0..random(length)).map(|_| ["a", "b", "c"][random(3) as usize]);
                        words.collect::<Vec<_>>().join(" ")
                    })
                    .collect()
            };
            let (phrases, texts) =
                (column(30, 5), column(20, if round % 3 == 0 { 200 } else { 7 }));
            let list = |column: &[String]| List::from_iter(column.iter().map(String::as_str));
            for threads in [1, 3] {
                let build = Build { threads: Some(threads), ..Build::default() };
                for proper in [false, true] {
                    let pairs = |found: Containment| -> Vec<(u32, u32)> {
                        found.phrases.into_iter().zip(found.texts).collect()
                    };
                    let found = build.containment(&list(&phrases), Some(&list(&texts)), proper);
                    assert_eq!(pairs(found.unwrap()), expected(&phrases, &texts, proper));
                    // The scan of the phrases themselves, and a walk of each.
                    let own = build.containment(&list(&phrases), None, proper);
                    assert_eq!(pairs(own.unwrap()), expected(&phrases, &phrases, proper));
                    let walked = build.containment(&list(&phrases), Some(&list(&phrases)), proper);
                    assert_eq!(pairs(walked.unwrap()), expected(&phrases, &phrases, proper));
                }
            }
        }
    }

    #[test]
    fn capitals_and_hyphens_count_as_in_all_answers() {
        let phrases = List::from_iter(["IT", "e-mail", "it staff", "email"]);
        let texts =
            List::from_iter(["ask it staff", "the IT STAFF", "an email", "an e-mail to IT"]);
        let options =
            Options { fold: true, case: Case::Smart, hyphens: Hyphens::Both, ..Options::default() };
        let build = Build { options, ..Build::default() };
        let found = build.containment(&phrases, Some(&texts), false).unwrap();
        assert_eq!(found.phrases, [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(found.texts, [1, 3, 2, 3, 0, 1, 2, 3]);
        // "e-mail" and "email" are readings of each other.
        let proper = build.containment(&phrases, None, true).unwrap();
        assert_eq!((proper.phrases, proper.texts), (vec![], vec![]));
        let own = build.containment(&phrases, None, false).unwrap();
        assert_eq!(own.phrases, [0, 1, 1, 2, 3, 3]);
        assert_eq!(own.texts, [0, 1, 3, 2, 1, 3]);
    }
}
