//! Stores: their answers are those of one index of the live terms, after any changes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use termnest::{
    About, Addition, Aliases, Build, Case, Error, FindOptions, Hyphens, Index, List, NestedOptions,
    Options, Overlaps, Side, Snapshot, Sort, Store, StoreOptions, StoreProblem, SuperOptions,
    TermId, Tokenizer, UserColumns, Value, Values, Where,
};

/// Small numbers that look random, always the same ones for a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    pub fn phrase(&mut self, words: &[&str], longest: usize) -> String {
        let count = 1 + self.below(longest);
        let words: Vec<&str> = (0..count).map(|_| words[self.below(words.len())]).collect();
        words.join(" ")
    }
}

/// What a term should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub term: String,
    pub weight: f64,
    pub concept: Option<i64>,
    pub aliases: Vec<String>,
}

/// The live terms by their ids.
pub type Terms = BTreeMap<u32, Model>;

/// One index of the live terms, with the same ids.
fn one_index(terms: &Terms, options: &Options) -> Index {
    let (mut ids, mut concepts) =
        (Values::of(termnest::Kind::Ints), Values::of(termnest::Kind::Ints));
    let mut aliases = Aliases::default();
    for (entry, (id, model)) in (0..).zip(terms) {
        ids.push(&Value::Int((*id).into())).unwrap();
        concepts.push(&model.concept.map_or(Value::Null, Value::Int)).unwrap();
        aliases.by_entry.extend(model.aliases.iter().map(|alias| (entry, alias.clone())));
    }
    let columns = vec![("concept".to_owned(), concepts)];
    let columns = Arc::new(UserColumns { columns, ids: Some(ids) });
    let build =
        Build { options: options.clone(), columns, aliases, threads: Some(1), ..Build::default() };
    let list = List::from_iter(terms.values().map(|model| &*model.term));
    let weights: Vec<f64> = terms.values().map(|model| model.weight).collect();
    build.index(&list, Some(&weights)).unwrap()
}

fn id_of(index: &Index, term: TermId) -> i64 {
    match index.value(term, "id").unwrap() {
        Value::Int(id) => id,
        other => panic!("{other}"),
    }
}

