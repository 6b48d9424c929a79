//! Words in capitals, which `case="smart"` tells apart.

/// Whether a word is written in capitals: it has two capitals or more, and no small letter but an s that
/// makes a plural at its end (GPUs). Punctuation, marks and letters without case do not matter.
///
/// A word with a digit in it is never taken for another word, however it is written: COVID-19 and Covid-19
/// are one, and not in capitals. In a heading in capitals, every word is: there, IT is found too.
pub(crate) fn is_capitals(token: &str) -> bool {
    let word = token.strip_suffix('s').unwrap_or(token);
    if word.is_ascii() {
        let other = word.bytes().any(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        return !other && word.bytes().filter(u8::is_ascii_uppercase).nth(1).is_some();
    }
    let mut capitals = 0;
    for c in word.chars() {
        if c.is_uppercase() {
            capitals += 1;
        } else if c.is_numeric() || c.is_lowercase() || c.to_lowercase().next() != Some(c) {
            // The second: titlecase letters such as ǅ.
            return false;
        }
    }
    capitals >= 2
}

#[cfg(test)]
mod tests {
    use super::is_capitals;

    #[test]
    fn acronyms_are_in_capitals() {
        for token in ["IT", "WHO", "GPUs", "NGOs", "NF-KB", "U.S.", "R&D", "ÉU", "ΟΔΟΣ", "США"]
        {
            assert!(is_capitals(token), "{token}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for token in [
            "", "I", "A", "As", "s", "it", "It", "HFpEF", "TNF-α", "mRNA", "PhD", "C++", "3.5",
            "IL-2", "COVID-19", "MP3s", "Ⅻ", "GPUss", "ǄǅA", "中国", "ÉUé", "Ⓐs",
        ] {
            assert!(!is_capitals(token), "{token}");
        }
    }
}
