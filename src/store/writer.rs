//! The writer: what is pending, and how it is committed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::analysis::Options;
use crate::arrays::columns::{Kind, Value};
use crate::build::{Aliases, Build, List, UserColumns, Values};
use crate::error::{Error, Place, Result, StoreProblem};
use crate::index::{Index, TermId};
use crate::store::commit::{Commit, Failure};
use crate::store::hidden::{Hidden, REMOVED};
use crate::store::manifest::{self, Manifest};
use crate::store::pending::{Addition, Change, Owned, Pending};
use crate::store::rows::{Recipe, RowPlace, Source};
use crate::store::segment::Segment;
use crate::store::settings::StoreOptions;
use crate::store::snapshot::{Opened, Snapshot};
use crate::store::storage::{Lock, Storage};

/// The rows that the first tier can hold: their index is built in some milliseconds.
const FIRST_TIER: usize = 1 << 14;
/// How many times as many rows each further tier can hold.
const TIER_FACTOR: usize = 16;
/// All segments are merged when more rows are hidden than the first tier can hold, and than this part of
/// the live rows.
const HIDDEN_SHARE: usize = 4;
/// Ids end here: an index numbers its terms with 32 bits, and the last number has a meaning of its own.
const MAX_ID: u64 = u32::MAX as u64;

/// The name of a column, and the type of its values.
type NamedColumn = (String, Kind);

/// Who may change a store.
pub(super) struct Writer {
    storage: Arc<dyn Storage>,
    options: StoreOptions,
    pending: Pending,
    /// The id of the next new term. It does not go back when changes are dropped.
    next_id: u64,
    /// The files of the generation before the last one, which its readers may be about to open.
    previous: Vec<String>,
    /// None after a failure, or when the writer was closed.
    lock: Option<Lock>,
    /// The failure.
    failure: Option<String>,
}

