//! Offsets in characters, as Python counts them, from offsets in bytes.

/// The number of characters of a text.
pub(crate) fn char_count(text: &str) -> usize {
    // Every character has one byte that is not a continuation byte 0b10xxxxxx.
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

/// Converts increasing byte offsets of a text to offsets in characters.
#[derive(Clone)]
pub(crate) struct CharCounter<'a> {
    text: &'a str,
    /// The last byte offset, and its offset in characters.
    bytes: usize,
    chars: usize,
    ascii: bool,
}

impl<'a> CharCounter<'a> {
    /// `ascii` may be true only if the text is ASCII; counting is then free.
    pub(crate) fn new(text: &'a str, ascii: bool) -> Self {
        CharCounter { text, bytes: 0, chars: 0, ascii }
    }

    /// The number of characters before byte `offset`, which must not be less than in the last call.
    #[inline]
    pub(crate) fn advance(&mut self, offset: usize) -> usize {
        if self.ascii {
            return offset;
        }
        self.chars += char_count(&self.text[self.bytes..offset]);
        self.bytes = offset;
        self.chars
    }
}