/// Compares all kinds of questions about some phrases.
fn compare(snapshot: &Snapshot, terms: &Terms, phrases: &[String], random: &mut Random) {
    let index = one_index(terms, snapshot.options());
    assert_eq!(snapshot.len(), terms.len());
    assert_eq!(snapshot.ids().unwrap(), terms.keys().copied().collect::<Vec<_>>());
    for phrase in phrases {
        let any = |random: &mut Random| {
            let place = [Where::Anywhere, Where::Start, Where::End, Where::Inside];
            let sort = [Sort::Weight, Sort::Left, Sort::Right, Sort::Length];
            let some =
                |random: &mut Random, most| (random.below(3) == 0).then(|| random.below(most));
            SuperOptions {
                place: place[random.below(4)],
                direct: random.below(3) == 0,
                max_extra: some(random, 4),
                min_length: some(random, 4),
                max_length: some(random, 6),
                sort: sort[random.below(4)],
                limit: some(random, 6),
                offset: if random.below(3) == 0 { random.below(4) } else { 0 },
            }
        };
        let options = any(random);
        let expected: Vec<(i64, u32, u32)> = index
            .super_terms(phrase, &options)
            .unwrap()
            .iter()
            .map(|hit| (id_of(&index, hit.id), hit.start, hit.length))
            .collect();
        let found = snapshot.super_terms(phrase, &options).unwrap();
        let rows: Vec<(i64, u32, u32)> =
            found.all.iter().map(|hit| (hit.id.into(), hit.start, hit.length)).collect();
        assert_eq!(rows, expected, "super terms of {phrase:?}, {options:?}, {terms:?}");
        for answer in &found.all {
            let mut surface = Vec::new();
            found.push_surface(answer, &mut surface).unwrap();
            assert_eq!(String::from_utf8(surface).unwrap(), terms[&answer.id].term);
            assert_eq!(answer.weight, terms[&answer.id].weight);
        }
        assert_eq!(
            snapshot.count_super_terms(phrase, &options).unwrap(),
            index.count_super_terms(phrase, &options).unwrap()
        );
        let SuperOptions { place, direct, min_length, max_length, sort, limit, offset, .. } =
            options;
        let sort = if sort == Sort::Length { sort } else { Sort::Weight };
        let options = NestedOptions { place, direct, min_length, max_length, sort, limit, offset };
        let expected: Vec<(i64, u32)> = index
            .nested_terms(phrase, &options)
            .unwrap()
            .iter()
            .map(|hit| (id_of(&index, hit.id), hit.start))
            .collect();
        let found = snapshot.nested_terms(phrase, &options).unwrap();
        let rows: Vec<(i64, u32)> =
            found.all.iter().map(|hit| (hit.id.into(), hit.start)).collect();
        assert_eq!(rows, expected, "nested terms of {phrase:?}, {options:?}, {terms:?}");
        assert_eq!(
            snapshot.count_nested_terms(phrase, &options).unwrap(),
            index.count_nested_terms(phrase, &options).unwrap()
        );
        let ids: Vec<i64> =
            index.lookup(phrase).unwrap().into_iter().map(|id| id_of(&index, id)).collect();
        let found: Vec<i64> = snapshot.lookup(phrase).unwrap().into_iter().map(i64::from).collect();
        assert_eq!(found, ids, "lookup of {phrase:?}");
        let id = index.id(phrase).unwrap().map(|id| id_of(&index, id));
        assert_eq!(snapshot.id(phrase).unwrap().map(i64::from), id);
        // What is asked of an index of the terms that matter.
        let limit = (random.below(2) == 0).then(|| random.below(5));
        let ends: Vec<usize> = phrase.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        let prefix = &phrase[..ends[random.below(ends.len())]];
        let about = snapshot.about(&About::Completions(prefix, limit)).unwrap();
        let rows = |index: &Index| -> Vec<(i64, u32)> {
            let hits = index.complete(prefix, limit).unwrap();
            hits.iter().map(|hit| (id_of(index, hit.id), hit.start)).collect()
        };
        assert_eq!(rows(&about), rows(&index), "completions of {prefix:?} {limit:?} {terms:?}");
        let about = snapshot.about(&About::Super(phrase)).unwrap();
        for side in [Side::Left, Side::Right] {
            assert_eq!(
                about.expansions(phrase, side).unwrap(),
                index.expansions(phrase, side).unwrap()
            );
        }
        let text = format!("{phrase} {}, {phrase}", phrases[random.below(phrases.len())]);
        let about = snapshot.about(&About::Texts(&List::from_iter([&*text]))).unwrap();
        let overlaps = [Overlaps::All, Overlaps::Longest, Overlaps::Leftmost][random.below(3)];
        let concept = Value::Int(random.below(3) as i64);
        let conditions = [("concept", vec![concept])];
        let is_chosen = random.below(2) == 0 && !snapshot.columns().is_empty();
        let rows = |index: &Index| -> Vec<(i64, u64, u64)> {
            let mask = is_chosen.then(|| index.term_mask(&conditions).unwrap());
            let options = FindOptions { overlaps, only: mask.as_deref(), ..FindOptions::default() };
            let found = index.find(&text, &options, Some(1)).unwrap();
            found.iter().map(|hit| (id_of(index, hit.id), hit.start, hit.end)).collect()
        };
        assert_eq!(rows(&about), rows(&index), "find in {text:?} {overlaps:?} {terms:?}");
    }
}

