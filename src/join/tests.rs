//! The whole join, from entries to pairs.

use std::collections::HashMap;

use crate::analysis::Options;
use crate::build::Build;
use crate::build::entries::List;
use crate::error::Error;
use crate::index::{Index, TermId};
use crate::join::fingerprint::{Fingerprinter, KEY_BYTES, mix};
use crate::join::{
    FilterEntries, FrequentNGrams, IdPairs, Ids, Outgoing, PairMaker, TermAnalyzer, TermFields,
    TermSender, TermTable, nested_shares,
};

const FIELDS: TermFields = TermFields { ids: false, weights: true, occurrences: true };
const PARTITIONS: usize = 3;

fn analyzer(options: Options) -> TermAnalyzer {
    let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
    TermAnalyzer { options, normalizer: None, fingerprinter }
}

/// Entries of all lengths over two words in two cases, some of them more than once.
fn entries(count: usize) -> Vec<String> {
    let mut number = 1u64;
    let mut list = Vec::new();
    for _ in 0..count {
        number = mix(number);
        let length = if number.is_multiple_of(10) { 40 } else { 1 + number % 6 };
        let word = |i| ["a", "b", "A", "b"][(mix(number + i) % 4) as usize];
        list.push((0..length).map(word).collect::<Vec<_>>().join(" "));
    }
    list
}

/// The first exchange, from two machines to three partitions.
fn tables(analyzer: &TermAnalyzer, entries: &[String]) -> Vec<TermTable> {
    let mut tables: Vec<TermTable> = (0..PARTITIONS).map(|_| TermTable::new(FIELDS)).collect();
    for half in entries.chunks(entries.len().div_ceil(2)) {
        let mut sender = TermSender::new(PARTITIONS, FIELDS);
        let list: List = half.iter().map(String::as_str).collect();
        sender.add(analyzer, &list, |_| &[], |_| 1.0).unwrap();
        for (table, block) in tables.iter_mut().zip(sender.take()) {
            table.add_block(&block).unwrap();
        }
    }
    let total: f64 = tables.iter().flat_map(|table| table.rows(0).2).sum();
    assert_eq!(total, entries.len() as f64);
    let mut statistics = FilterEntries::new(0, PARTITIONS);
    statistics.add(analyzer, &entries.iter().map(String::as_str).collect::<List>()).unwrap();
    let checksums: Vec<u128> = tables.iter().map(TermTable::checksum).collect();
    assert_eq!(checksums, statistics.checksums());
    tables
}

/// The second exchange, among the partitions.
fn exchange(analyzer: &TermAnalyzer, tables: &[TermTable], frequent: &[&str]) -> Vec<Outgoing> {
    let list = List::from_iter(frequent.iter().copied());
    let mut bytes = Vec::new();
    let each = |_, _: &str, key: &_| bytes.extend(analyzer.fingerprint(key).to_le_bytes());
    analyzer.visit_terms(&list, each).unwrap();
    let frequent = FrequentNGrams::from_bytes(&bytes);
    let outgoing = |table: &TermTable| {
        let (out, next) = table.outgoing(analyzer, 0, PARTITIONS, None, &frequent).unwrap();
        assert_eq!(next, table.len());
        out
    };
    tables.iter().map(outgoing).collect()
}

/// A pair as one partition makes it: nested, super, start, length of the nested term, repeats.
type Pair = (String, String, u32, u32, Vec<u8>);

fn text(ids: &Ids, i: usize) -> String {
    String::from_utf8(ids.get(i).to_vec()).unwrap()
}

