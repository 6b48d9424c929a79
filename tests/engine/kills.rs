//! Processes that are killed, and system calls that fail, at every call that a store or a save makes.
//!
//! The test program runs itself under strace as a worker, which changes a store and notes in another file what
//! it tries and what was acknowledged. strace kills the worker at its n-th call, or lets that call fail. Then
//! the store is opened and compared with the notes. Without strace there is nothing to test.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use termnest::{Build, Index, List, Options, Store, StoreOptions};

use crate::store::{Random, Terms, change};

/// The variable that makes a test program a worker: a folder, a scenario and a seed.
const WORKER: &str = "TERMNEST_FAULT_WORKER";
/// The number of trials, if there should be more than the tests take.
const TRIALS: &str = "TERMNEST_FAULT_TRIALS";
const SCENARIOS: [&str; 6] = ["create", "add", "remove", "compact", "reopen", "save"];
/// The calls by which files change.
const CALLS: [&str; 8] =
    ["openat", "write", "fsync", "rename", "unlink", "flock", "ftruncate", "utimensat"];

fn settings(seed: u64) -> StoreOptions {
    let first_tier = Some(2 + seed as usize % 3);
    StoreOptions { first_tier, threads: Some(1), ..StoreOptions::default() }
}

/// The ids and the surfaces of all terms, on one line.
fn line(terms: &Terms) -> String {
    let terms: Vec<String> =
        terms.iter().map(|(id, model)| format!("{id}={}", model.term)).collect();
    terms.join(",")
}

fn note(notes: &mut File, what: &str, terms: &Terms) -> std::io::Result<()> {
    // One call: a line is there or not.
    notes.write_all(format!("{what} {}.\n", line(terms)).as_bytes())
}

/// What a worker does: it ends with the first error.
fn work(folder: &Path, scenario: &str, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
    let path = folder.join("terms.store");
    let mut notes = OpenOptions::new().append(true).create(true).open(folder.join("notes"))?;
    let mut random = Random(seed * 2 + 1);
    let store = match scenario {
        "reopen" => Store::write(&path, settings(seed))?,
        _ => Store::create(&path, &Options::default(), settings(seed))?,
    };
    // What a store has that another worker has left.
    let snapshot = store.snapshot()?;
    let mut terms = Terms::new();
    for id in snapshot.ids()? {
        let (term, weight) = (snapshot.surface(id)?.unwrap(), snapshot.weight(id)?.unwrap());
        terms.insert(id, crate::store::Model { term, weight, concept: None, aliases: Vec::new() });
    }
    // What is seen stays, also a commit that the worker before did not live to note.
    note(&mut notes, "done", &terms)?;
    for round in 0..3 {
        for _ in 0..2 {
            change(&store, &mut terms, &mut random, &["a", "b", "c"], false);
        }
        if scenario == "remove" && round > 0 {
            for id in terms.keys().copied().take(2).collect::<Vec<_>>() {
                store.remove(&[&terms[&id].term])?.unwrap();
                terms.remove(&id);
            }
        }
        note(&mut notes, "try", &terms)?;
        if scenario == "compact" {
            store.compact()?
        } else {
            store.commit()?
        };
        note(&mut notes, "done", &terms)?;
    }
    Ok(())
}

/// Saves an index in place of another.
fn save(folder: &Path, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
    let terms: Vec<String> = (0..seed % 50).map(|number| format!("new {number}")).collect();
    let list = List::from_iter(terms.iter().map(|term| &**term));
    Build { threads: Some(1), ..Build::default() }
        .index(&list, None)?
        .save(&folder.join("a.nest"))?;
    Ok(())
}

#[test]
fn worker() {
    let Ok(job) = std::env::var(WORKER) else { return };
    let mut words = job.split('|');
    let (folder, scenario) = (PathBuf::from(words.next().unwrap()), words.next().unwrap());
    let seed: u64 = words.next().unwrap().parse().unwrap();
    let done = match scenario {
        "save" => save(&folder, seed),
        _ => work(&folder, scenario, seed),
    };
    if let Err(error) = done {
        // Not by unwinding, which might hide the error.
        eprintln!("{error}");
        std::process::exit(3);
    }
}

/// Runs a worker under strace with some options; how it ended, and what it said.
fn run(folder: &Path, scenario: &str, seed: u64, options: &[String]) -> (Option<i32>, String) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(folder.join("trace"))
        .args(options)
        .arg(program)
        .args(["--exact", "kills::worker", "--nocapture", "--test-threads=1"])
        .env(WORKER, format!("{}|{scenario}|{seed}", folder.display()))
        .env_remove("RUST_BACKTRACE")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Whether strace is installed, and may trace a process.
fn has_strace() -> bool {
    let trial = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let is_there = trial.is_ok_and(|status| status.success());
    let may_skip = std::env::var_os("TERMNEST_NEVER_SKIP").is_none();
    assert!(is_there || may_skip, "strace is missing, or may not trace");
    if !is_there {
        eprintln!("skipped: strace is missing, or may not trace");
    }
    is_there
}