/// One change of a store and of its model, or more.
pub fn change(store: &Store, terms: &mut Terms, random: &mut Random, words: &[&str], names: bool) {
    let snapshot = store.snapshot().unwrap();
    let options = snapshot.options();
    match random.below(10) {
        0..6 => {
            let count = 1 + random.below(5);
            let added: Vec<String> = (0..count).map(|_| random.phrase(words, 4)).collect();
            let weights: Vec<f64> = (0..count).map(|_| random.below(4) as f64).collect();
            let mut concepts = Values::of(termnest::Kind::Ints);
            let given: Vec<Option<i64>> =
                (0..count).map(|_| Some(random.below(4) as i64).filter(|&i| i < 3)).collect();
            for value in &given {
                concepts.push(&value.map_or(Value::Null, Value::Int)).unwrap();
            }
            let columns = vec![("concept".to_owned(), concepts)];
            let columns = Arc::new(UserColumns { columns, ids: None });
            let mut aliases = Aliases::default();
            if names {
                for entry in 0..count as u64 {
                    if random.below(3) == 0 {
                        aliases.by_entry.push((entry, format!("n{} a", random.below(50))));
                    }
                }
            }
            let list = List::from_iter(added.iter().map(|term| &**term));
            let addition = Addition {
                terms: &list,
                weights: Some(&weights),
                columns,
                aliases: names.then_some(aliases.clone()),
            };
            let ids = store.add(&addition).unwrap();
            for (entry, id) in ids.into_iter().enumerate() {
                let surface = options.surface_of(&added[entry]).into_owned();
                let known =
                    terms.iter().find(|(_, model)| model.term == surface).map(|(id, _)| *id);
                match (known, id) {
                    (Some(known), id) => assert_eq!(id, Some(known)),
                    (None, Some(id)) => assert!(terms.keys().all(|&other| other < id)),
                    (None, None) => panic!("{surface:?} has no id"),
                }
                let own = aliases.by_entry.iter().filter(|(other, _)| *other == entry as u64);
                let model = Model {
                    term: surface,
                    weight: weights[entry],
                    concept: given[entry],
                    aliases: own.map(|(_, alias)| alias.clone()).collect(),
                };
                terms.insert(id.unwrap(), model);
            }
        }
        6..9 => {
            let Some((&id, model)) = terms.iter().nth(random.below(terms.len().max(1))) else {
                return;
            };
            assert_eq!(store.remove(&[&model.term]).unwrap(), Ok(1));
            terms.remove(&id);
        }
        _ => {
            assert_eq!(store.remove(&["not there at all"]).unwrap(), Err(0));
        }
    }
}

