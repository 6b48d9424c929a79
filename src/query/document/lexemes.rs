//! What the given tokens are to an index, found out once for each distinct one.

use std::collections::HashMap;
use std::ops::Range;

use crate::analysis::{Options, Spaces, Tokenizer, is_capitals, is_hyphen};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::document::settings::Alignment;
use crate::query::walk::TermRange;

/// The id of a token that is ignored in matching. No token has it: ids are offsets of records.
pub(super) const IGNORED: u32 = UNKNOWN - 1;

/// A term that is a token on its own is given by its id, or by one of these.
pub(super) mod alone {
    /// No term begins with the token.
    pub(crate) const NEVER: u32 = u32::MAX;
    /// Only longer terms begin with it.
    pub(crate) const LONGER: u32 = u32::MAX - 1;
    /// The walk finds out.
    pub(crate) const SEVERAL: u32 = u32::MAX - 2;
}

/// A token of an index.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) id: u32,
    /// Which term it is on its own: see [`alone`].
    pub(super) alone: u32,
}

impl Token {
    pub(super) const UNKNOWN: Token = Token { id: UNKNOWN, alone: alone::NEVER };
    pub(super) const IGNORED: Token = Token { id: IGNORED, alone: alone::NEVER };

    /// The token with this id; `first_only` if of several terms with one key only the first matters.
    pub(super) fn of(index: &Index, id: u32, first_only: bool) -> Result<Token> {
        let slots = index.bucket(id)?;
        if slots.is_empty() || !index.any_whole(&slots)? {
            return Ok(Token { id, alone: alone::NEVER });
        }
        let Some(position) = index.whole_at(&slots, 1)? else {
            return Ok(Token { id, alone: alone::LONGER });
        };
        let term = TermRange { position, length: 1, slots };
        let mut count = 0;
        if !first_only {
            index.each_variant(&term, |_| {
                count += 1;
                Ok(())
            })?;
        }
        let alone = match count > 1 || index.is_in_capitals(position)? {
            true => alone::SEVERAL,
            false => index.id_at(position)?.0.min(alone::SEVERAL),
        };
        Ok(Token { id, alone })
    }
}

/// What a given token is on its own, between white space.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same token of the index.
    Same,
    /// No token of the index.
    Nothing,
    /// Anything else: see [`Chunk`].
    Other,
}

/// A given token.
#[derive(Clone, Copy)]
pub(super) struct Lexeme {
    /// The token of the index that has its normal form.
    pub(super) own: Token,
    /// The same in the index of respelled terms.
    pub(super) respelled: Token,
    pub(super) kind: Kind,
    pub(super) is_capitals: bool,
}

/// Some given tokens without white space between them, as the index splits them.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) tokens: Vec<ChunkToken>,
    /// The other reading of hyphens, where it differs.
    pub(super) joined: Option<Vec<ChunkToken>>,
    /// The given tokens which are tokens of the index that `tokens` does not have.
    pub(super) odd: Vec<u32>,
}

/// A token of the index in a chunk.
#[derive(Clone, Copy)]
pub(super) struct ChunkToken {
    pub(super) token: Token,
    /// The first given token of a term that begins here.
    pub(super) first: u32,
    /// The given token after the last of a term that ends here. If a term has not `first < last`, the
    /// alignment drops it.
    pub(super) last: u32,
    pub(super) is_capitals: bool,
}

/// No given token begins here.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The given tokens of the most recent documents.
#[derive(Default)]
pub(super) struct Cache {
    pub(super) numbers: HashMap<u64, u32, foldhash::fast::FixedState>,
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) texts: Vec<Box<str>>,
    pub(super) chunks: HashMap<Box<[u32]>, Chunk, foldhash::fast::FixedState>,
    /// How often all was forgotten: numbers are not those of before.
    pub(super) generation: u64,
}

/// The most lexemes that are remembered: some 100 MB.
const MAX_LEXEMES: usize = 1 << 20;
/// The most chunks that are remembered.
const MAX_CHUNKS: usize = 1 << 18;
/// Longer chunks are not remembered: they hardly recur.
const MAX_CHUNK_TOKENS: usize = 16;

impl Cache {
    pub(super) fn add(&mut self, hash: u64, text: Box<str>, lexeme: Lexeme) {
        self.numbers.entry(hash).or_insert_with(|| {
            self.lexemes.push(lexeme);
            self.texts.push(text);
            self.lexemes.len() as u32 - 1
        });
    }

    pub(super) fn forget_if_full(&mut self) {
        if self.lexemes.len() > MAX_LEXEMES {
            *self = Cache { generation: self.generation + 1, ..Cache::default() };
        }
    }

    pub(super) fn add_chunks(&mut self, chunks: Vec<(Box<[u32]>, Chunk)>) {
        if self.chunks.len() > MAX_CHUNKS {
            self.chunks.clear();
        }
        self.chunks.extend(chunks.into_iter().filter(|(key, _)| key.len() <= MAX_CHUNK_TOKENS));
    }
}

/// Whether a text is white space, as the tokenizers of Python see it.
pub(super) fn is_space(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c))
}

