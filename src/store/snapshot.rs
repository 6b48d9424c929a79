//! One generation of a store, which does not change.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_64;

use crate::analysis::Options;
use crate::arrays::columns::Kind;
use crate::error::{Error, Result, StoreProblem};
use crate::index::{Index, TermId};
use crate::store::hidden::Hidden;
use crate::store::manifest::{self, Manifest};
use crate::store::rows::{Recipe, RowPlace, Source};
use crate::store::segment::Segment;
use crate::store::settings::StoreOptions;
use crate::store::storage::{Stamp, Storage};

/// One generation of a store.
pub struct Snapshot {
    pub(super) manifest: Manifest,
    /// By tier.
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) hidden: Hidden,
    pub(super) recipe: Recipe,
    /// The folder.
    path: PathBuf,
    /// All live terms as one index, once it was needed.
    whole: OnceLock<Arc<Index>>,
}

/// A store as it was opened.
pub(super) struct Opened {
    pub(super) snapshot: Snapshot,
    /// The manifest that the next commit replaces, as it was before.
    pub(super) next: Option<Stamp>,
    pub(super) warning: Option<String>,
}

/// How often opening starts again because a commit removed files in the meantime. A commit takes
/// much longer than opening.
const ATTEMPTS: usize = 100;

/// Opens the newest generation whose manifest and files hold. Segments that the generation `last` has too
/// are taken from there.
pub(super) fn open_newest(
    storage: &dyn Storage,
    options: &StoreOptions,
    last: Option<&Snapshot>,
) -> Result<Opened> {
    let mut failed = None;
    for _ in 0..ATTEMPTS {
        let stamps = manifest::NAMES.map(|name| storage.stamp(name));
        match open_once(storage, options, last, stamps) {
            Ok(opened) => return Ok(opened),
            // Without a commit in between, there is nothing else to be read.
            Err(error) if manifest::NAMES.map(|name| storage.stamp(name)) == stamps => {
                return Err(error);
            }
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or(Error::Cancelled))
}

fn open_once(
    storage: &dyn Storage,
    options: &StoreOptions,
    last: Option<&Snapshot>,
    stamps: [Option<Stamp>; 2],
) -> Result<Opened> {
    let path = |name: &str| storage.path().join(name);
    let mut manifests = Vec::new();
    let mut problems: Vec<Error> = Vec::new();
    for name in manifest::NAMES {
        match storage.read(name) {
            Ok(bytes) => match Manifest::parse(&bytes) {
                Ok(manifest) if manifest::name(manifest.generation) == name => {
                    manifests.push(manifest);
                }
                Ok(_) => problems.push(damaged(path(name), "it is that of another generation")),
                Err(Error::Version { found, read }) => {
                    let problem = StoreProblem::Version { found, read };
                    return Err(Error::Store { path: storage.path().into(), problem });
                }
                Err(error) => problems.push(damaged(path(name), &problem_of(&error))),
            },
            Err(source) if source.kind() == io::ErrorKind::NotFound => {}
            Err(source) => problems.push(Error::Io { action: "read", path: path(name), source }),
        }
    }
    manifests.sort_by_key(|manifest| std::cmp::Reverse(manifest.generation));
    for manifest in manifests {
        let generation = manifest.generation;
        match Snapshot::open(storage, options, manifest, last) {
            Ok(snapshot) => {
                let warning = problems.first().map(|problem| {
                    format!("{problem}; the store is opened as of generation {generation}")
                });
                let next = stamps[((generation + 1) % 2) as usize];
                return Ok(Opened { snapshot, next, warning });
            }
            Err(error @ (Error::Normalizer { .. } | Error::Version { .. })) => return Err(error),
            Err(error) => problems.push(error),
        }
    }
    let missing = || Error::Store { path: storage.path().into(), problem: StoreProblem::NotAStore };
    Err(if problems.is_empty() { missing() } else { problems.swap_remove(0) })
}

/// A file of a store that is not as it was written.
fn damaged(file: PathBuf, problem: &str) -> Error {
    Error::Store { path: file, problem: StoreProblem::Damaged { problem: problem.into() } }
}

/// What is wrong with a file, without advice for other files.
fn problem_of(error: &Error) -> String {
    match error {
        Error::Damaged { problem, .. } => problem.clone(),
        error => error.to_string(),
    }
}

impl Snapshot {
    fn open(
        storage: &dyn Storage,
        options: &StoreOptions,
        manifest: Manifest,
        last: Option<&Snapshot>,
    ) -> Result<Snapshot> {
        let known: HashMap<&str, &Arc<Segment>> = last
            .iter()
            .flat_map(|last| &last.segments)
            .map(|segment| (&*segment.listed.file, segment))
            .collect();
        let mut segments = Vec::with_capacity(manifest.segments.len());
        for listed in &manifest.segments {
            if let Some(segment) = known.get(&*listed.file).filter(|known| known.listed == *listed)
            {
                segments.push(Arc::clone(segment));
                continue;
            }
            let named = |error| match error {
                error @ (Error::Io { .. } | Error::Normalizer { .. } | Error::Version { .. }) => {
                    error
                }
                error => damaged(storage.path().join(&listed.file), &problem_of(&error)),
            };
            let index = storage.index(&listed.file, options.normalizer.clone()).map_err(named)?;
            segments.push(Arc::new(Segment::new(index, listed).map_err(named)?));
        }
        let hidden = match &manifest.hidden {
            None => Hidden::default(),
            Some(listed) => {
                let path = storage.path().join(&listed.file);
                let bytes = storage.read(&listed.file).map_err(|source| Error::Io {
                    action: "read",
                    path: path.clone(),
                    source,
                })?;
                if bytes.len() as u64 != listed.bytes || xxh3_64(&bytes) != listed.checksum {
                    return Err(damaged(path, "it is not the file that the manifest lists"));
                }
                Hidden::from_bytes(&bytes).map_err(|error| damaged(path, &problem_of(&error)))?
            }
        };
        Snapshot::new(storage.path().into(), manifest, segments, hidden, options)
    }

    pub(super) fn new(
        path: PathBuf,
        manifest: Manifest,
        mut segments: Vec<Arc<Segment>>,
        hidden: Hidden,
        options: &StoreOptions,
    ) -> Result<Snapshot> {
        let missing = || Error::damaged("manifest", "it lists no segment");
        let first = segments.first().ok_or_else(missing)?;
        let analysis = first.index.options().clone();
        if segments.iter().any(|segment| *segment.index.options() != analysis) {
            return Err(Error::damaged("segment", "its terms match otherwise than the others"));
        }
        // If the terms of any segment contain white space, it separates no words of a query.
        let spaces = segments.iter().map(|segment| segment.spaces).min();
        let spaces = spaces.ok_or_else(missing)?;
        for segment in &mut segments {
            if segment.index.spaces() != spaces {
                *segment = Arc::new(segment.with_spaces(spaces)?);
            }
        }
        let recipe = Recipe {
            options: analysis,
            normalizer: options.normalizer.clone(),
            threads: options.threads,
            columns: Arc::new(manifest.columns.clone()),
            weighted: segments.iter().any(|segment| segment.index.weighted()),
            spaces,
        };
        Ok(Snapshot { manifest, segments, hidden, recipe, path, whole: OnceLock::new() })
    }

    /// Its number: 1 when the store was created, and one more after each commit.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.manifest.terms as usize
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How terms become tokens.
    pub fn options(&self) -> &Options {
        &self.recipe.options
    }

    /// Whether the store has a user's own normalisation.
    pub fn normalized(&self) -> bool {
        self.segments.iter().any(|segment| segment.index.normalized())
    }

    /// Whether a term has a weight of its own.
    pub fn weighted(&self) -> bool {
        self.recipe.weighted
    }

    /// The names of the columns and the types of their values.
    pub fn columns(&self) -> &[(String, Kind)] {
        &self.manifest.columns
    }

    /// The rows in each segment, with the segment's tier.
    pub fn segment_rows(&self) -> Vec<(u8, usize)> {
        let rows = |segment: &Arc<Segment>| (segment.tier(), segment.index.len());
        self.segments.iter().map(rows).collect()
    }

    /// The number of ids that have rows which are not live.
    pub fn hidden_ids(&self) -> usize {
        self.hidden.len()
    }

    /// The bytes of all files.
    pub fn file_bytes(&self) -> u64 {
        let segments: u64 = self.manifest.segments.iter().map(|segment| segment.bytes).sum();
        segments + self.manifest.hidden.as_ref().map_or(0, |hidden| hidden.bytes)
    }

    /// The names of all files that the generation needs, for a copy.
    pub fn files(&self) -> Vec<String> {
        let own = [manifest::name(self.generation())];
        own.into_iter().chain(self.manifest.files()).map(Into::into).collect()
    }

    /// A number that identifies the content.
    pub fn checksum(&self) -> u64 {
        xxh3_64(self.manifest.to_text().as_bytes())
    }

    /// Reads all files and compares them with their checksums, and all ids with each other; unless
    /// `checksums_only`, also the indexes with what a build makes of their terms.
    pub fn check(&self, checksums_only: bool) -> Result<()> {
        for segment in &self.segments {
            let file = |error| damaged(self.path.join(&segment.listed.file), &problem_of(&error));
            match checksums_only {
                true => segment.index.check_bytes().map_err(file)?,
                false => segment.index.check(self.recipe.threads).map_err(file)?,
            }
        }
        let places = self.live_places()?;
        let problem = |problem| Err(Error::damaged("store", problem));
        if places.len() != self.len() {
            return problem("it has not as many terms as its manifest says");
        }
        if !places.is_sorted_by(|a, b| a.id < b.id) {
            return problem("an id occurs twice");
        }
        if places.last().is_some_and(|last| u64::from(last.id) >= self.manifest.next_id) {
            return problem("an id is greater than the manifest says");
        }
        Ok(())
    }

    /// Whether the one segment is the whole vocabulary.
    pub(super) fn is_one_index(&self) -> bool {
        self.segments.len() == 1 && self.hidden.is_empty()
    }

    /// The rows of a segment that are live, in the order of their ids.
    pub(super) fn live_rows(
        &self,
        number: usize,
        mut each: impl FnMut(RowPlace),
        mut each_hidden: impl FnMut(u32),
    ) -> Result<()> {
        let segment = &self.segments[number];
        for row in 0..segment.index.len() as u32 {
            let id = segment.id(TermId(row))?;
            match self.hidden.is_live(id, segment.tier()) {
                true => each(RowPlace { id, source: number as u16, row }),
                false => each_hidden(id),
            }
        }
        Ok(())
    }

    /// All live rows, in the order of their ids.
    pub(super) fn live_places(&self) -> Result<Vec<RowPlace>> {
        let mut places = Vec::with_capacity(self.len());
        for number in 0..self.segments.len() {
            self.live_rows(number, |place| places.push(place), |_| {})?;
        }
        // Runs in order are merged.
        places.sort_by_key(|place| place.id);
        Ok(places)
    }

    /// Where the live row of an id is, if the store has it.
    pub(super) fn place(&self, id: u32) -> Result<Option<RowPlace>> {
        for (source, segment) in (0..).zip(&self.segments) {
            if self.hidden.is_live(id, segment.tier())
                && let Some(row) = segment.row(id)?
            {
                return Ok(Some(RowPlace { id, source, row: row.0 }));
            }
        }
        Ok(None)
    }

    /// The segments as sources of rows.
    pub(super) fn sources(&self) -> Vec<Source<'_>> {
        self.segments.iter().map(|segment| Source::Segment(segment)).collect()
    }

    /// The index of some rows, which are in the order of their ids.
    pub(super) fn index_of(&self, places: &[RowPlace]) -> Result<Index> {
        Ok(self.recipe.ruled(self.recipe.index(&self.sources(), places)?))
    }

    /// All live terms as one index, with their ids as its own ids; made once.
    pub fn index(&self) -> Result<Arc<Index>> {
        if self.is_one_index() {
            return Ok(self.segments[0].index.clone());
        }
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        let index = Arc::new(self.index_of(&self.live_places()?)?);
        Ok(self.whole.get_or_init(|| index).clone())
    }

    /// Whether the index of all terms was made.
    pub(super) fn has_index(&self) -> bool {
        self.whole.get().is_some()
    }

    /// Where the index with all terms is, if one of the files has it.
    pub fn index_file(&self) -> Option<&str> {
        self.is_one_index().then(|| &*self.manifest.segments[0].file)
    }

    /// The ids of all terms, in order.
    pub fn ids(&self) -> Result<Vec<u32>> {
        Ok(self.live_places()?.into_iter().map(|place| place.id).collect())
    }
}
