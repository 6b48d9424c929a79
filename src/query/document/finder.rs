//! The search for terms in a document of given tokens.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::analysis::{Case, is_capitals};
use crate::error::Result;
use crate::index::key::UNKNOWN;
use crate::index::{Index, TermId};
use crate::query::document::lexemes::{
    Cache, Chunk, ChunkToken, GivenText, IGNORED, Kind, Lexeme, NOWHERE, Token, alone, has_words,
    is_space, kind_of, splits_at_spaces,
};
use crate::query::document::respelled::Respelled;
use crate::query::document::settings::{Alignment, Compared};
use crate::query::find::options::{Overlaps, Variants};
use crate::query::walk::{TermRange, Walk};

/// A term in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Its first token.
    pub start: u32,
    /// The token after its last.
    pub end: u32,
    /// The term.
    pub id: TermId,
}

/// The result of a search.
pub enum Found {
    /// The terms in the document, by start, end and id.
    Spans(Vec<Span>),
    /// Some tokens must be explained first, by [`TokenFinder::learn`].
    Unknown(Vec<u64>),
}

/// Finds terms in documents of given tokens.
pub struct TokenFinder {
    index: Arc<Index>,
    respelled: Option<Respelled>,
    compared: Compared,
    alignment: Alignment,
    overlaps: Overlaps,
    variants: Variants,
    /// Whether of several terms with one key only the first can be reported.
    first_only: bool,
    splits_at_spaces: bool,
    cache: RwLock<Cache>,
}

/// The tokens of one view of a document.
#[derive(Clone)]
struct View {
    ids: Vec<u32>,
    alone: Vec<u32>,
    /// The first given token of a term that begins at a token, and that after the last of one that ends there.
    places: Vec<(u32, u32)>,
    /// Which of them are in capitals, if that matters.
    capitals: Vec<bool>,
}

impl View {
    fn with_capacity(tokens: usize) -> View {
        View {
            ids: Vec::with_capacity(tokens),
            alone: Vec::with_capacity(tokens),
            places: Vec::with_capacity(tokens),
            capitals: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, token: Token, first: u32, last: u32) {
        self.ids.push(token.id);
        self.alone.push(token.alone);
        self.places.push((first, last));
    }

    /// Adds the tokens of a chunk whose first given token has this number.
    fn extend(&mut self, tokens: &[ChunkToken], offset: u32, is_smart: bool) {
        for token in tokens {
            let first = if token.first == NOWHERE { NOWHERE } else { offset + token.first };
            let last = if token.last == 0 { 0 } else { offset + token.last };
            self.push(token.token, first, last);
            if is_smart {
                self.capitals.push(token.is_capitals);
            }
        }
    }
}

/// A given token: the number of its lexeme, and whether a space follows it.
#[derive(Clone, Copy)]
struct Given(u32);

impl Given {
    #[inline]
    fn new(lexeme: u32, has_space: bool) -> Given {
        Given(lexeme << 1 | u32::from(has_space))
    }

    #[inline]
    fn lexeme(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    fn has_space(self) -> bool {
        self.0 & 1 == 1
    }
}

impl TokenFinder {
    /// A finder of the terms of an index. `respelled` are those that the tokenizer of the documents splits
    /// otherwise, as far as they are known.
    pub fn new(
        index: Arc<Index>,
        respelled: Option<Respelled>,
        compared: Compared,
        alignment: Alignment,
        overlaps: Overlaps,
        variants: Variants,
    ) -> TokenFinder {
        let first_only = variants == Variants::First && index.is_plain();
        let splits_at_spaces = splits_at_spaces(index.options(), index.arrays.meta.spaces);
        let cache = RwLock::default();
        TokenFinder {
            index,
            respelled,
            compared,
            alignment,
            overlaps,
            variants,
            first_only,
            splits_at_spaces,
            cache,
        }
    }

    /// The terms that another tokenizer splits otherwise.
    pub fn respelled(&self) -> Option<&Respelled> {
        self.respelled.as_ref()
    }

