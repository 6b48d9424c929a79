//! The terms that complete a phrase.

use crate::analysis::Tokenizer;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::Forms;
use crate::query::answer::{Found, Hit};

/// How far ahead of its use the memory of a token is asked for, in tokens.
const AHEAD: usize = 16;

impl Index {
    /// Terms in which the phrase is followed by something, its last word possibly unfinished: those
    /// that start with it first, then heaviest first, then by id.
    pub fn complete(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        self.hits(&self.complete_found(prefix, limit)?)
    }

    pub(crate) fn complete_found(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Found>> {
        let mut fitting: Vec<Found> = Vec::new();
        if let Some(limit) = limit {
            self.each_completion(prefix, |p| {
                if self.arrays.borders.get(p)? {
                    fitting.push(self.found_at(p)?);
                }
                Ok(())
            })?;
            // Those that start with the phrase come first: if they are enough, they are all.
            if fitting.len() < limit {
                fitting.clear();
            }
        }
        if fitting.is_empty() {
            self.each_completion(prefix, |p| {
                fitting.push(self.found_at(p)?);
                Ok(())
            })?;
        }
        // Of a term's occurrences the first is kept: it tells whether the term starts with the phrase.
        fitting.sort_unstable_by_key(|found| (found.position, found.start));
        fitting.dedup_by_key(|found| found.position);
        self.page(fitting, |found| found.start > 0, 0, limit)
    }

    /// Calls `each` with the positions at which the phrase stands and is followed by something, its last
    /// word possibly unfinished.
    fn each_completion(
        &self,
        prefix: &str,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let options = &self.arrays.meta.options;
        // A last cluster may be a blank that separates words: it counts.
        let prefix = match options.tokenizer {
            Tokenizer::Chars => prefix.trim_start(),
            _ => prefix,
        };
        let mut ends = Vec::new();
        options.tokens(prefix, self.arrays.meta.spaces, |range| {
            ends.push(range);
            Ok::<(), Error>(())
        })?;
        let unfinished = match ends.last() {
            None => return Ok(()),
            Some(last) if last.end < prefix.len() => None,
            Some(last) => Some(last.clone()),
        };
        let whole = unfinished.as_ref().map_or(prefix, |last| &prefix[..last.start]);
        let key = self.untrimmed_key_of(whole, self.arrays.meta.spaces, &mut Forms::new())?;
        let mut note = |slot: usize, length: usize, finished: bool| -> Result<()> {
            let p = self.suffix(slot)?;
            if finished && self.arrays.borders.get(p + length)? {
                return Ok(()); // nothing follows
            }
            each(p)
        };
        match unfinished {
            None => {
                for slot in self.phrase(&key)? {
                    note(slot, key.len(), true)?;
                }
            }
            Some(last) => {
                let form = options.normal_form(&prefix[last]);
                if key.is_empty() && form.is_empty() {
                    return Ok(());
                }
                let unfinished = self.arrays.tokens.with_prefix(form.as_bytes())?;
                let slots = self.phrase(&key)?;
                // The token that is the prefix itself is finished.
                if key.is_empty() || unfinished.len() < slots.len() / 16 {
                    for place in unfinished.clone() {
                        // The tokens lie far from each other in memory: they are waited for together.
                        if place + AHEAD < unfinished.end {
                            self.arrays
                                .tokens
                                .prefetch(self.arrays.tokens.by_alphabet(place + AHEAD)?);
                        }
                        let token = self.arrays.tokens.by_alphabet(place)?;
                        let finished = self.arrays.tokens.text(token)? == form.as_bytes();
                        let slots = match key.is_empty() {
                            true => self.bucket(token)?,
                            false => self.narrow(slots.clone(), key.len(), token)?,
                        };
                        for slot in slots {
                            note(slot, key.len() + 1, finished)?;
                        }
                    }
                } else {
                    for slot in slots {
                        let p = self.suffix(slot)? + key.len();
                        if !self.arrays.borders.get(p)? {
                            let next =
                                self.arrays.tokens.text(self.arrays.keys.at(p, "keys")? as u32)?;
                            if next.starts_with(form.as_bytes()) {
                                note(slot, key.len() + 1, next == form.as_bytes())?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
