//! Splitting at white space or a separator, and which white space separates in addition to a separator.

use std::ops::Range;

/// Which white space separates the words of a query, in addition to a separator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spaces {
    /// None: white space is part of tokens, or there is no separator.
    #[default]
    None,
    /// ASCII white space. Some vocabularies have U+2028 as an entry, and "New York" should still find
    /// `New_York` in them.
    Ascii,
    /// All white space.
    All,
}

impl Spaces {
    /// The length of the white space at byte `at` that separates; 0 if there is none.
    #[inline]
    pub(super) fn length_at(self, text: &str, at: usize) -> usize {
        match self {
            Spaces::None => 0,
            Spaces::Ascii => usize::from(is_blank(&text.as_bytes()[at..=at])),
            Spaces::All => white_space(text, at),
        }
    }
}

/// The white space that a text, given as bytes, does not contain.
pub(super) fn spaces_absent_from(text: &[u8]) -> Spaces {
    let text = String::from_utf8_lossy(text);
    if !(0..text.len()).any(|at| white_space(&text, at) > 0) {
        Spaces::All
    } else if !text.bytes().any(|byte| is_blank(&[byte])) {
        Spaces::Ascii
    } else {
        Spaces::None
    }
}

/// Whether a line consists of ASCII white space alone.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
}

/// The first bytes of the white space characters. Other characters begin with some of them too.
const FIRST_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let white = b" \t\n\x0b\x0c\r\xC2\xE1\xE2\xE3";
    let mut i = 0;
    while i < white.len() {
        bytes[white[i] as usize] = true;
        i += 1;
    }
    bytes
};

/// The length in bytes of the white space character at byte `at`; 0 if there is none.
#[inline]
pub(super) fn white_space(text: &str, at: usize) -> usize {
    let byte = text.as_bytes()[at];
    if !FIRST_BYTES[byte as usize] {
        return 0;
    }
    match byte {
        b' ' | b'\t'..=b'\r' => 1,
        // The other white space characters begin with one of these bytes.
        0xC2 | 0xE1 | 0xE2 | 0xE3 => match text[at..].chars().next() {
            Some(c) if c.is_whitespace() => c.len_utf8(),
            _ => 0,
        },
        _ => 0,
    }
}

/// Splits `text` at white space.
#[inline]
pub(super) fn split_at_white_space<E>(
    text: &str,
    mut each: impl FnMut(Range<usize>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let bytes = text.as_bytes();
    let (mut start, mut at) = (0, 0);
    loop {
        at = visible_end(bytes, at);
        if at == bytes.len() {
            break;
        }
        let length = white_space(text, at);
        if length == 0 {
            at += 1;
            continue;
        }
        if start < at {
            each(start..at)?;
        }
        at += length;
        start = at;
    }
    if start < at { each(start..at) } else { Ok(()) }
}

/// The first byte from `at` on that may be white space.
#[inline]
fn visible_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    while let Some(eight) = bytes.get(at..at + 8) {
        let eight = eight.try_into().map_or(0, u64::from_le_bytes);
        // The highest bit of a byte is set if it is at most a blank, or not ASCII; of the first such
        // byte, that is. Subtracting may change the bytes after it.
        let found = (eight.wrapping_sub(ONES * 0x21) & !eight | eight) & (ONES * 0x80);
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        if FIRST_BYTES[bytes[at] as usize] {
            return at;
        }
        at += 1;
    }
    while at < bytes.len() && !FIRST_BYTES[bytes[at] as usize] {
        at += 1;
    }
    at
}

/// Splits `text` wherever `separator` returns the length of a separator, and drops empty tokens.
///
/// `separator` is also called for byte positions inside a character, where it must return 0. It does, as
/// no UTF-8 sequence begins inside another.
#[inline]
pub(super) fn split<E>(
    text: &str,
    separator: impl Fn(usize) -> usize,
    mut each: impl FnMut(Range<usize>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let length = separator(at);
        if length == 0 {
            at += 1;
            continue;
        }
        if start < at {
            each(start..at)?;
        }
        at += length;
        start = at;
    }
    if start < at {
        each(start..at)?;
    }
    Ok(())
}
