//! Where the search of a text that comes in pieces may begin again.

use crate::analysis::{Options, Tokenizer, char_count};
use crate::error::{Error, Result};
use crate::index::Index;

/// The bytes between two places, about.
const BYTES_BETWEEN: usize = 1 << 12;

impl Index {
    /// Places in the beginning of a text, in characters, before which all matches are settled, whatever the
    /// text goes on with: no token is cut there, and as many tokens follow as the longest term has. A search
    /// that begins at one of them finds what begins there or later.
    pub fn settled(&self, text: &str) -> Result<Vec<usize>> {
        let pieces = self.cut_between_tokens(text);
        let mut left: Vec<usize> = Vec::new();
        let joined = self.options().joined_reading();
        for reading in [Some(self.options()), joined.as_ref()].into_iter().flatten() {
            let mut tokens = 0;
            let mut count = pieces.len() - 1;
            while count > 0 && tokens < self.arrays.meta.longest as usize {
                count -= 1;
                tokens += self.count_tokens(reading, pieces[count])?;
            }
            left.push(count);
        }
        let mut chars = 0;
        let places = pieces.iter().take(left.into_iter().min().unwrap_or(0)).map(|piece| {
            chars += char_count(piece);
            chars
        });
        Ok(places.collect())
    }

    fn count_tokens(&self, reading: &Options, text: &str) -> Result<usize> {
        let mut count = 0;
        reading.tokens(text, self.arrays.meta.spaces, |range| {
            count += usize::from(!self.normal_form_under(reading, &text[range])?.is_empty());
            Ok::<(), Error>(())
        })?;
        Ok(count)
    }

    /// A text in pieces, of which the last may end in a token.
    fn cut_between_tokens<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let parts = text.len() / BYTES_BETWEEN + 1;
        let options = self.options();
        match &options.separator {
            // White space ends a token too, if no term has any.
            Some(separator)
                if self.arrays.meta.spaces != crate::analysis::Spaces::None
                    && !separator.contains(char::is_whitespace) =>
            {
                let plain = Options {
                    separator: None,
                    tokenizer: Tokenizer::Whitespace,
                    ..options.clone()
                };
                plain.cut(text, parts.max(2))
            }
            _ => options.cut(text, parts.max(2)),
        }
    }
}