/// How many seeds to try: the tests take a few, `make faults` gives a number.
pub fn seeds(few: u64) -> u64 {
    std::env::var("TERMNEST_FAULT_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn runs(options: Options, words: &[&str], names: bool, few: u64) {
    // Each seed syncs a disk some hundred times.
    for seed in 1..=few.max(seeds(0) / 50) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terms.store");
        let settings =
            StoreOptions { first_tier: Some(1 + seed as usize % 3), ..StoreOptions::default() };
        let mut random = Random(seed * 2 + 1);
        let mut store = Store::create(&path, &options, settings.clone()).unwrap();
        let (mut terms, mut committed) = (Terms::new(), Terms::new());
        let mut pinned = None;
        for _ in 0..40 {
            match random.below(12) {
                0..7 => change(&store, &mut terms, &mut random, words, names),
                7..9 => {
                    store.commit().unwrap();
                    committed.clone_from(&terms);
                }
                9 => {
                    store.rollback().unwrap();
                    terms.clone_from(&committed);
                }
                10 => {
                    store.compact().unwrap();
                    committed.clone_from(&terms);
                    assert_eq!(store.snapshot().unwrap().segment_rows().len(), 1);
                }
                _ => {
                    // Dropped without a commit, and opened again.
                    drop(store);
                    store = Store::write(&path, settings.clone()).unwrap();
                    terms.clone_from(&committed);
                }
            }
            let phrases: Vec<String> = (0..2).map(|_| random.phrase(words, 3)).collect();
            compare(&store.snapshot().unwrap(), &committed, &phrases, &mut random);
            if random.below(4) == 0 {
                pinned = Some((store.snapshot().unwrap(), committed.clone()));
            }
            if let Some((snapshot, terms)) = &pinned {
                compare(snapshot, terms, &phrases, &mut random);
            }
        }
        store.commit().unwrap();
        let reader = Store::read(&path, seed % 2 == 0, settings).unwrap();
        reader.snapshot().unwrap().check(false).unwrap();
        let index = reader.snapshot().unwrap().index().unwrap();
        let surfaces = (0..index.len() as u32).map(|id| index.surface(TermId(id)).unwrap());
        assert_eq!(
            surfaces.collect::<Vec<_>>(),
            terms.values().map(|model| model.term.clone()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_store_answers_like_one_index_of_its_terms_whatever_was_changed() {
    runs(Options::default(), &["a", "b", "c"], false, 14);
}

#[test]
fn a_store_with_aliases_answers_like_one_index_of_its_terms() {
    runs(Options::default(), &["a", "b"], true, 10);
}

#[test]
fn a_store_that_folds_answers_like_one_index_of_its_terms() {
    let options = Options {
        tokenizer: Tokenizer::Text,
        fold: true,
        hyphens: Hyphens::Both,
        case: Case::Smart,
        ..Options::default()
    };
    runs(options, &["a", "A", "b", "a-b", "AB", "É"], false, 10);
}

#[test]
fn a_reader_sees_each_commit_and_a_pinned_generation_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let store = Store::create(&path, &Options::default(), StoreOptions::default()).unwrap();
    let reader = Store::read(&path, false, StoreOptions::default()).unwrap();
    let first = reader.snapshot().unwrap();
    for number in 1..50 {
        add(&store, &format!("term {number}"));
        assert_eq!(reader.snapshot().unwrap().len(), number - 1);
        assert_eq!(store.commit().unwrap(), number as u64 + 1);
        assert_eq!(reader.snapshot().unwrap().len(), number);
    }
    assert_eq!((first.len(), first.generation()), (0, 1));
    // Two manifests, the lock, and the files of two generations.
    assert!(std::fs::read_dir(&path).unwrap().count() <= 5);
}

fn add(store: &Store, term: &str) -> Option<u32> {
    let list = List::from_iter([term]);
    let addition = Addition { terms: &list, weights: None, columns: Arc::default(), aliases: None };
    store.add(&addition).unwrap()[0]
}

#[test]
fn threads_of_one_process_may_write_through_one_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let store = Store::create(&path, &Options::default(), StoreOptions::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..25 {
                    let term = format!("{thread} {number}");
                    add(store, &term);
                    store.commit().unwrap();
                    assert!(store.snapshot().unwrap().id(&term).unwrap().is_some());
                }
            });
        }
    });
    let reader = Store::read(&path, false, StoreOptions::default()).unwrap();
    assert_eq!(reader.snapshot().unwrap().len(), 100);
    assert_eq!(reader.snapshot().unwrap().ids().unwrap(), (0..100).collect::<Vec<_>>());
}

#[test]
fn ids_are_never_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let mut store = Store::create(&path, &Options::default(), StoreOptions::default()).unwrap();
    let mut last = None;
    for round in 0..20 {
        let id = add(&store, "a term");
        assert!(id > last, "{id:?} after {last:?}");
        last = id;
        store.commit().unwrap();
        assert_eq!(store.remove(&["a term"]).unwrap(), Ok(1));
        if round % 2 == 0 {
            store.compact().unwrap();
        } else {
            store.commit().unwrap();
        }
        if round % 5 == 0 {
            drop(store);
            store = Store::write(&path, StoreOptions::default()).unwrap();
        }
    }
}