fn join(analyzer: &TermAnalyzer, entries: &[String], frequent: &[&str]) -> Vec<Pair> {
    let outgoing = exchange(analyzer, &tables(analyzer, entries), frequent);
    let mut found = Vec::new();
    for partition in 0..PARTITIONS {
        let mut maker = PairMaker::new(FIELDS);
        for out in &outgoing {
            maker.add_terms(&out.terms[partition]).unwrap();
        }
        for out in &outgoing {
            let (pairs, _) = maker.pairs(&out.ngrams[partition], 0).unwrap();
            assert_eq!(pairs.weight.len(), pairs.start.len());
            let IdPairs { nested, supers, start, length, repeats, .. } = pairs;
            found.extend((0..start.len()).map(|i| {
                let again = repeats.get(i).to_vec();
                (text(&nested, i), text(&supers, i), start[i], length[i], again)
            }));
        }
    }
    found.sort_unstable();
    found
}

fn index(options: &Options, entries: &[String]) -> Index {
    let list: List = entries.iter().map(String::as_str).collect();
    let build = Build { options: options.clone(), ..Build::default() };
    build.index(&list, None).unwrap()
}

#[test]
fn both_exchanges_give_all_pairs() {
    for lowercase in [false, true] {
        let options = Options { lowercase, ..Options::default() };
        let entries = entries(400);
        let index = index(&options, &entries);
        let pairs = index.pairs(false, 1).unwrap();
        let term = |id: u32| index.surface(TermId(id)).unwrap();
        let mut expected: Vec<(String, String, u32)> = (0..pairs.nested.len())
            .map(|i| (term(pairs.nested[i]), term(pairs.supers[i]), pairs.starts[i]))
            .collect();
        expected.sort_unstable();
        assert!(expected.len() > 1000);
        // A frequent n-gram need not be a term.
        for frequent in [&["a", "b", "b b", "x"][..], &[]] {
            let found = join(&analyzer(options.clone()), &entries, frequent);
            assert!(found.into_iter().map(|pair| (pair.0, pair.1, pair.2)).eq(expected.clone()));
        }
    }
}

#[test]
fn shares_give_what_occurs_inside_of_super_terms() {
    for lowercase in [false, true] {
        let options = Options { lowercase, ..Options::default() };
        let mut entries = entries(400);
        entries.extend((1..60).map(|length| "c ".repeat(length)));
        let mut pairs = join(&analyzer(options.clone()), &entries, &["a", "b"]);
        pairs.sort_by(|a, b| a.1.cmp(&b.1));
        let groups = pairs.chunk_by(|a, b| a.1 == b.1);
        let ends: Vec<usize> = groups
            .scan(0, |end, group| {
                *end += group.len();
                Some(*end)
            })
            .collect();
        let (start, length): (Vec<u32>, Vec<u32>) = pairs.iter().map(|p| (p.2, p.3)).unzip();
        let mut repeats = Ids::default();
        pairs.iter().for_each(|pair| repeats.push(&pair.4));
        let shares = nested_shares(&ends, &start, &length, &repeats).unwrap();
        // A list with each entry once, so that all weights are 1.
        let index = index(&options, &entries);
        let scores = index.scores(Some(1)).unwrap();
        let mut inside: HashMap<&str, f64> = HashMap::new();
        for (pair, share) in pairs.iter().zip(shares) {
            *inside.entry(&pair.0).or_default() += share;
        }
        assert!(inside.values().any(|&t| t > 2.0) && inside.values().any(|&t| t < 0.0));
        for id in 0..index.len() {
            let t = inside.get(index.surface(TermId(id as u32)).unwrap().as_str()).copied();
            assert_eq!(1.0 - t.unwrap_or(0.0), scores.independent[id]);
        }
    }
}

#[test]
fn a_block_that_was_cut_is_an_error() {
    let analyzer = analyzer(Options::default());
    let mut sender = TermSender::new(1, TermFields::default());
    sender.add(&analyzer, &List::from_iter(["a b", "c"]), |_| &[], |_| 0.0).unwrap();
    let block = sender.take().remove(0);
    assert!(!sender.is_full() && sender.take()[0].is_empty());
    for length in 1..block.len() {
        let mut other = TermTable::new(TermFields::default());
        let cut = other.add_block(&block[..length]);
        assert!(matches!(cut, Err(Error::Block)) || other.len() < 2, "{length}");
    }
}
