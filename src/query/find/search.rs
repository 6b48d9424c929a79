//! The search for terms in texts, by one thread.

use crate::analysis::{CharCounter, Options, is_hyphen};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::find::matches::Matches;
use crate::query::find::options::{FindOptions, Overlaps, Variants};
use crate::query::find::words::{Alone, Asked, KnownWords, Word};
use crate::query::walk::{TermRange, Walk};

/// A text, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    /// The text from where the part begins.
    pub(super) text: &'a str,
    /// The bytes of the part. Terms that begin in it may end after it.
    pub(super) own: usize,
    /// The characters before it.
    pub(super) chars: usize,
    pub(super) is_ascii: bool,
}

impl<'a> Piece<'a> {
    /// A whole text.
    pub(super) fn whole(text: &'a str) -> Piece<'a> {
        Piece { text, own: text.len(), chars: 0, is_ascii: text.is_ascii() }
    }
}

/// Tokens of texts that are searched at a time: few enough for a core's cache.
const TOKENS_AT_A_TIME: usize = 2048;
/// Words of a text that are looked up at a time, so that they wait for memory together.
const WORDS_AT_A_TIME: usize = 32;

/// What has been read of the texts, and found.
pub(super) struct Search<'a> {
    index: &'a Index,
    options: FindOptions<'a>,
    /// The words of texts as they are, and under the other reading of hyphens.
    known: [KnownWords; 2],
    /// Words to look up, and where they begin and end in their text, in characters.
    asked: Vec<(Asked, (u64, u64))>,
    tokens: Tokens,
    /// The matches in all texts so far.
    found: Matches,
    /// How many there are up to the end of each text.
    ends: Vec<usize>,
}

/// Some tokens of texts, one text after the other; where one ends is a token that no term has.
#[derive(Default)]
struct Tokens {
    ids: Vec<u32>,
    words: Vec<Word>,
    /// Where they begin and end in their texts, in characters.
    places: Vec<(u64, u64)>,
    /// Which are in capitals, if that matters.
    capitals: Vec<bool>,
}

/// Where a text ends. Ignored words are not among the tokens.
const END: Word = Word { is_ignored: true, ..Word::UNKNOWN };

impl Tokens {
    #[inline]
    fn push(&mut self, word: Word, place: (u64, u64)) {
        self.ids.push(word.token);
        self.words.push(word);
        self.places.push(place);
    }

    fn drain(&mut self, count: usize) {
        self.ids.drain(..count);
        self.words.drain(..count);
        self.places.drain(..count);
        self.capitals.drain(..count.min(self.capitals.len()));
    }
}

