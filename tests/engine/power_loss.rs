//! Loss of power, and systems that refuse: a storage that loses, reorders and tears what was not synced.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use termnest::{
    Error, Index, Lock, Normalize, Options, Output, Stamp, Storage, Store, StoreOptions,
};

use crate::store::{Random, Terms, change, seeds};

/// The content of a file: what is on the disk for sure, and what was written since.
#[derive(Clone, Default)]
struct Content {
    durable: Vec<u8>,
    /// Pieces in the order of writing, with their offsets.
    written: Vec<(usize, Vec<u8>)>,
}

impl Content {
    fn now(&self) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        self.written.iter().for_each(|(at, piece)| put(&mut bytes, *at, piece));
        bytes
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.resize(bytes.len().max(at + piece.len()), 0);
    bytes[at..at + piece.len()].copy_from_slice(piece);
}

/// A change of the names in the folder that is not durable yet.
#[derive(Clone)]
enum Naming {
    Create(String, usize),
    Rename(String, String),
    Remove(String),
}

#[derive(Clone, Default)]
struct Disk {
    contents: Vec<Content>,
    /// The files by their names, as programs see them.
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    namings: Vec<Naming>,
    calls: u64,
    /// The call from which on, or the only one at which, the system refuses; and whether it goes on refusing.
    fails_at: Option<(u64, bool)>,
    /// The call at which the power is lost.
    ends_at: Option<u64>,
}

impl Disk {
    /// Counts a call that changes something, and refuses it if it is time.
    fn call(&mut self) -> io::Result<()> {
        self.calls += 1;
        if self.ends_at.is_some_and(|end| self.calls >= end) {
            return Err(io::Error::other("power lost"));
        }
        match self.fails_at {
            Some((at, forever)) if self.calls == at || forever && self.calls > at => {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ => Ok(()),
        }
    }

    /// What is left on the disk when the power is lost: of what was not synced any part, in any order.
    fn after_power_loss(&self, random: &mut Random) -> Disk {
        let mut names = self.durable_names.clone();
        for naming in &self.namings {
            // Each change of a name survives by itself or not.
            if random.below(2) == 0 {
                continue;
            }
            match naming {
                Naming::Create(name, file) => {
                    names.insert(name.clone(), *file);
                }
                Naming::Rename(from, to) => {
                    // The name leads to what it was given to, whether or not that has its old name.
                    if let Some(file) = self.renamed(from, to).or_else(|| names.get(from).copied())
                    {
                        names.retain(|name, other| name != from || *other != file);
                        names.insert(to.clone(), file);
                    }
                }
                Naming::Remove(name) => {
                    names.remove(name);
                }
            }
        }
        let contents = self.contents.iter().map(|content| {
            let mut bytes = content.durable.clone();
            for (at, piece) in &content.written {
                match random.below(4) {
                    0 => {}
                    // Torn: a part of it, or what was on the disk before.
                    1 => put(&mut bytes, *at, &piece[..random.below(piece.len() + 1)]),
                    2 => {
                        let mut garbage = piece.clone();
                        let start = random.below(garbage.len() + 1);
                        garbage[start..].fill(0xA5);
                        put(&mut bytes, *at, &garbage);
                    }
                    _ => put(&mut bytes, *at, piece),
                }
            }
            Content { durable: bytes, written: Vec::new() }
        });
        Disk {
            contents: contents.collect(),
            names: names.clone(),
            durable_names: names,
            ..Disk::default()
        }
    }

    /// The file that a rename moved.
    fn renamed(&self, from: &str, to: &str) -> Option<usize> {
        let mut file = None;
        for naming in &self.namings {
            match naming {
                Naming::Create(name, created) if name == from => file = Some(*created),
                Naming::Rename(other, target) if other == from && target == to => break,
                _ => {}
            }
        }
        file
    }
}

/// A folder in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Disk>>);

struct MemoryFile {
    disk: Arc<Mutex<Disk>>,
    file: usize,
    length: usize,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.disk.lock().unwrap();
        disk.call()?;
        disk.contents[self.file].written.push((self.length, bytes.to_vec()));
        self.length += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for MemoryFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.call()?;
        let content = &mut disk.contents[self.file];
        *content = Content { durable: content.now(), written: Vec::new() };
        Ok(())
    }
}

