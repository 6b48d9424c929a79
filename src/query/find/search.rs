//! The search for terms in texts, by one thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::analysis::{CharCounter, Options, is_hyphen};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::find::groups::{Groups, TermGroups};
use crate::query::find::options::{FindOptions, Overlaps};
use crate::query::find::pairs::Pairs;
use crate::query::find::spans::Spans;
use crate::query::find::words::{Asked, KnownWords, Word};
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
    /// Its number among the searches of a [`Searches`].
    number: usize,
    index: &'a Index,
    options: FindOptions<'a>,
    /// The words of texts as they are, and under the other reading of hyphens.
    known: [KnownWords; 2],
    pairs: Pairs,
    groups: TermGroups<'a>,
    /// Words to look up, and where they begin and end in their text, in characters.
    asked: Vec<(Asked, (u64, u64))>,
    tokens: Tokens,
    /// The terms of several words that begin at a token.
    terms: Vec<TermRange>,
    /// The spans found in all texts so far.
    found: Spans,
    /// How many there are up to the end of each text.
    ends: Vec<usize>,
}

/// The spans that a search has found in some texts, and how many there are up to the end of each text.
pub(super) struct Found {
    /// The number of the search, which has the groups.
    pub(super) search: usize,
    pub(super) spans: Spans,
    pub(super) ends: Vec<usize>,
}

/// The searches of several threads. What a search has learnt of words is of use to the next task.
pub(super) struct Searches<'a> {
    index: &'a Index,
    options: FindOptions<'a>,
    /// The bytes of the texts.
    bytes: usize,
    idle: Mutex<Vec<Search<'a>>>,
    made: AtomicUsize,
}

impl<'a> Searches<'a> {
    pub(super) fn new(index: &'a Index, options: FindOptions<'a>, bytes: usize) -> Searches<'a> {
        Searches { index, options, bytes, idle: Mutex::default(), made: AtomicUsize::new(0) }
    }

    /// What a search finds in some pieces: see [`Search::run`].
    pub(super) fn run(&self, pieces: &[Piece]) -> Result<Found> {
        let idle = self.idle.lock().unwrap().pop();
        let mut search = idle.unwrap_or_else(|| Search {
            number: self.made.fetch_add(1, Relaxed),
            ..Search::new(self.index, self.options, self.bytes)
        });
        let (spans, ends) = search.run(pieces)?;
        let found = Found { search: search.number, spans, ends };
        self.idle.lock().unwrap().push(search);
        Ok(found)
    }

    /// The groups of all searches as one list, and the number of the first group of each search.
    pub(super) fn groups(self) -> Result<(Groups, Vec<u32>)> {
        let mut searches = self.idle.into_inner().unwrap();
        searches.sort_unstable_by_key(|search| search.number);
        let mut groups = searches.into_iter().map(|search| search.groups.groups);
        let mut all = groups.next().unwrap_or_default();
        let mut firsts = vec![0];
        for more in groups {
            firsts.push(all.append(&more)?);
        }
        Ok((all, firsts))
    }
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
    fn new(index: &'a Index, options: FindOptions<'a>, bytes: usize) -> Search<'a> {
        let both = index.options().joined_reading().is_some();
        Search {
            number: 0,
            index,
            options,
            known: [KnownWords::new(bytes), KnownWords::new(if both { bytes } else { 0 })],
            pairs: Pairs::new(bytes),
            groups: TermGroups::new(index, options, bytes),
            asked: Vec::with_capacity(WORDS_AT_A_TIME),
            tokens: Tokens::default(),
            terms: Vec::new(),
            found: Spans::default(),
            ends: Vec::new(),
        }
    }

    /// The spans found in some pieces, which are pieces of the same text or of different ones, and how many
    /// there are up to the end of each. They are as [`Spans::keep`] expects them.
    fn run(&mut self, pieces: &[Piece]) -> Result<(Spans, Vec<usize>)> {
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
        let (mut both, mut both_ends) = (Spans::default(), Vec::with_capacity(ends.len()));
        let (mut row, mut other_row) = (0, 0);
        for (end, other_end) in ends.into_iter().zip(other_ends) {
            let unite = |a, b| self.groups.union(a, b);
            both.merge((&found, row..end), (&other, other_row..other_end), unite)?;
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
    ) -> Result<(Spans, Vec<usize>)> {
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
        let Search { index, known, groups, asked, tokens, .. } = self;
        let is_smart = index.arrays.capitals.is_some();
        for (asked, places) in asked.drain(..) {
            let word = known[number].word(index, groups, reading, text, &asked)?;
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
            (word.group, word.opens) = (None, false);
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
        let Search { index, options, groups, pairs, tokens, terms, found, ends, .. } = self;
        let Tokens { ids, words, places, capitals } = &*tokens;
        let mut walk = Walk::of(index, ids);
        for (start, word) in words[..count].iter().enumerate() {
            // Most words are no term, and most words of a text begin no longer one.
            if word.token == UNKNOWN {
                if word.is_ignored {
                    ends.push(found.len());
                }
                continue;
            }
            let next = match word.opens {
                true => ids.get(start + 1).copied().filter(|&next| next != UNKNOWN),
                false => None,
            };
            let next = next.filter(|_| index.arrays.openings.may_have(&ids[start..start + 2]));
            let Some(next) = next else {
                if let Some(group) = word.group {
                    found.push(places[start].0, places[start].1, group);
                }
                continue;
            };
            let pair = pairs.get(index, groups, [word.token, next])?;
            let mut report = |term: &TermRange| -> Result<bool> {
                let capitals = capitals.get(start..).unwrap_or_default();
                let group = match term.length {
                    1 => word.group,
                    _ => groups.of(term, capitals)?.group,
                };
                if let Some(group) = group {
                    found.push(places[start].0, places[start + term.length - 1].1, group);
                }
                Ok(group.is_some())
            };
            if options.overlaps != Overlaps::All && walk.is_repetitive() {
                // Without a list of all shorter ones.
                walk.longest_accepted_at(start, report)?;
                continue;
            }
            terms.clear();
            // The word itself, of which no more is needed here.
            terms.push(TermRange { position: 0, length: 1, slots: 0..0 });
            terms.extend(pair.term());
            if pair.opens {
                walk.each_longer_at(start, 2, pair.slots(), |term| terms.push(term.clone()))?;
            }
            if options.overlaps == Overlaps::All {
                for term in &*terms {
                    report(term)?;
                }
            } else {
                for term in terms.iter().rev() {
                    if report(term)? {
                        break;
                    }
                }
            }
        }
        tokens.drain(count);
        Ok(())
    }
}