impl<'a> Search<'a> {
    /// A search in texts of about this many bytes.
    pub(super) fn new(index: &'a Index, options: FindOptions<'a>, bytes: usize) -> Search<'a> {
        let both = index.options().joined_reading().is_some();
        Search {
            index,
            options,
            known: [KnownWords::new(bytes), KnownWords::new(if both { bytes } else { 0 })],
            asked: Vec::with_capacity(WORDS_AT_A_TIME),
            tokens: Tokens::default(),
            found: Matches::default(),
            ends: Vec::new(),
        }
    }

    /// The matches in some pieces, which are pieces of the same text or of different ones, and how many
    /// there are up to the end of each. They are as [`Matches::keep`] expects them.
    pub(super) fn run(&mut self, pieces: &[Piece]) -> Result<(Matches, Vec<usize>)> {
        let (found, ends) = self.read_all(pieces.iter().copied(), 0, self.index.options())?;
        // The second reading differs from the first only where there are hyphens.
        let has_hyphens = |piece: &Piece| piece.text.contains(is_hyphen);
        let joined = self.index.options().joined_reading();
        let Some(joined) = joined.filter(|_| pieces.iter().any(has_hyphens)) else {
            return Ok((found, ends));
        };
        let empty = Piece::whole("");
        let others = pieces.iter().map(|piece| if has_hyphens(piece) { *piece } else { empty });
        let (other, other_ends) = self.read_all(others, 1, &joined)?;
        let (mut both, mut both_ends) = (Matches::default(), Vec::with_capacity(ends.len()));
        let (mut row, mut other_row) = (0, 0);
        for (end, other_end) in ends.into_iter().zip(other_ends) {
            let first = both.len();
            both.extend(&found, row..end);
            both.extend(&other, other_row..other_end);
            both.sort_from(first);
            both_ends.push(both.len());
            (row, other_row) = (end, other_end);
        }
        Ok((both, both_ends))
    }

    /// The matches in some pieces under one reading.
    fn read_all<'b>(
        &mut self,
        pieces: impl Iterator<Item = Piece<'b>>,
        number: usize,
        reading: &Options,
    ) -> Result<(Matches, Vec<usize>)> {
        for piece in pieces {
            self.read(piece, number, reading)?;
            self.tokens.push(END, (0, 0));
            if self.index.arrays.capitals.is_some() {
                self.tokens.capitals.push(false);
            }
        }
        self.search(self.tokens.ids.len())?;
        Ok((std::mem::take(&mut self.found), std::mem::take(&mut self.ends)))
    }

    /// Reads a piece, and searches what has been read when it is much.
    #[inline]
    fn read(&mut self, piece: Piece, number: usize, reading: &Options) -> Result<()> {
        // No term goes further than the longest.
        let ahead = (self.index.arrays.meta.longest as usize).saturating_sub(1);
        let mut counter = CharCounter::new(piece.text, piece.is_ascii);
        // Where the tokens of this piece begin that are not searched yet.
        let mut unsearched = self.tokens.ids.len();
        let mut beyond = 0;
        let done = reading.tokens(piece.text, self.index.arrays.meta.spaces, |range| {
            let is_own = range.start < piece.own;
            if !is_own {
                self.look_up(piece.text, number, reading, &mut unsearched)?;
                // Enough is read when no term can go further, or none has begun.
                if beyond == ahead || self.tokens.ids.len() == unsearched + beyond {
                    return Err(None);
                }
            }
            let mut place = |byte| (piece.chars + counter.advance(byte)) as u64;
            let places = (place(range.start), place(range.end));
            self.asked.push((self.known[number].ask(piece.text, range), places));
            if !is_own {
                beyond += self.look_up_beyond(piece.text, number, reading)?;
            } else if self.asked.len() == WORDS_AT_A_TIME {
                self.look_up(piece.text, number, reading, &mut unsearched)?;
            }
            Ok::<(), Option<Error>>(())
        });
        match done {
            Err(Some(error)) => Err(error),
            _ => self.look_up(piece.text, number, reading, &mut unsearched),
        }
    }

    /// Looks up the words of a text that were read last.
    #[inline]
    fn look_up_only(&mut self, text: &str, number: usize, reading: &Options) -> Result<()> {
        let Search { index, options, known, asked, tokens, .. } = self;
        let is_smart = index.arrays.capitals.is_some();
        for (asked, places) in asked.drain(..) {
            let word = known[number].word(index, options, reading, text, &asked)?;
            if !word.is_ignored {
                tokens.push(word, places);
                if is_smart {
                    tokens.capitals.push(word.is_capitals);
                }
            }
        }
        Ok(())
    }

    /// The same for words after a part of a text, where no term begins that is searched for; their
    /// number.
    fn look_up_beyond(&mut self, text: &str, number: usize, reading: &Options) -> Result<usize> {
        let known = self.tokens.words.len();
        self.look_up_only(text, number, reading)?;
        let words = &mut self.tokens.words[known..];
        for word in &mut *words {
            (word.alone, word.opens) = (Alone::NoTerm, false);
        }
        Ok(words.len())
    }

    /// The same for words of a part of a text; searches when there are many.
    fn look_up(
        &mut self,
        text: &str,
        number: usize,
        reading: &Options,
        unsearched: &mut usize,
    ) -> Result<()> {
        self.look_up_only(text, number, reading)?;
        let Search { index, tokens, .. } = self;
        let ahead = (index.arrays.meta.longest as usize).saturating_sub(1);
        // If terms are long, what is read ahead is moved often.
        let at_a_time = TOKENS_AT_A_TIME.max(ahead);
        if tokens.ids.len() >= at_a_time + ahead {
            let count = tokens.ids.len() - ahead;
            self.search(count)?;
            *unsearched = unsearched.saturating_sub(count);
        }
        Ok(())
    }

    /// Searches for the terms that begin at the first `count` tokens, and lets go of these.
    fn search(&mut self, count: usize) -> Result<()> {
        let Search { index, options, tokens, found, ends, .. } = self;
        let Tokens { ids, words, places, capitals } = &*tokens;
        let mut text_start = ends.last().copied().unwrap_or(0);
        let mut walk = Walk::of(index, ids);
        for (start, word) in words[..count].iter().enumerate() {
            // Most words are no term, and most words of a text begin no longer one.
            if word.token == UNKNOWN {
                if word.is_ignored {
                    if index.has_other_names() {
                        found.sort_from(text_start);
                    }
                    text_start = found.len();
                    ends.push(text_start);
                }
                continue;
            }
            let longer = word.opens
                && ids.get(start + 1).is_some_and(|&next| next != UNKNOWN)
                && index.arrays.openings.may_have(&ids[start..start + 2]);
            if !longer && word.alone != Alone::Terms {
                if word.alone == Alone::Term {
                    let (start, end) = places[start];
                    found.push(word.term.0, start, end);
                }
                continue;
            }
            let mut report = |term: &TermRange| {
                let place = (places[start].0, places[start + term.length - 1].1);
                let capitals = capitals.get(start..).unwrap_or_default();
                report(index, options, term, capitals, place, found)
            };
            match options.overlaps {
                Overlaps::All => walk.each_at(start, |term| report(term).map(drop))?,
                _ => walk.longest_accepted_at(start, report)?,
            }
        }
        tokens.drain(count);
        Ok(())
    }
}

/// Adds the matches at a place of a term and its variants, as far as they are searched for and written
/// like this; whether there are any.
#[inline]
fn report(
    index: &Index,
    options: &FindOptions,
    term: &TermRange,
    capitals: &[bool],
    (start, end): (u64, u64),
    found: &mut Matches,
) -> Result<bool> {
    let before = found.len();
    // Terms come in the order of their ids, unless they have other names.
    let first_is_enough = options.variants == Variants::First && !index.has_other_names();
    index.each_variant_until(term, |position| {
        if index.allows_capitals(position, term.length, capitals)? {
            let id = index.id_at(position)?;
            if options.has(id) {
                found.push(id.0, start, end);
                return Ok(first_is_enough);
            }
        }
        Ok(false)
    })?;
    Ok(found.len() > before)
}