/// Whether what is between two spaces is split in the same way whatever is around it.
pub(super) fn splits_at_spaces(options: &Options, spaces: Spaces) -> bool {
    match (options.tokenizer, &options.separator) {
        (Tokenizer::Text, _) | (Tokenizer::Whitespace, None) => true,
        (Tokenizer::Whitespace, Some(separator)) => {
            spaces != Spaces::None && !separator.contains(' ')
        }
        (Tokenizer::Words | Tokenizer::Chars, _) => false,
    }
}

/// Whether a given token can be a token of the index, with others between white space or not.
pub(super) fn has_words(options: &Options) -> bool {
    options.tokenizer != Tokenizer::Chars
}

/// What a token is on its own, between white space.
pub(super) fn kind_of(index: &Index, text: &str, own: u32) -> Result<Kind> {
    let mut tokens = 0;
    let mut is_whole = true;
    index.options().tokens(text, index.arrays.meta.spaces, |range| {
        if !index.normal_form(&text[range.clone()])?.is_empty() {
            tokens += 1;
            is_whole &= range == (0..text.len());
        }
        Ok::<(), Error>(())
    })?;
    let has_other_reading = index.options().joined_reading().is_some() && text.contains(is_hyphen);
    Ok(match tokens {
        _ if has_other_reading => Kind::Other,
        0 if own == UNKNOWN || own == IGNORED => Kind::Nothing,
        1 if is_whole => Kind::Same,
        _ => Kind::Other,
    })
}

/// The text of some given tokens, and where they are in it, in bytes.
#[derive(Default)]
pub(super) struct GivenText {
    text: String,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl GivenText {
    pub(super) fn push(&mut self, token: &str, has_space: bool) {
        self.starts.push(self.text.len());
        self.text.push_str(token);
        self.ends.push(self.text.len());
        if has_space {
            self.text.push(' ');
        }
    }

    /// The given tokens that a run of bytes covers: the first, and that after the last.
    fn covered(&self, bytes: &Range<usize>, alignment: Alignment) -> (u32, u32) {
        let (starts, ends) = (&self.starts, &self.ends);
        let (first, last) = match alignment {
            Alignment::Strict => {
                let first = starts.partition_point(|&start| start < bytes.start);
                let last = ends.partition_point(|&end| end <= bytes.end);
                let begins = starts.get(first) == Some(&bytes.start);
                let ends = last > 0 && ends[last - 1] == bytes.end;
                return (
                    if begins { first as u32 } else { NOWHERE },
                    if ends { last as u32 } else { 0 },
                );
            }
            Alignment::Contract => (
                starts.partition_point(|&start| start < bytes.start),
                ends.partition_point(|&end| end <= bytes.end),
            ),
            Alignment::Expand => (
                ends.partition_point(|&end| end <= bytes.start),
                starts.partition_point(|&start| start < bytes.end),
            ),
        };
        (first as u32, last as u32)
    }

    /// The text as the index splits it; `lexemes` are those of the given tokens. Unless `recurs`, which
    /// terms the tokens are on their own is not found out.
    pub(super) fn split(
        &self,
        index: &Index,
        alignment: Alignment,
        lexemes: &[Lexeme],
        recurs: Option<bool>,
    ) -> Result<Chunk> {
        let mut ranges = Vec::new();
        let tokens = self.tokens(index, index.options(), alignment, recurs, &mut ranges)?;
        let joined = match index.options().joined_reading() {
            Some(joined) if self.text.contains(is_hyphen) => {
                Some(self.tokens(index, &joined, alignment, recurs, &mut Vec::new())?)
            }
            _ => None,
        };
        let mut odd = Vec::new();
        let mut next = 0;
        for (i, lexeme) in lexemes.iter().enumerate() {
            let given = self.starts[i]..self.ends[i];
            while ranges.get(next).is_some_and(|range| range.end <= given.start) {
                next += 1;
            }
            let is_odd = match lexeme.own.id {
                UNKNOWN => false,
                IGNORED => ranges.get(next).is_some_and(|range| range.start < given.end),
                _ => ranges.get(next) != Some(&given),
            };
            if is_odd {
                odd.push(i as u32);
            }
        }
        Ok(Chunk { tokens, joined, odd })
    }

    fn tokens(
        &self,
        index: &Index,
        options: &Options,
        alignment: Alignment,
        recurs: Option<bool>,
        ranges: &mut Vec<Range<usize>>,
    ) -> Result<Vec<ChunkToken>> {
        let mut forms = Vec::new();
        options.tokens(&self.text, index.arrays.meta.spaces, |range| {
            let form = index.normal_form_under(options, &self.text[range.clone()])?;
            if !form.is_empty() {
                forms.push(form);
                ranges.push(range);
            }
            Ok::<(), Error>(())
        })?;
        let mut ids = Vec::with_capacity(forms.len());
        index.arrays.tokens.find_all(&forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        let token = |(range, &id): (&Range<usize>, &u32)| {
            let (first, last) = self.covered(range, alignment);
            let token = match (id, recurs) {
                (UNKNOWN, _) => Token::UNKNOWN,
                (id, Some(first_only)) => Token::of(index, id, first_only)?,
                (id, None) => Token { id, alone: alone::SEVERAL },
            };
            let is_capitals = is_capitals(&self.text[range.clone()]);
            Ok(ChunkToken { token, first, last, is_capitals })
        };
        ranges.iter().zip(&ids).map(token).collect()
    }
}
