//! The words that terms add to a phrase.

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::asked::{Phrase, Reading};

/// A side of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before it.
    Left,
    /// After it.
    Right,
}

/// A word that occurs next to a phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// Its normal form.
    pub word: String,
    /// The number of terms in which it does.
    pub terms: u64,
    /// The sum of their weights.
    pub weight: f64,
}

impl Index {
    /// The words that terms have next to a phrase: heaviest first, then those of the most terms, then
    /// by the alphabet.
    pub fn expansions(&self, phrase: &str, side: Side) -> Result<Vec<Expansion>> {
        let asked = self.asked(phrase)?;
        let mut beside = Vec::new();
        for Phrase { key, capitals } in asked.readings.iter().map(Reading::phrase) {
            for slot in self.super_slots(key)? {
                let p = self.suffix(slot)?;
                // A border is where the name begins or ends.
                let (border, place) = match side {
                    Side::Left => (p, p.wrapping_sub(1)),
                    Side::Right => (p + key.len(), p + key.len()),
                };
                if !self.arrays.borders.get(border)? && self.has_capitals(p, capitals)? {
                    let token = self.arrays.keys.at(place, "keys")? as u32;
                    beside.push((token, self.found_at(p, key.len())?.position as usize));
                }
            }
        }
        // A term counts once, however often its names have the phrase.
        beside.sort_unstable();
        beside.dedup();
        let mut found = Vec::new();
        for alike in beside.chunk_by(|a, b| a.0 == b.0) {
            let word = String::from_utf8(self.arrays.tokens.text(alike[0].0)?.to_vec())
                .map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))?;
            let mut weight = 0.0;
            for &(_, position) in alike {
                weight += self.weight(self.id_at(position)?)?;
            }
            found.push(Expansion { word, terms: alike.len() as u64, weight });
        }
        found.sort_by(|a, b| {
            let by_weight = b.weight.total_cmp(&a.weight);
            by_weight.then(b.terms.cmp(&a.terms)).then_with(|| a.word.cmp(&b.word))
        });
        Ok(found)
    }
}