/// A folder in memory, if there is one: only the disk would be faster otherwise.
fn folder() -> tempfile::TempDir {
    match Path::new("/dev/shm").is_dir() {
        true => tempfile::tempdir_in("/dev/shm").unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

fn prepare(folder: &Path, scenario: &str, seed: u64) {
    match scenario {
        "reopen" => work(folder, "add", seed + 1).unwrap(),
        "save" => {
            let old = Build::default().index(&List::from_iter(["old"]), None).unwrap();
            old.save(&folder.join("a.nest")).unwrap();
        }
        _ => {}
    }
}

/// Compares what is left with the notes; `exact` if the worker ended without an error.
fn check(folder: &Path, scenario: &str, seed: u64) {
    if scenario == "save" {
        let index = Index::open(&folder.join("a.nest"), false, None).unwrap();
        index.check(Some(1)).unwrap();
        let first = if index.is_empty() {
            String::new()
        } else {
            index.surface(termnest::TermId(0)).unwrap()
        };
        let is_new = index.len() as u64 == seed % 50 && (index.is_empty() || first == "new 0");
        assert!(first == "old" || is_new, "{first:?}");
        // What a killed save has left is removed by the next one.
        save(folder, seed).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
        return;
    }
    let notes = fs::read_to_string(folder.join("notes")).unwrap_or_default();
    // A line that was cut was not acknowledged.
    let complete: Vec<&str> =
        notes.split_inclusive('\n').filter(|line| line.ends_with(".\n")).collect();
    let state = |what: &str| {
        let last = complete.iter().rev().find_map(|line| line.strip_prefix(what));
        last.map(|line| line.trim_end_matches(".\n").to_owned())
    };
    let done = state("done ").unwrap_or_default();
    let tried =
        complete.last().and_then(|line| line.strip_prefix("try ")).map(|_| state("try ").unwrap());
    // The lock of a killed writer is free, and its store is opened by the next one.
    let path = folder.join("terms.store");
    let store = Store::create(&path, &Options::default(), settings(seed)).unwrap();
    assert_eq!(store.warning(), None);
    let snapshot = store.snapshot().unwrap();
    snapshot.check(false).unwrap();
    let rows: Vec<String> = snapshot
        .ids()
        .unwrap()
        .into_iter()
        .map(|id| format!("{id}={}", snapshot.surface(id).unwrap().unwrap()))
        .collect();
    let found = rows.join(",");
    assert!(
        found == done || tried.as_ref().is_some_and(|tried| found == *tried),
        "{scenario} {seed}: found {found}, acknowledged {done}, tried {tried:?}"
    );
    // It goes on, and no id is given again.
    let ids = snapshot.ids().unwrap();
    let mut terms = Terms::new();
    for id in &ids {
        let term = snapshot.surface(*id).unwrap().unwrap();
        let weight = snapshot.weight(*id).unwrap().unwrap();
        terms.insert(*id, crate::store::Model { term, weight, concept: None, aliases: Vec::new() });
    }
    change(&store, &mut terms, &mut Random(seed + 99), &["a", "b"], false);
    store.commit().unwrap();
    let names: Vec<String> = fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!names.contains(&"manifest.new".to_owned()), "{names:?}");
    assert!(names.len() <= 12, "files are left: {names:?}");
}

/// How often a worker makes each call.
fn calls(scenario: &str, seed: u64) -> Vec<(&'static str, usize)> {
    let folder = folder();
    prepare(folder.path(), scenario, seed);
    let (code, said) =
        run(folder.path(), scenario, seed, &[format!("-etrace={}", CALLS.join(","))]);
    assert_eq!(code, Some(0), "{said}");
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    let count =
        |call: &str| trace.lines().filter(|line| line.contains(&format!(" {call}("))).count();
    CALLS.iter().map(|&call| (call, count(call))).filter(|(_, count)| *count > 0).collect()
}

fn trials(few: usize) -> usize {
    std::env::var(TRIALS).ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn report(what: &str) {
    if std::env::var_os(TRIALS).is_some() {
        println!("{what}, 0 violations");
    }
}

#[test]
fn a_process_that_is_killed_at_any_call_loses_nothing_that_was_acknowledged() {
    if !has_strace() {
        return;
    }
    let (most, mut tried, mut killed) = (trials(60), 0, 0);
    let mut random = Random(12345);
    for seed in 1.. {
        for scenario in SCENARIOS {
            let calls = calls(scenario, seed);
            // All of them in a long run; some of them in a short one.
            let all: Vec<_> = calls
                .iter()
                .flat_map(|&(call, count)| (1..=count).map(move |n| (call, n)))
                .collect();
            let some = if most < 1000 { most / SCENARIOS.len() } else { all.len() };
            for number in 0..some {
                let (call, n) =
                    if some < all.len() { all[random.below(all.len())] } else { all[number] };
                let folder = folder();
                prepare(folder.path(), scenario, seed);
                // The worker after a kill is killed too, sometimes, and the one after that.
                for depth in 0..1 + random.below(3) {
                    let (call, n) =
                        if depth == 0 { (call, n) } else { all[random.below(all.len())] };
                    let inject = format!("-einject={call}:signal=KILL:when={n}");
                    let trace = format!("-etrace={call}");
                    let (code, _) = run(folder.path(), scenario, seed, &[trace, inject]);
                    killed += usize::from(code.is_none() || code == Some(137));
                    tried += 1;
                    if scenario != "reopen" {
                        break;
                    }
                }
                check(folder.path(), scenario, seed);
            }
        }
        if tried >= most {
            break;
        }
    }
    assert!(killed * 2 > tried, "{killed} of {tried}");
    report(&format!("{tried} workers, {killed} killed at a call"));
}

#[test]
fn a_call_that_fails_leaves_the_last_commit_and_says_what_failed() {
    if !has_strace() {
        return;
    }
    let (most, mut tried, mut failed) = (trials(60), 0, 0);
    let mut random = Random(54321);
    let errors = ["ENOSPC", "EIO"];
    for scenario in SCENARIOS {
        let calls = calls(scenario, 1);
        let mut all = Vec::new();
        for &(call, count) in &calls {
            // Calls of the loader and of the test program, before any file of a store.
            for n in 1..=count {
                for error in errors {
                    for forever in ["", "+"] {
                        all.push((call, n, error, forever));
                    }
                }
            }
        }
        let some = if most < 1000 { (most / SCENARIOS.len()).min(all.len()) } else { all.len() };
        for number in 0..some {
            let (call, n, error, forever) =
                if some < all.len() { all[random.below(all.len())] } else { all[number] };
            let folder = folder();
            prepare(folder.path(), scenario, 1);
            let inject = format!("-einject={call}:error={error}:when={n}{forever}");
            let (code, said) =
                run(folder.path(), scenario, 1, &[format!("-etrace={call}"), inject]);
            tried += 1;
            if code == Some(3) {
                failed += 1;
                assert!(said.contains("os error"), "{call} {n}: {said}");
            }
            assert!(!said.contains("panicked"), "{scenario} {call} {n} {error}{forever}: {said}");
            check(folder.path(), scenario, 1);
        }
    }
    assert!(failed * 4 > tried, "{failed} of {tried}");
    report(&format!("{tried} workers with a failing call, {failed} of them ended by it"));
}

/// The calls of a commit in their order, by the file that each concerns.
fn ordered_calls(trace: &str) -> Vec<(String, String)> {
    let mut names = std::collections::HashMap::new();
    let mut found = Vec::new();
    for line in trace.lines() {
        let Some((call, rest)) = line.split_once('(') else { continue };
        let call = call.split_whitespace().last().unwrap_or_default().to_owned();
        let result =
            rest.rsplit(" = ").next().unwrap_or_default().split(' ').next().unwrap_or_default();
        let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
        match &*call {
            "openat" => {
                let name = quoted.first().map_or("", |path| path.rsplit('/').next().unwrap_or(""));
                names.insert(result.to_owned(), name.to_owned());
            }
            "fsync" => {
                let number = rest.split(')').next().unwrap_or_default().to_owned();
                found.push((call, names.get(&number).cloned().unwrap_or_default()));
            }
            "rename" => {
                let name = quoted.get(1).map_or("", |path| path.rsplit('/').next().unwrap_or(""));
                found.push((call, name.to_owned()));
            }
            "write" if quoted.first().is_some_and(|text| text.starts_with("done")) => {
                found.push(("acknowledge".to_owned(), String::new()));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn a_commit_is_acknowledged_after_its_files_its_manifest_and_its_folder_are_synced() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let options = ["-etrace=openat,write,fsync,rename".to_owned()];
    let (code, said) = run(folder.path(), "add", 5, &options);
    assert_eq!(code, Some(0), "{said}");
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    let calls = ordered_calls(&trace);
    let commits: Vec<_> = calls.split(|(call, _)| call == "acknowledge").collect();
    // The first is the creation.
    assert!(commits.len() > 4, "{calls:?}");
    for commit in &commits[..4] {
        let place = |what: &str, name: &str| {
            commit.iter().rposition(|(call, file)| call == what && file.starts_with(name))
        };
        let rename = place("rename", "manifest-").expect("a manifest is renamed");
        assert!(place("fsync", "seg-").is_some_and(|segment| segment < rename), "{commit:?}");
        assert!(place("fsync", "manifest.new").is_some_and(|new| new < rename), "{commit:?}");
        let folders: Vec<usize> = commit
            .iter()
            .enumerate()
            .filter(|(_, (call, file))| call == "fsync" && file == "terms.store")
            .map(|(place, _)| place)
            .collect();
        // Before the rename, so that the files have their names; and after it.
        assert!(folders.iter().any(|&sync| sync < rename), "{commit:?}");
        assert!(folders.iter().any(|&sync| sync > rename), "{commit:?}");
    }
}