fn missing() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl Storage for Memory {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn lock(&self) -> termnest::Result<Lock> {
        Ok(Box::new(()))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.0.lock().unwrap().names.keys().cloned().collect())
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let disk = self.0.lock().unwrap();
        disk.names.get(name).map(|&file| disk.contents[file].now()).ok_or_else(missing)
    }

    fn index(&self, name: &str, normalizer: Option<Arc<dyn Normalize>>) -> termnest::Result<Index> {
        let bytes = self.read(name).map_err(|source| Error::Io {
            action: "open",
            path: name.into(),
            source,
        })?;
        Index::from_bytes(&bytes, normalizer)
    }

    fn create<'a>(&'a self, name: &str) -> io::Result<Box<dyn Output + 'a>> {
        let mut disk = self.0.lock().unwrap();
        disk.call()?;
        let file = disk.contents.len();
        disk.contents.push(Content::default());
        disk.names.insert(name.into(), file);
        disk.namings.push(Naming::Create(name.into(), file));
        Ok(Box::new(MemoryFile { disk: self.0.clone(), file, length: 0 }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.call()?;
        let file = disk.names.remove(from).ok_or_else(missing)?;
        disk.names.insert(to.into(), file);
        disk.namings.push(Naming::Rename(from.into(), to.into()));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.call()?;
        disk.names.remove(name).ok_or_else(missing)?;
        disk.namings.push(Naming::Remove(name.into()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.call()?;
        disk.durable_names = disk.names.clone();
        disk.namings.clear();
        Ok(())
    }

    fn stamp(&self, name: &str) -> Option<Stamp> {
        let disk = self.0.lock().unwrap();
        disk.names.get(name).map(|&file| Stamp([file as u64, 0, 0, 0]))
    }
}

const WORDS: [&str; 3] = ["a", "b", "c"];

fn settings(seed: u64) -> StoreOptions {
    StoreOptions {
        first_tier: Some(1 + seed as usize % 4),
        threads: Some(1),
        ..StoreOptions::default()
    }
}

/// What a run has promised: the terms of each acknowledged generation, and of the one that was being made.
#[derive(Clone, Default)]
struct Promise {
    acknowledged: (u64, Terms),
    /// A commit that may or may not have happened.
    uncertain: Option<Terms>,
    /// The smallest id that no acknowledged or visible term has.
    next_id: u32,
}

/// Changes and commits until something fails; what was promised.
fn work(memory: &Memory, seed: u64, promise: &mut Promise) -> termnest::Result<()> {
    let mut random = Random(seed);
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    let store = Store::create_in(storage, &Options::default(), settings(seed))?;
    let snapshot = store.snapshot()?;
    check(&snapshot, promise);
    let mut terms = promise.acknowledged.1.clone();
    for _ in 0..2 + random.below(4) {
        for _ in 0..1 + random.below(3) {
            change(&store, &mut terms, &mut random, &WORDS, false);
        }
        promise.uncertain = Some(terms.clone());
        let generation = if random.below(5) == 0 { store.compact()? } else { store.commit()? };
        if let Some(last) = terms.keys().last() {
            promise.next_id = promise.next_id.max(last + 1);
        }
        promise.acknowledged = (generation, terms.clone());
        promise.uncertain = None;
    }
    Ok(())
}

/// A store that was opened has what was promised, or the commit that was not acknowledged.
fn check(snapshot: &termnest::Snapshot, promise: &mut Promise) {
    snapshot.check(false).unwrap();
    let rows: Vec<(u32, String)> = snapshot
        .ids()
        .unwrap()
        .into_iter()
        .map(|id| (id, snapshot.surface(id).unwrap().unwrap()))
        .collect();
    let expected = |terms: &Terms| -> Vec<(u32, String)> {
        terms.iter().map(|(id, model)| (*id, model.term.clone())).collect()
    };
    let is_next = snapshot.generation() > promise.acknowledged.0;
    match promise.uncertain.take() {
        Some(terms) if is_next && snapshot.generation() > 1 => {
            assert_eq!(rows, expected(&terms), "a commit happened in part");
            promise.acknowledged = (snapshot.generation(), terms);
        }
        _ => {
            assert!(snapshot.generation() >= promise.acknowledged.0, "a generation was lost");
            assert_eq!(rows, expected(&promise.acknowledged.1), "an acknowledged commit was lost");
            promise.acknowledged.0 = snapshot.generation();
        }
    }
}

#[test]
fn no_acknowledged_commit_is_lost_when_the_power_is() {
    let mut lost = 0;
    for seed in 1..=seeds(400) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9) | 1);
        let mut memory = Memory::default();
        let mut promise = Promise::default();
        // Up to four times: power is lost again while the store is opened and used after the first loss.
        for round in 0..1 + random.below(4) as u64 {
            memory.0.lock().unwrap().ends_at = Some(1 + random.below(60) as u64);
            let ended = work(&memory, seed + 1000 * round + 1, &mut promise);
            if ended.is_err() {
                lost += 1;
            }
            let disk = memory.0.lock().unwrap().after_power_loss(&mut random);
            memory = Memory(Arc::new(Mutex::new(disk)));
        }
        let opened =
            Store::create_in(Arc::new(memory.clone()), &Options::default(), settings(seed));
        check(&opened.unwrap().snapshot().unwrap(), &mut promise);
        // It is not read-only from then on.
        work(&memory, seed + 7, &mut promise).unwrap();
    }
    assert!(lost > 100);
    if std::env::var_os("TERMNEST_FAULT_SEEDS").is_some() {
        println!("power lost {lost} times in {} seeds, 0 violations", seeds(0));
    }
}

