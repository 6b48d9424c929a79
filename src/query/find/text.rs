//! Terms in one text.

use crate::analysis::char_count;
use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::find::matches::{Match, Matches};
use crate::query::find::options::FindOptions;
use crate::query::find::search::{Piece, Search};
use crate::threads::{run, threads_or_all};

/// The shortest text in bytes for which starting threads pays off: its search takes a few hundred us.
pub(super) const MIN_BYTES: usize = 1 << 16;
/// The bytes of a part of a long text, which is cut into more parts than there are threads, so that all
/// end at about the same time.
const BYTES_PER_PART: usize = 1 << 18;

impl Index {
    /// The terms that occur in a text, by start, end and id. Offsets count characters.
    pub fn find(
        &self,
        text: &str,
        options: &FindOptions,
        threads: Option<usize>,
    ) -> Result<Vec<Match>> {
        let Matches { id, start, end } = self.matches(text, options, threads)?;
        let places = start.into_iter().zip(end);
        let found = id.into_iter().zip(places);
        Ok(found.map(|(id, (start, end))| Match { id: TermId(id), start, end }).collect())
    }

    /// What [`Index::find`] finds, by columns.
    pub(crate) fn matches(
        &self,
        text: &str,
        options: &FindOptions,
        threads: Option<usize>,
    ) -> Result<Matches> {
        let threads = if text.len() < MIN_BYTES { 1 } else { threads_or_all(threads) };
        let mut found = match threads {
            1 => Search::new(self, *options, text.len()).run(&[Piece::whole(text)])?.0,
            _ => Matches::concat(run(threads, self.pieces(text, threads)?, |piece| {
                Ok(Search::new(self, *options, piece.own).run(&[piece])?.0)
            })?),
        };
        let mut ends = [found.len()];
        found.keep(&mut ends, options.overlaps, options.variants);
        Ok(found)
    }

    /// A text in pieces, for several threads.
    fn pieces<'a>(&self, text: &'a str, threads: usize) -> Result<Vec<Piece<'a>>> {
        // Each part looks up its words, most of which recur in the others.
        let parts = (text.len() / BYTES_PER_PART).clamp(threads, threads * 4);
        let parts = self.options().cut(text, parts);
        let is_ascii = text.is_ascii();
        let count = |part: &str| Ok(if is_ascii { part.len() } else { char_count(part) });
        let lengths = run(threads, parts.clone(), count)?;
        let mut pieces = Vec::with_capacity(parts.len());
        let (mut bytes, mut chars) = (0, 0);
        for (part, length) in parts.into_iter().zip(lengths) {
            pieces.push(Piece { text: &text[bytes..], own: part.len(), chars, is_ascii });
            bytes += part.len();
            chars += length;
        }
        Ok(pieces)
    }
}
