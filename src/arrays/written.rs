//! The words of terms as they are written: what an unfinished word is compared with under stemming.
//!
//! "studi" is the stem of "studies", and of what somebody types who is on the way to "study" or "studies" no
//! stem says anything. So an unfinished word is completed by the words that terms have, folded.

use std::ops::Range;

use crate::analysis::Options;
use crate::arrays::dictionary::Dictionary;
use crate::arrays::forms::push_form;
use crate::error::Result;

/// The folded forms of all tokens, in order.
pub(crate) struct WrittenWords {
    /// The forms one after the other.
    text: String,
    /// Where each form ends.
    ends: Vec<usize>,
    /// The token of each form.
    tokens: Vec<u32>,
}

impl WrittenWords {
    /// The forms of these tokens, folded as by these options.
    pub(crate) fn new(tokens: &Dictionary, options: &Options) -> Result<WrittenWords> {
        let options = options.unstemmed();
        let mut forms: Vec<(String, u32)> = Vec::with_capacity(tokens.len());
        let mut form = Vec::new();
        for place in 0..tokens.len() {
            let id = tokens.by_alphabet(place)?;
            let record = tokens.record(id)?;
            let first = forms.len();
            // Joined readings have no forms but the stem.
            forms.push((String::from_utf8_lossy(record.text).into_owned(), id));
            for number in 0.. {
                form.clear();
                if push_form(record.text, record.forms, number, &mut form).is_none() {
                    break;
                }
                let folded = options.normal_form(&String::from_utf8_lossy(&form)).into_owned();
                if forms[first..].iter().all(|(other, _)| *other != folded) {
                    forms.push((folded, id));
                }
            }
        }
        forms.sort_unstable();
        let mut written = WrittenWords {
            text: String::new(),
            ends: Vec::with_capacity(forms.len()),
            tokens: Vec::with_capacity(forms.len()),
        };
        for (form, token) in forms {
            written.text.push_str(&form);
            written.ends.push(written.text.len());
            written.tokens.push(token);
        }
        Ok(written)
    }

    fn form(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }

    /// The tokens with a form that begins with `prefix`, each once.
    pub(crate) fn with_prefix(&self, prefix: &str) -> Vec<u32> {
        let Range { start, end } = self.range(prefix);
        let mut tokens = self.tokens[start..end].to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }

    fn range(&self, prefix: &str) -> Range<usize> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.form(middle) < prefix {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let start = low;
        high = self.ends.len();
        while low < high {
            let middle = low + (high - low) / 2;
            match self.form(middle).starts_with(prefix) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        start..low
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 8 + self.tokens.len() * 4
    }
}