impl Writer {
    pub(super) fn new(
        storage: Arc<dyn Storage>,
        options: &StoreOptions,
        opened: &Opened,
        lock: Lock,
    ) -> Result<Writer> {
        let mut writer = Writer {
            storage,
            options: options.clone(),
            pending: Pending::default(),
            next_id: opened.snapshot.manifest.next_id,
            previous: Vec::new(),
            lock: Some(lock),
            failure: None,
        };
        if opened.warning.is_some() {
            writer.next_id = writer.next_id.max(writer.ids_of_strangers(opened)?);
        }
        let io_error =
            |source| Error::Io { action: "sync", path: writer.storage.path().into(), source };
        // What is visible is made durable before anything is built on it.
        writer.storage.sync().map_err(io_error)?;
        let before = opened.snapshot.generation().wrapping_sub(1);
        writer.previous = match writer.storage.read(manifest::name(before)) {
            Ok(bytes) => Manifest::parse(&bytes)
                .map(|manifest| manifest.files().map(Into::into).collect())
                .unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        writer.clean(&opened.snapshot.manifest);
        Ok(writer)
    }

    /// An id above all that lost generations may have given: above those in segments that are not listed.
    fn ids_of_strangers(&self, opened: &Opened) -> Result<u64> {
        let mut next = 0;
        let listed: Vec<&str> = opened.snapshot.manifest.files().collect();
        let names = self.storage.list().map_err(|source| Error::Io {
            action: "read",
            path: self.storage.path().into(),
            source,
        })?;
        for name in names.iter().filter(|name| name.ends_with(".nest")) {
            if manifest::is_removable(name)
                && !listed.contains(&&**name)
                && let Ok(index) = self.storage.index(name, self.options.normalizer.clone())
                && let Some(last) = index.len().checked_sub(1)
                && let Ok(Value::Int(id)) = index.value(TermId(last as u32), "id")
            {
                next = next.max(id as u64 + 1);
            }
        }
        Ok(next.min(MAX_ID))
    }

    /// Removes files that neither the last generation nor the one before it has. Readers keep what they
    /// have open.
    fn clean(&self, manifest: &Manifest) {
        let Ok(names) = self.storage.list() else { return };
        for name in names {
            if manifest::is_removable(&name)
                && manifest.files().all(|file| file != name)
                && !self.previous.contains(&name)
            {
                // The next one will try again.
                let _ = self.storage.remove(&name);
            }
        }
    }

    pub(super) fn check_open(&self, path: &Path) -> Result<()> {
        match self.lock {
            Some(_) => Ok(()),
            None => {
                let problem = StoreProblem::Closed { failure: self.failure.clone() };
                Err(Error::Store { path: path.into(), problem })
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.pending = Pending::default();
        self.lock = None;
    }

    pub(super) fn rollback(&mut self) {
        self.pending = Pending::default();
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The id of the term with this surface, with what is pending.
    pub(super) fn find(&self, snapshot: &Snapshot, term: &str) -> Result<Option<u32>> {
        let surface = snapshot.options().surface_of(term);
        match self.pending.ids.get(&*surface) {
            Some(id) => Ok(*id),
            None => snapshot.id(&surface),
        }
    }

    /// Adds terms, or changes what is given of them.
    pub(super) fn add(
        &mut self,
        snapshot: &Snapshot,
        addition: &Addition,
    ) -> Result<Vec<Option<u32>>> {
        let Addition { terms, weights, columns, aliases } = addition;
        // What an index would refuse is refused, in its words.
        let build = Build {
            options: snapshot.options().clone(),
            normalizer: self.options.normalizer.clone(),
            aliases: aliases.clone().unwrap_or_default(),
            columns: columns.clone(),
            threads: if terms.size() < 1 << 16 { Some(1) } else { self.options.threads },
            ..Build::default()
        };
        let index = build.index(*terms, *weights)?;
        let (new_columns, numbers) = self.columns_of(snapshot, columns);
        let mut kinds: Vec<Kind> = snapshot.columns().iter().map(|(_, kind)| *kind).collect();
        kinds.extend(self.pending.columns.iter().chain(&new_columns).map(|(_, kind)| *kind));
        let has_all = index.stats().skipped == 0;
        let mut entries = Vec::new();
        for part in terms.cut(1) {
            terms.visit(part, &mut |entry| {
                let is_term = has_all || index.id(entry)?.is_some();
                let surface = is_term.then(|| snapshot.options().surface_of(entry).into_owned());
                entries.push(surface);
                Ok(())
            })?;
        }
        let mut values = Vec::with_capacity(columns.columns.len());
        for (number, (name, given)) in numbers.iter().zip(&columns.columns) {
            values.push((*number, owned_values(name, given, kinds[*number], *terms)?));
        }
        let named = names_of(aliases.as_ref(), &entries, snapshot.options());
        if named.iter().any(|names| !names.is_empty()) || has_aliases(snapshot) {
            let rows = entries.iter().zip(&named);
            let rows = rows.filter_map(|(entry, names)| Some((entry.as_deref()?, &names[..])));
            self.check_names(snapshot, rows)?;
        }
        let new = entries.iter().flatten().count() as u64;
        if self.next_id + new > MAX_ID {
            let problem = StoreProblem::NoIds;
            return Err(Error::Store { path: self.storage.path().into(), problem });
        }
        // From here on nothing fails.
        let mut found = Vec::with_capacity(entries.len());
        for surface in &entries {
            found.push(match surface {
                None => None,
                Some(surface) => match self.pending.ids.get(&**surface) {
                    Some(id) => *id,
                    None => snapshot.id(surface)?,
                },
            });
        }
        let mut committed = Vec::with_capacity(entries.len());
        for id in &found {
            committed.push(match id {
                Some(id) if !self.pending.puts.contains_key(id) => {
                    Some(committed_row(snapshot, *id)?)
                }
                _ => None,
            });
        }
        self.pending.columns.extend(new_columns);
        self.pending.weighted |= weights.is_some();
        let mut ids = Vec::with_capacity(entries.len());
        for (entry, surface) in entries.into_iter().enumerate() {
            let Some(surface) = surface else {
                ids.push(None);
                continue;
            };
            // The same term may have come earlier in this list.
            let id = match self.pending.ids.get(&*surface).copied().flatten().or(found[entry]) {
                Some(id) => id,
                None => {
                    self.next_id += 1;
                    (self.next_id - 1) as u32
                }
            };
            let known = committed[entry].take();
            let change = self.pending.puts.entry(id).or_insert_with(|| {
                known.unwrap_or_else(|| Change {
                    surface: surface.as_str().into(),
                    weight: 1.0,
                    is_new: true,
                    ..Change::default()
                })
            });
            if let Some(weights) = weights {
                change.weight = weights[entry];
            }
            for (number, values) in &mut values {
                if change.values.len() <= *number {
                    change.values.resize(*number + 1, Owned::Null);
                }
                change.values[*number] = std::mem::take(&mut values[entry]);
            }
            if aliases.is_some() {
                change.aliases.clone_from(&named[entry]);
            }
            if self.pending.ids.get(&*surface) != Some(&Some(id)) {
                self.pending.ids.insert(surface.into(), Some(id));
            }
            ids.push(Some(id));
        }
        Ok(ids)
    }

    /// The columns that the store does not have yet, and the numbers of all given ones.
    fn columns_of(
        &self,
        snapshot: &Snapshot,
        given: &UserColumns,
    ) -> (Vec<NamedColumn>, Vec<usize>) {
        let mut known: Vec<&str> = snapshot.columns().iter().map(|(name, _)| &**name).collect();
        known.extend(self.pending.columns.iter().map(|(name, _)| &**name));
        let mut new = Vec::new();
        let mut numbers = Vec::with_capacity(given.columns.len());
        for (name, values) in &given.columns {
            numbers.push(match known.iter().position(|other| other == name) {
                Some(number) => number,
                None => {
                    new.push((name.clone(), values.kind()));
                    known.len() + new.len() - 1
                }
            });
        }
        (new, numbers)
    }

    /// Refuses an alias that matches like a term which is not its own, in the words of an index: one of
    /// these terms with their aliases and of all committed ones that match like them.
    fn check_names<'a>(
        &self,
        snapshot: &Snapshot,
        changed: impl Iterator<Item = (&'a str, &'a [String])>,
    ) -> Result<()> {
        let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut places = Vec::new();
        for (surface, names) in changed {
            for name in names.iter().map(|name| &**name).chain([surface]) {
                snapshot.each_match(name, |segment, term, id| {
                    places.push(RowPlace { id, source: segment as u16, row: term.0 });
                })?;
            }
            rows.insert(surface.into(), names.to_vec());
        }
        places.sort_unstable_by_key(|place| place.id);
        places.dedup();
        for place in places.iter().filter(|place| !self.pending.removed.contains(&place.id)) {
            let segment = &snapshot.segments[place.source as usize];
            let (surface, term) = (segment.index.surface(TermId(place.row))?, TermId(place.row));
            if !self.pending.puts.contains_key(&place.id) && !rows.contains_key(&surface) {
                rows.insert(surface, segment.aliases_of(term)?.to_vec());
            }
        }
        let mut aliases = Aliases::default();
        for (entry, names) in (0..).zip(rows.values()) {
            aliases.by_entry.extend(names.iter().map(|name| (entry, name.clone())));
        }
        let build = Build {
            options: snapshot.options().clone(),
            normalizer: self.options.normalizer.clone(),
            aliases,
            ..Build::default()
        };
        build.index(&List::from_iter(rows.keys().map(|key| &**key)), None).map(drop)
    }

    /// Removes terms, or returns the place of the first that is not there.
    pub(super) fn remove(
        &mut self,
        snapshot: &Snapshot,
        terms: &[&str],
    ) -> Result<std::result::Result<usize, usize>> {
        let mut found = BTreeMap::new();
        for (place, term) in terms.iter().enumerate() {
            match self.find(snapshot, term)? {
                None => return Ok(Err(place)),
                Some(id) => found.insert(id, snapshot.options().surface_of(term)),
            };
        }
        let count = found.len();
        found.into_iter().for_each(|(id, surface)| self.pending.remove(&surface, id));
        Ok(Ok(count))
    }

    /// Commits what is pending; with `whole`, all segments become one. None if there is nothing to do.
    pub(super) fn commit(&mut self, snapshot: &Snapshot, whole: bool) -> Result<Option<Snapshot>> {
        let is_done = !whole || snapshot.is_one_index();
        if self.pending.is_empty() && is_done {
            return Ok(None);
        }
        let changes = self.pending.puts.values();
        if has_aliases(snapshot) || changes.clone().any(|change| !change.aliases.is_empty()) {
            let rows = changes.map(|change| (&*change.surface, &change.aliases[..]));
            self.check_names(snapshot, rows)?;
        }
        let plan = self.plan(snapshot, whole)?;
        let generation = snapshot.generation() + 1;
        let storage = self.storage.clone();
        let commit = Commit { storage: storage.as_ref(), generation };
        match self.write(snapshot, plan, &commit) {
            Ok(new) => {
                self.previous = snapshot.manifest.files().map(Into::into).collect();
                self.pending = Pending::default();
                self.clean(&new.manifest);
                Ok(Some(new))
            }
            Err(failure) => {
                let error = commit.error(failure);
                self.failure = Some(error.to_string());
                self.close();
                Err(error)
            }
        }
    }

    /// What the next generation consists of, and its new segment.
    fn plan(&self, snapshot: &Snapshot, whole: bool) -> Result<Plan> {
        let first_tier = self.options.first_tier.unwrap_or(FIRST_TIER).max(1);
        let changes: Vec<&Change> = self.pending.puts.values().collect();
        let new = changes.iter().filter(|change| change.is_new).count();
        let terms = snapshot.len() + new - self.pending.removed.len();
        let capacity = |tier: u8| match TIER_FACTOR.checked_pow(tier.into()) {
            Some(times) => first_tier.saturating_mul(times),
            None => usize::MAX,
        };
        // Changed and removed rows of segments that stay are hidden.
        let mut touched = self.pending.removed.len() + changes.len() - new;
        touched += snapshot.hidden.len();
        let is_worn = touched > first_tier && touched > terms / HIDDEN_SHARE;
        let mut places: Vec<RowPlace> = Vec::new();
        let mut freed: Vec<u32> = Vec::new();
        let is_dropped =
            |id: &u32| self.pending.removed.contains(id) || self.pending.puts.contains_key(id);
        // What is new goes into the first tier with what is there; what is too much for a tier goes into
        // the next.
        let (mut tier, mut merged) = (0, 0);
        loop {
            if snapshot.segments.get(merged).is_some_and(|segment| segment.tier() == tier) {
                let live = |place: RowPlace| {
                    if !is_dropped(&place.id) {
                        places.push(place);
                    }
                };
                snapshot.live_rows(merged, live, |id| freed.push(id))?;
                merged += 1;
            }
            let is_done = !(whole || is_worn) || merged == snapshot.segments.len();
            if is_done && changes.len() + places.len() <= capacity(tier) {
                break;
            }
            tier += 1;
        }
        let pending_source = snapshot.segments.len() as u16;
        let rows = (0..).zip(self.pending.puts.keys());
        places.extend(rows.map(|(row, &id)| RowPlace { id, source: pending_source, row }));
        places.sort_by_key(|place| place.id);
        let mut columns = snapshot.manifest.columns.clone();
        columns.extend(self.pending.columns.iter().cloned());
        let recipe = Recipe {
            columns: Arc::new(columns.clone()),
            weighted: snapshot.weighted() || self.pending.weighted,
            ..snapshot.recipe.clone()
        };
        let mut sources = snapshot.sources();
        sources.push(Source::Pending(changes.clone()));
        // The last segment would have no rows, but it says how terms match.
        let is_needed = !places.is_empty() || merged == snapshot.segments.len();
        let index = match is_needed {
            true => Some(recipe.index(&sources, &places)?),
            false => None,
        };
        let kept = &snapshot.segments[merged..];
        let hidden = self.hidden(snapshot, &changes, &freed, merged, tier)?;
        Ok(Plan { index, tier, kept: kept.to_vec(), hidden, columns, terms: terms as u64 })
    }

    /// The hidden rows of the segments that stay: those from number `merged` on. Live rows of the others,
    /// and those that are written, are in this tier then.
    fn hidden(
        &self,
        snapshot: &Snapshot,
        changes: &[&Change],
        freed: &[u32],
        merged: usize,
        tier: u8,
    ) -> Result<Hidden> {
        let kept = &snapshot.segments[merged..];
        let is_kept = |id: u32| -> Result<bool> {
            for segment in kept {
                if segment.row(id)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if kept.is_empty() {
            return Ok(Hidden::default());
        }
        let mut entries: BTreeMap<u32, u8> = snapshot.hidden.entries().collect();
        let merged_tiers: Vec<u8> =
            snapshot.segments[..merged].iter().map(|segment| segment.tier()).collect();
        for live in entries.values_mut() {
            if merged_tiers.contains(live) {
                *live = tier;
            }
        }
        // Hidden rows of segments that go may have been the only ones of their ids.
        for id in freed {
            if !is_kept(*id)? {
                entries.remove(id);
            }
        }
        for (&id, change) in self.pending.puts.keys().zip(changes) {
            if !change.is_new && is_kept(id)? {
                entries.insert(id, tier);
            }
        }
        for &id in &self.pending.removed {
            match is_kept(id)? {
                true => entries.insert(id, REMOVED),
                false => entries.remove(&id),
            };
        }
        Ok(Hidden::of(entries))
    }

    /// Writes the files of the next generation, and publishes it.
    fn write(
        &self,
        snapshot: &Snapshot,
        plan: Plan,
        commit: &Commit,
    ) -> std::result::Result<Snapshot, Failure> {
        let mut manifest = Manifest {
            generation: commit.generation,
            next_id: self.next_id,
            terms: plan.terms,
            columns: plan.columns,
            ..Manifest::default()
        };
        let mut segments = Vec::new();
        if let Some(index) = plan.index {
            let listed = commit.segment(0, plan.tier, &index)?;
            // From the file: memory is free again, and what is served is what was written.
            let opened = self.storage.index(&listed.file, self.options.normalizer.clone());
            let opened = opened.and_then(|index| Segment::new(index, &listed));
            segments.push(Arc::new(opened.map_err(Failure::Error)?));
            manifest.segments.push(listed);
        }
        for segment in plan.kept {
            manifest.segments.push(segment.listed.clone());
            segments.push(segment);
        }
        manifest.hidden = commit.hidden(&plan.hidden)?;
        let path = self.storage.path().into();
        let new = Snapshot::new(path, manifest, segments, plan.hidden, &self.options);
        let new = new.map_err(Failure::Error)?;
        commit.publish(&new.manifest)?;
        debug_assert_eq!(snapshot.generation() + 1, new.generation());
        Ok(new)
    }
}

/// Whether a committed term has an alias.
fn has_aliases(snapshot: &Snapshot) -> bool {
    snapshot.segments.iter().any(|segment| segment.index.stats().aliases > 0)
}

/// What the next generation consists of.
struct Plan {
    /// The new segment, unless it would be empty.
    index: Option<Index>,
    tier: u8,
    /// The segments that stay.
    kept: Vec<Arc<Segment>>,
    hidden: Hidden,
    columns: Vec<(String, Kind)>,
    terms: u64,
}

/// The row of a committed term, as a change that changes nothing yet.
fn committed_row(snapshot: &Snapshot, id: u32) -> Result<Change> {
    let missing = || Error::damaged("store", "an id has no row");
    let place = snapshot.place(id)?.ok_or_else(missing)?;
    let segment = &snapshot.segments[place.source as usize];
    let term = TermId(place.row);
    let mut values = Vec::new();
    for (name, kind) in snapshot.columns() {
        let column = segment.index.columns().iter().find(|column| column.name == *name);
        let value = column.map_or(Ok(Value::Null), |column| column.value(place.row as usize))?;
        values.push(Owned::of(&value, *kind).unwrap_or_default());
    }
    Ok(Change {
        surface: segment.index.surface(term)?.into(),
        weight: segment.index.weight(term)?,
        aliases: segment.aliases_of(term)?.to_vec(),
        values,
        is_new: false,
    })
}

/// The given values of a column, which has this type.
fn owned_values(
    name: &str,
    given: &Values,
    kind: Kind,
    terms: &dyn crate::build::Entries,
) -> Result<Vec<Owned>> {
    let value = |row: usize| {
        let value = given.get(row);
        Owned::of(&value, kind).ok_or_else(|| Error::ColumnValue {
            column: name.into(),
            place: Box::new(match terms.place(row as u64) {
                place @ Place::Row(_) => place,
                _ => Place::Entry(row as u64),
            }),
            value: value.to_string().into(),
            expected: kind.name(),
        })
    };
    (0..given.len()).map(value).collect()
}

/// The aliases of each entry.
fn names_of(
    aliases: Option<&Aliases>,
    entries: &[Option<String>],
    options: &Options,
) -> Vec<Vec<String>> {
    let mut names = vec![Vec::new(); entries.len()];
    let Some(aliases) = aliases else { return names };
    for (entry, alias) in &aliases.by_entry {
        names[*entry as usize].push(alias.clone());
    }
    if !aliases.by_term.is_empty() {
        let mut places: HashMap<&str, Vec<usize>> = Default::default();
        for (place, surface) in entries.iter().enumerate() {
            if let Some(surface) = surface {
                places.entry(surface).or_default().push(place);
            }
        }
        for (term, alias) in &aliases.by_term {
            for &place in places.get(&*options.surface_of(term)).into_iter().flatten() {
                names[place].push(alias.clone());
            }
        }
    }
    names
}
