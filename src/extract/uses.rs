//! How words are used: what the function words beside them show of their part of speech, and how likely a
//! candidate of such words is a term.

use crate::extract::words::{DistinctWords, WordKind};

/// How often a word occurs, and beside which function words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordUse {
    pub(super) count: u32,
    /// Before an article and the like, as verbs and prepositions are.
    before_determiner: u32,
    /// After a pronoun, an auxiliary or the like, as verbs are.
    after_verbal: u32,
    before_preposition: u32,
    /// Before a function word, a sign or the end.
    last: u32,
    /// After a function word, a sign or the end.
    first: u32,
}

/// The uses of all words, by their numbers.
#[derive(Default)]
pub(super) struct WordUses {
    uses: Vec<WordUse>,
    /// The last word, if nothing ended since.
    previous: Option<(u32, WordKind)>,
}

impl WordUses {
    pub(super) fn of(&self, word: u32) -> WordUse {
        self.uses[word as usize]
    }

    /// Notes the next word.
    pub(super) fn push(&mut self, word: u32, kind: WordKind) {
        if self.uses.len() <= word as usize {
            self.uses.resize(word as usize + 1, WordUse::default());
        }
        if let Some((before, before_kind)) = self.previous {
            let before = &mut self.uses[before as usize];
            before.before_determiner += u32::from(kind.determiner);
            before.before_preposition += u32::from(kind.preposition);
            before.last += u32::from(kind.stops);
            let this = &mut self.uses[word as usize];
            this.after_verbal += u32::from(before_kind.verbal);
            this.first += u32::from(before_kind.stops);
        } else {
            self.uses[word as usize].first += 1;
        }
        self.uses[word as usize].count += 1;
        self.previous = Some((word, kind));
    }

    /// Notes that the run of words ends.
    pub(super) fn end_run(&mut self) {
        if let Some((before, _)) = self.previous.take() {
            self.uses[before as usize].last += 1;
        }
    }

    /// The share of the uses of a word in which it is a verb, judging by the words beside it.
    fn verb_share(&self, word: u32) -> f64 {
        let WordUse { count, before_determiner, after_verbal, .. } = self.of(word);
        f64::from(before_determiner + after_verbal) / f64::from(count + 1)
    }

    /// How likely words are a term, from 0 to 1, judging by how each of them is used, and how they look.
    /// `alone` is the share of its occurrences that are outside of longer candidates.
    ///
    /// The thresholds are where the share of terms falls to a third in texts of four languages with gold
    /// lists: nouns are rarely before articles, last words of terms are often last.
    pub(super) fn quality(&self, words: &DistinctWords, run: &[u32], alone: f64) -> f64 {
        let is_content = |word: &&u32| !words.kind(**word).stops;
        let content: Vec<u32> = run.iter().filter(is_content).copied().collect();
        let (Some(&first), Some(&last)) = (content.first(), content.last()) else { return 0.0 };
        let share = |part: u32, word: u32| f64::from(part) / f64::from(self.of(word).count.max(1));
        let mut quality = (1.0 - 2.5 * self.verb_share(last)).max(0.02);
        let before_preposition =
            f64::from(self.of(last).before_preposition) / f64::from(self.of(last).count + 1);
        quality *= ((1.0 - before_preposition) / 0.6).min(1.0);
        quality *= (0.1 + alone / 0.15).min(1.0);
        if content.len() > 1 {
            quality *= (1.0 - 1.5 * self.verb_share(first)).max(0.2);
            quality *= (share(self.of(last).last, last) / 0.25).min(1.0);
            quality *= (share(self.of(first).first, first) / 0.15).min(1.0);
        }
        if content.len() == run.len() {
            if content.len() > 1 {
                quality *= ((1.0 - share(self.of(first).last, first)) / 0.5).min(1.0);
            }
        } else {
            // Most runs across a function word are not terms.
            quality *= 0.6;
        }
        if words.kind(last).general {
            quality *= 0.25;
        } else if words.kind(first).general {
            quality *= 0.5;
        }
        quality * self::form_quality(content.iter().map(|&word| words.text(word)))
    }
}

/// How likely words are a term, judging by how they look: not if they are formulae, references by number, or
/// a letter alone.
fn form_quality<'a>(words: impl Iterator<Item = &'a str> + Clone) -> f64 {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let mut quality = 1.0;
    if words.clone().any(|word| word.chars().count() == 1)
        && !words.clone().any(|word| letters(word) > 3)
    {
        quality *= 0.01;
    }
    if words.clone().any(is_of_two_scripts) {
        quality *= 0.01;
    }
    if words.clone().last().is_some_and(|word| letters(word) == 0) {
        quality *= 0.05;
    }
    if words.clone().next().is_some_and(|word| word.starts_with(char::is_numeric)) {
        quality *= 0.3;
    }
    quality
}

/// Whether a word has Greek and Latin letters, as the names of variables do.
fn is_of_two_scripts(word: &str) -> bool {
    word.split(|c: char| !c.is_alphabetic()).any(|part| {
        let greek = part.contains(|c| matches!(c, '\u{370}'..='\u{3ff}'));
        greek && part.contains(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::form_quality;

    #[test]
    fn formulae_references_and_single_letters_are_unlikely_terms() {
        let quality = |text: &str| form_quality(text.split(' '));
        for term in ["vitamin c", "t cell", "wind turbine", "β-carotene", "il-2 receptor"] {
            assert_eq!(quality(term), 1.0, "{term}");
        }
        for other in ["x", "sin ϕ", "λr", "article 7", "2020 report"] {
            assert!(quality(other) < 0.5, "{other}");
        }
    }
}