fn problem<T>(result: termnest::Result<T>) -> StoreProblem {
    match result {
        Err(Error::Store { problem, .. }) => problem,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn what_is_not_a_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (options, settings) = (Options::default(), StoreOptions::default());
    let missing = folder.path().join("missing");
    assert_eq!(problem(Store::read(&missing, false, settings.clone())), StoreProblem::Missing);
    assert_eq!(problem(Store::write(&missing, settings.clone())), StoreProblem::Missing);
    let file = folder.path().join("file");
    std::fs::write(&file, "text").unwrap();
    for opened in [
        Store::read(&file, false, settings.clone()),
        Store::create(&file, &options, settings.clone()),
    ] {
        assert_eq!(problem(opened), StoreProblem::NotAFolder);
    }
    for opened in [
        Store::read(folder.path(), false, settings.clone()),
        Store::create(folder.path(), &options, settings.clone()),
    ] {
        assert_eq!(problem(opened), StoreProblem::NotAStore);
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let settings = StoreOptions::default();
    let store = Store::create(&path, &Options::default(), settings.clone()).unwrap();
    let process = Some(std::process::id());
    for _ in 0..2 {
        assert_eq!(
            problem(Store::write(&path, settings.clone())),
            StoreProblem::Locked { process }
        );
    }
    store.close();
    assert_eq!(problem(store.commit()), StoreProblem::Closed { failure: None });
    let other = Store::write(&path, settings.clone()).unwrap();
    assert_eq!(add(&other, "a"), Some(0));
    let reader = Store::read(&path, false, settings).unwrap();
    assert_eq!(problem(reader.commit()), StoreProblem::ReadOnly);
}

/// A copy of a store's files.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn each_byte_and_length_of_the_newest_manifest_and_of_hidden_rows_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let settings = StoreOptions { first_tier: Some(1), ..StoreOptions::default() };
    let store = Store::create(&path, &Options::default(), settings.clone()).unwrap();
    for term in ["a", "b", "c", "a b"] {
        add(&store, term);
    }
    store.commit().unwrap();
    assert_eq!(store.remove(&["b"]).unwrap(), Ok(1));
    let generation = store.commit().unwrap();
    drop(store);
    assert_eq!(
        Store::read(&path, false, settings.clone()).unwrap().snapshot().unwrap().hidden_ids(),
        1
    );
    let newest = format!("manifest-{}", generation % 2);
    let mut checked = 0;
    for file in [newest, format!("hidden-{generation}")] {
        let content = std::fs::read(path.join(&file)).unwrap();
        let mut damaged: Vec<Vec<u8>> =
            (0..content.len()).map(|end| content[..end].to_vec()).collect();
        for place in 0..content.len() {
            for change in [1, 0x20, 0xFF] {
                let mut bytes = content.clone();
                bytes[place] ^= change;
                damaged.push(bytes);
            }
        }
        for bytes in damaged {
            std::fs::write(path.join(&file), &bytes).unwrap();
            // The generation before is served, and the damage is reported.
            let reader = Store::read(&path, false, settings.clone()).unwrap();
            assert!(reader.warning().is_some_and(|warning| warning.contains(&file)));
            let snapshot = reader.snapshot().unwrap();
            assert_eq!((snapshot.generation(), snapshot.len()), (generation - 1, 4));
            checked += 1;
        }
        std::fs::write(path.join(&file), &content).unwrap();
    }
    assert!(checked > 500);
    // A writer goes on, and gives no id again that the lost generation may have given.
    let other = folder.path().join("other.store");
    copy(&path, &other);
    let store = Store::write(&other, settings.clone()).unwrap();
    let id = add(&store, "new");
    let generation = store.commit().unwrap();
    drop(store);
    std::fs::write(other.join(format!("manifest-{}", generation % 2)), "").unwrap();
    let store = Store::write(&other, settings.clone()).unwrap();
    assert!(add(&store, "newer") > id);
    store.commit().unwrap();
    drop(store);
    // Without any manifest that holds, nothing is served.
    for name in ["manifest-0", "manifest-1"] {
        std::fs::write(path.join(name), "termnest store 1\n").unwrap();
    }
    for opened in [
        Store::read(&path, false, settings.clone()),
        Store::create(&path, &Options::default(), settings.clone()),
    ] {
        assert!(matches!(problem(opened), StoreProblem::Damaged { .. }));
    }
    std::fs::write(path.join("manifest-0"), "termnest store 2\nwhatever\n").unwrap();
    // An older generation that this version could read is not opened: the newer version may have changed it.
    let newer = problem(Store::write(&path, settings));
    assert_eq!(newer, StoreProblem::Version { found: 2, read: 1 });
}

#[test]
fn separated_terms_with_white_space_change_how_queries_are_split_for_all_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let options = Options {
        tokenizer: Tokenizer::Whitespace,
        separator: Some("_".into()),
        hyphens: Hyphens::Keep,
        ..Options::default()
    };
    let settings = StoreOptions { first_tier: Some(1), ..StoreOptions::default() };
    let store = Store::create(&path, &options, settings.clone()).unwrap();
    for term in ["new_york", "new_york_city", "york", "city"] {
        add(&store, term);
    }
    store.commit().unwrap();
    let reader = Store::read(&path, false, settings.clone()).unwrap();
    let count = |store: &Store| {
        let snapshot = store.snapshot().unwrap();
        snapshot.count_super_terms("new york", &SuperOptions::default()).unwrap()
    };
    assert_eq!((count(&store), count(&reader)), (1, 1));
    add(&store, "a b");
    store.commit().unwrap();
    assert_eq!((count(&store), count(&reader)), (0, 0));
    store.remove(&["a b"]).unwrap().unwrap();
    store.compact().unwrap();
    let opened = Store::read(&path, false, settings).unwrap();
    assert_eq!((count(&store), count(&reader), count(&opened)), (1, 1, 1));
}