#[test]
fn a_call_that_the_system_refuses_leaves_the_last_commit_and_closes_the_writer() {
    let mut tried = 0;
    for seed in 1..=(seeds(400) / 40).max(5) {
        for forever in [false, true] {
            for call in 1.. {
                let memory = Memory::default();
                let mut promise = Promise::default();
                memory.0.lock().unwrap().fails_at = Some((call, forever));
                let ended = work(&memory, seed, &mut promise);
                let calls = memory.0.lock().unwrap().calls;
                memory.0.lock().unwrap().fails_at = None;
                tried += 1;
                let storage: Arc<dyn Storage> = Arc::new(memory.clone());
                let opened =
                    Store::create_in(storage, &Options::default(), settings(seed)).unwrap();
                check(&opened.snapshot().unwrap(), &mut promise);
                drop(opened);
                work(&memory, seed + 3, &mut promise).unwrap();
                if ended.is_ok() && calls < call {
                    break;
                }
            }
        }
    }
    assert!(tried > 100);
    if std::env::var_os("TERMNEST_FAULT_SEEDS").is_some() {
        println!("{tried} refused calls, 0 violations");
    }
}

#[test]
fn a_writer_that_failed_is_closed_and_what_was_committed_is_still_read() {
    let memory = Memory::default();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    let store = Store::create_in(storage.clone(), &Options::default(), settings(1)).unwrap();
    let (mut terms, mut random) = (Terms::new(), Random(5));
    while terms.is_empty() {
        change(&store, &mut terms, &mut random, &WORDS, false);
    }
    store.commit().unwrap();
    let before = store.snapshot().unwrap().len();
    let mut more = terms.clone();
    while more.len() == terms.len() {
        change(&store, &mut more, &mut random, &WORDS, false);
    }
    {
        let mut disk = memory.0.lock().unwrap();
        disk.fails_at = Some((disk.calls + 1, false));
    }
    assert!(matches!(store.commit(), Err(Error::Io { .. })));
    // The next call would succeed, but what a failed sync has left is not known.
    let error = store.commit().unwrap_err().to_string();
    assert!(error.contains("closed after a failure"), "{error}");
    assert_eq!(store.snapshot().unwrap().len(), before);
}
