//! Terms in one text.

use crate::analysis::char_count;
use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::find::matches::{Match, Matches};
use crate::query::find::options::FindOptions;
use crate::query::find::search::{Found, Piece, Searches};
use crate::query::find::spans::Spans;
use crate::threads::{Jobs, run, threads_for, threads_or_all};

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
        let matches = self.matches(text, options, threads)?;
        let mut found = Vec::with_capacity(matches.len());
        matches.each_span(0..matches.len(), |ids, start, end| {
            found.extend(ids.iter().map(|&id| Match { id: TermId(id), start, end }));
            Ok(())
        })?;
        Ok(found)
    }

    /// What [`Index::find`] finds, as spans with groups of terms.
    pub fn matches(
        &self,
        text: &str,
        options: &FindOptions,
        threads: Option<usize>,
    ) -> Result<Matches> {
        let threads = if text.len() < MIN_BYTES { 1 } else { threads_or_all(threads) };
        let searches = Searches::new(self, *options, text.len() / threads);
        let pieces = match threads {
            1 => vec![Piece::whole(text)],
            _ => self.pieces(text, threads)?,
        };
        let found = run(threads, pieces, |piece| searches.run(&[piece]))?;
        let (groups, firsts) = searches.groups()?;
        let mut spans = concat(found, &firsts, threads)?;
        let mut ends = [spans.len()];
        spans.keep(&mut ends, options.overlaps);
        Ok(Matches::new(spans, groups))
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

/// The spans of all pieces of a text; `firsts` has the number of the first group of each search.
fn concat(mut found: Vec<Found>, firsts: &[u32], threads: usize) -> Result<Spans> {
    if let [_] = found[..] {
        return Ok(found.remove(0).spans);
    }
    let count = found.iter().map(|found| found.spans.len()).sum();
    let mut jobs = Jobs::default();
    let start = jobs.add(|| crate::threads::concat(found.iter().map(|found| &found.spans.start)));
    let end = jobs.add(|| crate::threads::concat(found.iter().map(|found| &found.spans.end)));
    let group = jobs.add(|| {
        let mut groups = Vec::with_capacity(count);
        for Found { search, spans, .. } in &found {
            groups.extend(spans.group.iter().map(|group| firsts[*search] + group));
        }
        groups
    });
    jobs.run(threads_for(count, threads))?;
    Ok(Spans { start: start.take(), end: end.take(), group: group.take() })
}
