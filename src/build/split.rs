//! Step 1 of a build: each thread splits a part of the entries into tokens.

use std::ops::Range;

use crate::MAX_TERM_BYTES;
use crate::analysis::{Options, Spaces, Tokenizer};
use crate::build::Build;
use crate::build::entries::Entries;
use crate::build::intern::{Occurrences, Partitions};
use crate::build::terms::WholeSurfaces;
use crate::error::{Error, Result};
use crate::progress::Stage;
use crate::threads::run;

/// Entries between two checks for cancellation.
const ENTRIES_PER_CHECK: usize = 1024;

/// The places of a vocabulary at which tokens are sampled.
const SAMPLE_PLACES: usize = 16;

/// The tokens of a part of the entries.
pub(super) struct SplitPart<'a> {
    pub(super) occurrences: Occurrences<'a>,
    /// How many tokens each entry has.
    pub(super) token_counts: Vec<u16>,
    /// The entries that are stored whole: their surface is not their tokens joined.
    pub(super) whole: WholeSurfaces,
}

impl Build {
    /// How the tokens of a vocabulary are divided, and how many of them there are for each byte.
    pub(super) fn partitions(&self, entries: &dyn Entries) -> Result<(Partitions, f64)> {
        let sample = self.sample(entries)?;
        let sample_bytes: usize = sample.iter().map(|token| token.len() + 1).sum();
        let density = sample.len() as f64 / sample_bytes.max(1) as f64;
        let expected = (density * entries.size() as f64) as usize;
        Ok((Partitions::new(&sample, expected), density))
    }

    /// Splits entries: a part for each thread, in order.
    pub(super) fn split<'a>(
        &self,
        entries: &'a dyn Entries,
        options: &Options,
        (partitions, density): &(Partitions, f64),
        threads: usize,
    ) -> Result<Vec<SplitPart<'a>>> {
        self.progress.begin(Stage::Splitting, entries.size() as u64)?;
        let expected = (density * entries.size() as f64) as usize;
        let ranges = entries.cut(threads);
        run(threads, (0..ranges.len()).collect(), |i| {
            let mut part = SplitPart {
                occurrences: Occurrences::new(partitions, expected / ranges.len()),
                token_counts: Vec::new(),
                whole: WholeSurfaces::default(),
            };
            let mut bytes_since_check = 0;
            entries.visit(ranges[i].clone(), &mut |entry| {
                if part.token_counts.len().is_multiple_of(ENTRIES_PER_CHECK) {
                    self.progress.advance(std::mem::take(&mut bytes_since_check))?;
                    // Before the positions overflow. The sum of all parts is checked later.
                    self.check_capacity(part.occurrences.len())?;
                }
                bytes_since_check += entry.len() as u64 + 1;
                let surface_bytes = part.push(entry, options, partitions);
                if surface_bytes > MAX_TERM_BYTES {
                    let before = count_entries(entries, &ranges[..i])?;
                    let place = entries.place(before + part.token_counts.len() as u64 - 1);
                    return Err(Error::TermBytes { place, found: surface_bytes });
                }
                Ok(())
            })?;
            self.progress.advance(bytes_since_check)?;
            Ok(part)
        })
    }

    /// Tokens from several places of the vocabulary.
    fn sample<'a>(&self, entries: &'a dyn Entries) -> Result<Vec<&'a str>> {
        // A small sample of a small vocabulary is enough. The parts are read to their ends, so they are
        // made small: at 32 bytes a token, more than words have, each has as many tokens as are wanted.
        let wanted = (entries.size() / 4096).clamp(16, 1000);
        let parts = entries.cut((entries.size() / (32 * wanted)).max(SAMPLE_PLACES));
        let mut tokens = Vec::new();
        for part in parts.iter().step_by(parts.len().div_ceil(SAMPLE_PLACES).max(1)) {
            let enough = tokens.len() + wanted;
            entries.visit(part.clone(), &mut |entry| {
                if tokens.len() >= enough {
                    return Ok(());
                }
                let entry = self.options.trim_entry(entry);
                self.options.tokens(entry, Spaces::None, |range| {
                    tokens.push(&entry[range]);
                    Ok(())
                })
            })?;
        }
        Ok(tokens)
    }
}

impl<'a> SplitPart<'a> {
    /// Adds an entry. Returns the bytes of its surface; 0 if it has no token.
    #[inline]
    fn push(&mut self, entry: &'a str, options: &Options, partitions: &Partitions) -> usize {
        let entry = options.trim_entry(entry);
        let before = self.occurrences.len();
        let joiner = options.joiner();
        let mut token_bytes = 0;
        let mut end = 0;
        // Whether the entry so far is its tokens joined.
        let mut joined = true;
        let Ok(()) = options.tokens(entry, Spaces::None, |range| {
            joined &= match end {
                0 => range.start == 0,
                _ => options.joins(&entry[end..range.start]),
            };
            token_bytes += range.len();
            end = range.end;
            self.occurrences.push(partitions, &entry[range]);
            Ok::<(), std::convert::Infallible>(())
        });
        let count = self.occurrences.len() - before;
        // A surface that is not too long has at most 65,535 bytes, and no more tokens than bytes.
        self.token_counts.push(count as u16);
        if count == 0 {
            return 0;
        }
        // When splitting at white space or a separator, all surfaces are the tokens joined.
        if options.tokenizer == Tokenizer::Whitespace || joined && end == entry.len() {
            return token_bytes + joiner.len() * (count - 1);
        }
        let surface = options.surface_of(entry);
        self.whole.entries.push(self.token_counts.len() as u32 - 1);
        self.whole.surfaces.push(&surface);
        surface.len()
    }
}

/// The number of entries in these parts.
fn count_entries(entries: &dyn Entries, parts: &[Range<usize>]) -> Result<u64> {
    let mut count = 0;
    for part in parts {
        entries.visit(part.clone(), &mut |_| {
            count += 1;
            Ok(())
        })?;
    }
    Ok(count)
}
