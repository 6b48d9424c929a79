//! Terms to fingerprints, by the same rules as in an index.

use std::sync::Arc;

use crate::analysis::{Normalize, Options, Spaces};
use crate::build::entries::Entries;
use crate::error::{Error, Place, Result};
use crate::join::fingerprint::{Fingerprinter, Prefix, TokenValue};
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS};

/// How terms become fingerprints.
pub struct TermAnalyzer {
    /// How terms become tokens.
    pub options: Options,
    /// The user's own normalisation of tokens.
    pub normalizer: Option<Arc<dyn Normalize>>,
    /// How tokens become fingerprints.
    pub fingerprinter: Fingerprinter,
}

impl TermAnalyzer {
    /// Writes the values of a text's tokens to `key`, and returns the number of tokens before those with
    /// an empty normal form were dropped.
    pub(super) fn key_of(&self, text: &str, key: &mut Vec<TokenValue>) -> Result<usize> {
        key.clear();
        let mut count = 0;
        self.options.tokens(text, Spaces::None, |range| {
            count += 1;
            let mut form = self.options.normal_form(&text[range]);
            if let Some(normalizer) = &self.normalizer
                && !form.is_empty()
            {
                form = normalizer.normalize(&form)?.into();
            }
            if form.len() > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: form.len() });
            }
            if !form.is_empty() {
                key.push(self.fingerprinter.token(&form));
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Calls `each` with the row, the surface and the key of every entry that is a term.
    pub(super) fn visit_terms(
        &self,
        entries: &dyn Entries,
        mut each: impl FnMut(usize, &str, &[TokenValue]),
    ) -> Result<()> {
        let mut key = Vec::new();
        let mut row = 0;
        for part in entries.cut(1) {
            entries.visit(part, &mut |entry| {
                let entry = self.options.trim_entry(entry);
                let tokens = self.key_of(entry, &mut key)?;
                if tokens > 0 {
                    let surface = self.options.surface_of(entry);
                    check_size(&surface, &key)?;
                    if !key.is_empty() {
                        each(row, &surface, &key);
                    }
                }
                row += 1;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The fingerprint of a key.
    pub(super) fn fingerprint(&self, key: &[TokenValue]) -> u128 {
        let extend = |prefix, &token: &TokenValue| self.fingerprinter.extend(prefix, token);
        key.iter().fold(Prefix::EMPTY, extend).fingerprint()
    }
}

fn check_size(surface: &str, key: &[TokenValue]) -> Result<()> {
    let place = || Place::beginning(surface);
    if surface.len() > MAX_TERM_BYTES {
        return Err(Error::TermBytes { place: place(), found: surface.len() });
    }
    if key.len() > MAX_TERM_TOKENS {
        return Err(Error::TermTokens { place: place(), found: key.len() });
    }
    Ok(())
}