#[test]
fn nothing_of_a_batch_with_a_bad_term_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.store");
    let store = Store::create(&path, &Options::default(), StoreOptions::default()).unwrap();
    let long = "x ".repeat(5000);
    let list = List::from_iter(["good", &long, "better"]);
    let columns: Arc<UserColumns> = Arc::default();
    let bad = store.add(&Addition {
        terms: &list,
        weights: None,
        columns: columns.clone(),
        aliases: None,
    });
    assert!(matches!(bad, Err(Error::TermTokens { place: termnest::Place::Entry(1), .. })));
    let list = List::from_iter(["good", "", "better"]);
    let weights = [1.0, 1.0, -1.0];
    let bad = store.add(&Addition {
        terms: &list,
        weights: Some(&weights),
        columns: columns.clone(),
        aliases: None,
    });
    assert!(matches!(bad, Err(Error::Weight { place: termnest::Place::Entry(2), .. })));
    let aliases = Aliases { by_entry: vec![(0, "better".into())], ..Aliases::default() };
    let bad = store.add(&Addition {
        terms: &list,
        weights: None,
        columns: columns.clone(),
        aliases: Some(aliases),
    });
    assert!(matches!(bad, Err(Error::Alias { .. })));
    assert_eq!(store.pending().unwrap(), 0);
    let ids = store.add(&Addition { terms: &list, weights: None, columns, aliases: None }).unwrap();
    assert_eq!(ids, [Some(0), None, Some(1)]);
    store.commit().unwrap();
    // Aliases are compared with all segments, not with their own list only.
    let list = List::from_iter(["other"]);
    let aliases = Aliases { by_entry: vec![(0, "good".into())], ..Aliases::default() };
    let bad = store.add(&Addition {
        terms: &list,
        weights: None,
        columns: Arc::default(),
        aliases: Some(aliases),
    });
    assert!(matches!(bad, Err(Error::Alias { .. })));
}
