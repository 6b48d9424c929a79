//! The words of terms as they are written: what an unfinished word is compared with under stemming.
//!
//! "studi" is the stem of "studies", and of what somebody types who is on the way to "study" or "studies" no
//! stem says anything. So an unfinished word is completed by the words that terms have, folded.
//!
//! Nearly all words begin like their stems, whose order the index has. The few others are found by one look
//! at all tokens, and kept in an order of their own.

use crate::analysis::Options;
use crate::arrays::dictionary::{Dictionary, Record};
use crate::arrays::forms::{changes, push_form};
use crate::error::Result;

/// The bytes that a word has in common with its token at their beginning, unless it is an exception.
const SHARED: usize = 3;

/// The folded forms of tokens that begin otherwise than their tokens, with these; in order.
pub(crate) struct WrittenWords {
    exceptions: Vec<(String, u32)>,
}

/// A form of a token, folded as by these options; None if there is no such form.
fn folded(record: &Record, number: u8, options: &Options) -> Option<String> {
    let mut form = Vec::new();
    push_form(record.text, record.forms, number, &mut form)?;
    Some(options.normal_form(&String::from_utf8_lossy(&form)).into_owned())
}

impl WrittenWords {
    /// The words of these tokens, folded as by these options.
    pub(crate) fn new(tokens: &Dictionary, options: &Options) -> Result<WrittenWords> {
        let options = options.unstemmed();
        let mut exceptions = Vec::new();
        let mut id = 0;
        while id < tokens.end() {
            let record = tokens.record(id)?;
            if changes(record.text, record.forms, SHARED) {
                for number in 0..=u8::MAX {
                    let Some(form) = folded(&record, number, &options) else { break };
                    let shared = form.as_bytes().get(..SHARED);
                    if form.as_bytes() != record.text
                        && (shared.is_none() || shared != record.text.get(..SHARED))
                    {
                        exceptions.push((form, id));
                    }
                }
            }
            id = record.next;
        }
        exceptions.sort_unstable();
        Ok(WrittenWords { exceptions })
    }

    /// The tokens with a form that may begin with `prefix`, each once.
    pub(crate) fn with_prefix(&self, tokens: &Dictionary, prefix: &str) -> Result<Vec<u32>> {
        let shared = &prefix.as_bytes()[..prefix.len().min(SHARED)];
        let places = tokens.with_prefix(shared)?;
        let mut found =
            places.map(|place| tokens.by_alphabet(place)).collect::<Result<Vec<_>>>()?;
        let start = self.exceptions.partition_point(|(form, _)| &**form < prefix);
        let others = self.exceptions[start..].iter();
        found.extend(others.take_while(|(form, _)| form.starts_with(prefix)).map(|(_, id)| id));
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.exceptions.iter().map(|(form, _)| form.len() + size_of::<(String, u32)>()).sum()
    }
}

/// For each form of a token whether it begins with `prefix` when it is folded, and if so, whether that is all.
pub(crate) fn forms_with_prefix(
    tokens: &Dictionary,
    token: u32,
    options: &Options,
    prefix: &str,
) -> Result<Vec<Option<bool>>> {
    let record = tokens.record(token)?;
    let forms = (0..=u8::MAX).map_while(|number| folded(&record, number, options));
    Ok(forms.map(|form| form.starts_with(prefix).then_some(form == prefix)).collect())
}