    /// Explains tokens: the text of each hash. Unless `keep`, others may be forgotten.
    pub fn learn(&self, tokens: Vec<(u64, String)>, keep: bool) -> Result<()> {
        let (index, respelled) = (&*self.index, self.respelled.as_ref());
        let first_only = self.first_only;
        let token_ids = |index: &Index, is_used: bool| -> Result<Vec<Token>> {
            if !is_used {
                return Ok(vec![Token::UNKNOWN; tokens.len()]);
            }
            let form = |(_, text): &(u64, String)| match is_space(text) {
                true => String::new(),
                false => index.options().normal_form(text).into_owned(),
            };
            let forms: Vec<String> = tokens.iter().map(form).collect();
            let mut ids = Vec::with_capacity(forms.len());
            index.arrays.tokens.find_all(&forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
            let token = |(form, id): (String, u32)| match (form.is_empty(), id) {
                (true, _) => Ok(Token::IGNORED),
                (_, UNKNOWN) => Ok(Token::UNKNOWN),
                (_, id) => Token::of(index, id, first_only),
            };
            forms.into_iter().zip(ids).map(token).collect()
        };
        let own = token_ids(index, self.compared.is_normal())?;
        let other = match respelled {
            None => vec![Token::UNKNOWN; tokens.len()],
            Some(respelled) => token_ids(&respelled.index, true)?,
        };
        let mut lexemes = Vec::with_capacity(tokens.len());
        for ((_, text), (own, respelled)) in tokens.iter().zip(own.into_iter().zip(other)) {
            let kind = match self.compared {
                Compared::Text if self.splits_at_spaces => kind_of(index, text, own.id)?,
                _ => Kind::Other,
            };
            lexemes.push(Lexeme { own, respelled, kind, is_capitals: is_capitals(text) });
        }
        let mut cache = self.write();
        if !keep {
            cache.forget_if_full();
        }
        for ((hash, text), lexeme) in tokens.into_iter().zip(lexemes) {
            cache.add(hash, text.into(), lexeme);
        }
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Cache> {
        self.cache.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Cache> {
        self.cache.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terms in a document, of whose tokens the hashes are given, and whether a space follows.
    pub fn find(&self, tokens: impl ExactSizeIterator<Item = (u64, bool)>) -> Result<Found> {
        let cache = self.read();
        let mut given = Vec::with_capacity(tokens.len());
        let mut unknown = Vec::new();
        for (hash, has_space) in tokens {
            match cache.numbers.get(&hash) {
                Some(&number) => given.push(Given::new(number, has_space)),
                None => unknown.push(hash),
            }
        }
        if !unknown.is_empty() {
            unknown.sort_unstable();
            unknown.dedup();
            return Ok(Found::Unknown(unknown));
        }
        let mut search = Search {
            finder: self,
            cache: &cache,
            given: &given,
            found: Vec::new(),
            chunks: Vec::new(),
        };
        match self.compared {
            Compared::Text => search.in_text()?,
            Compared::Normal => search.in_given(None)?,
            Compared::Exact | Compared::Lower => {}
        }
        search.in_respelled()?;
        let Search { found, chunks, .. } = search;
        let generation = cache.generation;
        drop(cache);
        if !chunks.is_empty() {
            let mut cache = self.write();
            if cache.generation == generation {
                cache.add_chunks(chunks);
            }
        }
        Ok(Found::Spans(self.keep(found)))
    }

    /// Keeps what the policies ask for, once.
    fn keep(&self, mut found: Vec<Span>) -> Vec<Span> {
        let longest_first = |span: &Span| (span.start, Reverse(span.end), span.id);
        match self.overlaps {
            Overlaps::All => found.sort_unstable(),
            _ if found.is_sorted_by_key(longest_first) => {}
            _ => found.sort_unstable_by_key(longest_first),
        }
        found.dedup();
        let (mut kept, mut covered) = (0, 0);
        let mut row = 0;
        while let Some(&Span { start, end, .. }) = found.get(row) {
            let same =
                found[row..].iter().take_while(|span| (span.start, span.end) == (start, end));
            let rows = row..row + same.count();
            row = rows.end;
            let is_kept = match self.overlaps {
                Overlaps::All => true,
                Overlaps::Longest => end > covered,
                Overlaps::Leftmost => start >= covered,
            };
            if !is_kept {
                continue;
            }
            covered = end;
            let rows = match self.variants {
                Variants::All => rows,
                Variants::First => rows.start..rows.start + 1,
            };
            let count = rows.len();
            found.copy_within(rows, kept);
            kept += count;
        }
        found.truncate(kept);
        found
    }
}

/// A search in one document.
struct Search<'a> {
    finder: &'a TokenFinder,
    cache: &'a Cache,
    given: &'a [Given],
    found: Vec<Span>,
    /// Chunks that were not in the cache.
    chunks: Vec<(Box<[u32]>, Chunk)>,
}

impl Search<'_> {
    /// Searches the text as the index splits it, and the given tokens where they differ from that.
    fn in_text(&mut self) -> Result<()> {
        let Search { finder, cache, given, .. } = *self;
        let index = &*finder.index;
        let is_smart = index.options().case == Case::Smart;
        let mut view = View::with_capacity(given.len());
        // The view of the other reading of hyphens, from the first word on that has one.
        let mut joined: Option<View> = None;
        let mut odd = Vec::new();
        let mut at = 0;
        while at < given.len() {
            let lexeme = &cache.lexemes[given[at].lexeme()];
            if given[at].has_space() || at + 1 == given.len() {
                match lexeme.kind {
                    Kind::Same => {
                        for view in std::iter::once(&mut view).chain(&mut joined) {
                            view.push(lexeme.own, at as u32, at as u32 + 1);
                            if is_smart {
                                view.capitals.push(lexeme.is_capitals);
                            }
                        }
                        at += 1;
                        continue;
                    }
                    Kind::Nothing => {
                        at += 1;
                        continue;
                    }
                    Kind::Other => {}
                }
            }
            let rest = &given[at..];
            let length = match finder.splits_at_spaces {
                true => {
                    rest.iter().position(|token| token.has_space()).map_or(rest.len(), |n| n + 1)
                }
                false => rest.len(),
            };
            let tokens = &rest[..length];
            let key: smallvec::SmallVec<[u32; 16]> = match finder.splits_at_spaces {
                true => tokens.iter().map(|token| token.0 >> 1).collect(),
                false => Default::default(),
            };
            let mut made = None;
            let chunk = match cache.chunks.get(&*key) {
                Some(chunk) => chunk,
                None => &*made.insert(self.split(tokens)?),
            };
            if chunk.joined.is_some() && joined.is_none() {
                joined = Some(view.clone());
            }
            if let Some(joined) = &mut joined {
                let tokens = chunk.joined.as_ref().unwrap_or(&chunk.tokens);
                joined.extend(tokens, at as u32, is_smart);
            }
            view.extend(&chunk.tokens, at as u32, is_smart);
            odd.extend(chunk.odd.iter().map(|token| at as u32 + token));
            if let Some(made) = made
                && !key.is_empty()
            {
                self.chunks.push((key.into_vec().into(), made));
            }
            at += length;
        }
        self.search(index, &view, 0..view.ids.len(), None)?;
        if let Some(view) = joined {
            self.search(index, &view, 0..view.ids.len(), None)?;
        }
        match odd.is_empty() {
            true => Ok(()),
            false => self.in_given(Some(&odd)),
        }
    }

    /// Some given tokens as the index splits their text.
    fn split(&self, tokens: &[Given]) -> Result<Chunk> {
        let mut text = GivenText::default();
        let mut lexemes = Vec::with_capacity(tokens.len());
        for token in tokens {
            text.push(&self.cache.texts[token.lexeme()], token.has_space());
            lexemes.push(self.cache.lexemes[token.lexeme()]);
        }
        let TokenFinder { index, alignment, first_only, splits_at_spaces, .. } = self.finder;
        let recurs = splits_at_spaces.then_some(*first_only);
        text.split(index, *alignment, &lexemes, recurs)
    }

    /// Searches the given tokens, each as one token of the index; with `odd`, for terms that have one of
    /// these.
    fn in_given(&mut self, odd: Option<&[u32]>) -> Result<()> {
        let index = &*self.finder.index;
        if !has_words(index.options()) {
            return Ok(());
        }
        let Some(odd) = odd else {
            return self.in_tokens(index, |lexeme| lexeme.own, 0..self.given.len(), None);
        };
        // A term that has an odd token begins at most this many tokens before it.
        let before = (index.arrays.meta.longest as usize).saturating_sub(1);
        let is_ignored = |at: &usize| self.lexeme(*at).own.id == IGNORED;
        let mut starts = Vec::with_capacity(odd.len());
        let mut next = 0;
        for &token in odd {
            let token = token as usize;
            let earlier = (next..token).rev().filter(|at| !is_ignored(at)).take(before).last();
            starts.extend(earlier.unwrap_or(token).max(next)..token + 1);
            next = token + 1;
        }
        self.in_tokens(index, |lexeme| lexeme.own, starts.into_iter(), None)
    }

    /// Searches the given tokens for the terms that they spell otherwise than the index does.
    fn in_respelled(&mut self) -> Result<()> {
        let Some(respelled) = &self.finder.respelled else { return Ok(()) };
        let all = 0..self.given.len();
        self.in_tokens(&respelled.index, |lexeme| lexeme.respelled, all, Some(respelled))
    }

    fn lexeme(&self, at: usize) -> &Lexeme {
        &self.cache.lexemes[self.given[at].lexeme()]
    }

    /// Searches for the terms that begin at some of the given tokens, each as one token.
    fn in_tokens(
        &mut self,
        index: &Index,
        token: impl Fn(&Lexeme) -> Token,
        starts: impl Iterator<Item = usize>,
        respelled: Option<&Respelled>,
    ) -> Result<()> {
        // The view is made only if a term may begin somewhere.
        let may_begin = |at: &usize| {
            let first = token(self.lexeme(*at));
            match first.alone {
                alone::NEVER => false,
                alone::LONGER => {
                    let mut after = (at + 1..self.given.len()).map(|at| token(self.lexeme(at)).id);
                    let second = after.find(|&id| id != IGNORED).unwrap_or(UNKNOWN);
                    second != UNKNOWN && index.arrays.openings.may_have(&[first.id, second])
                }
                _ => true,
            }
        };
        let starts: Vec<usize> = starts.filter(may_begin).collect();
        if starts.is_empty() {
            return Ok(());
        }
        let view = self.view(index, token);
        let place = |at: usize| view.places.partition_point(|(first, _)| (*first as usize) < at);
        let starts = starts.into_iter().map(place);
        self.search(index, &view, starts, respelled)
    }

    /// The given tokens, each as one token, without those that are ignored.
    fn view(&self, index: &Index, token: impl Fn(&Lexeme) -> Token) -> View {
        let is_smart = index.options().case == Case::Smart;
        let mut view = View::with_capacity(self.given.len());
        for (place, given) in (0..).zip(self.given) {
            let lexeme = &self.cache.lexemes[given.lexeme()];
            let token = token(lexeme);
            if token.id != IGNORED {
                view.push(token, place, place + 1);
                if is_smart {
                    view.capitals.push(lexeme.is_capitals);
                }
            }
        }
        view
    }

    /// Searches for the terms that begin at some tokens of a view. With a policy for overlaps, only the
    /// longest of each start matter.
    fn search(
        &mut self,
        index: &Index,
        view: &View,
        starts: impl Iterator<Item = usize>,
        respelled: Option<&Respelled>,
    ) -> Result<()> {
        let TokenFinder { overlaps, first_only, .. } = *self.finder;
        let found = &mut self.found;
        let mut report = |id: TermId, start: u32, end: u32| match respelled {
            None => found.push(Span { start, end, id }),
            Some(respelled) => {
                let owners = respelled.owners(id).iter();
                found.extend(owners.map(|&id| Span { start, end, id: TermId(id) }));
            }
        };
        let View { ids, alone: alones, places, capitals } = view;
        let mut walk = Walk::of(index, ids);
        for start in starts {
            let alone = alones[start];
            if alone == alone::NEVER {
                continue;
            }
            let first = places[start].0;
            let goes_on = match ids.get(start..start + 2) {
                Some(pair) => pair[1] != UNKNOWN && index.arrays.openings.may_have(pair),
                None => false,
            };
            if !goes_on && alone != alone::SEVERAL {
                let last = places[start].1;
                if alone != alone::LONGER && first < last {
                    report(TermId(alone), first, last);
                }
                continue;
            }
            let mut report_term = |term: &TermRange| {
                let last = places[start + term.length - 1].1;
                if first >= last {
                    return Ok(false);
                }
                if first_only {
                    report(index.id_at(term.position)?, first, last);
                    return Ok(true);
                }
                let mut any = false;
                let capitals = capitals.get(start..).unwrap_or_default();
                index.each_variant(term, |position| {
                    if index.allows_capitals(position, term.length, capitals)? {
                        report(index.id_at(position)?, first, last);
                        any = true;
                    }
                    Ok(())
                })?;
                Ok(any)
            };
            match overlaps {
                Overlaps::All => walk.each_at(start, |term| report_term(term).map(drop))?,
                _ => {
                    for term in walk.terms_at(start)?.iter().rev() {
                        if report_term(term)? {
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
