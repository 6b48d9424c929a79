//! The whole join, from entries to pairs.

use crate::analysis::Options;
use crate::build::Build;
use crate::build::entries::List;
use crate::error::Error;
use crate::index::TermId;
use crate::join::fingerprint::{Fingerprinter, KEY_BYTES, mix};
use crate::join::{
    FrequentNGrams, Ids, Outgoing, PairMaker, TermAnalyzer, TermFields, TermSender, TermTable,
};

const FIELDS: TermFields = TermFields { ids: false, weights: true };
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
    assert_eq!(tables.iter().map(TermTable::entries).sum::<u64>(), entries.len() as u64);
    tables
}

/// The second exchange, among the partitions.
fn exchange(analyzer: &TermAnalyzer, tables: &[TermTable], frequent: &[&str]) -> Vec<Outgoing> {
    let list = List::from_iter(frequent.iter().copied());
    let mut fingerprints = Vec::new();
    let each = |_, _: &str, _, fingerprint| fingerprints.push(fingerprint);
    analyzer.visit_fingerprints(&list, each).unwrap();
    let frequent = FrequentNGrams::new(fingerprints.into_iter());
    let outgoing = |table: &TermTable| {
        let (out, next) = table.outgoing(analyzer, 0, PARTITIONS, None, &frequent).unwrap();
        assert_eq!(next, table.len());
        out
    };
    tables.iter().map(outgoing).collect()
}

fn text(ids: &Ids, i: usize) -> String {
    String::from_utf8(ids.get(i).to_vec()).unwrap()
}

fn join(
    analyzer: &TermAnalyzer,
    entries: &[String],
    frequent: &[&str],
) -> Vec<(String, String, u32)> {
    let outgoing = exchange(analyzer, &tables(analyzer, entries), frequent);
    let mut found = Vec::new();
    for partition in 0..PARTITIONS {
        let mut maker = PairMaker::new(true);
        for out in &outgoing {
            maker.add_terms(&out.terms[partition]).unwrap();
            maker.add_frequent_terms(&out.frequent_terms).unwrap();
        }
        for out in &outgoing {
            for (pairs, _) in [
                maker.pairs(&out.ngrams[partition], 0).unwrap(),
                maker.frequent_pairs(&out.frequent_ngrams[partition], 0).unwrap(),
            ] {
                for (i, &start) in pairs.start.iter().enumerate() {
                    found.push((text(&pairs.nested, i), text(&pairs.supers, i), start));
                }
                assert_eq!(pairs.weight.len(), pairs.start.len());
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn both_exchanges_give_all_pairs() {
    for lowercase in [false, true] {
        let options = Options { lowercase, ..Options::default() };
        let entries = entries(400);
        let list: List = entries.iter().map(String::as_str).collect();
        let build = Build { options: options.clone(), ..Build::default() };
        let index = build.index(&list, None).unwrap();
        let pairs = index.pairs(false, 1).unwrap();
        let term = |id: u32| index.surface(TermId(id)).unwrap();
        let mut expected: Vec<(String, String, u32)> = (0..pairs.nested.len())
            .map(|i| (term(pairs.nested[i]), term(pairs.supers[i]), pairs.starts[i]))
            .collect();
        expected.sort_unstable();
        assert!(expected.len() > 1000);
        // A frequent n-gram need not be a term.
        for frequent in [&["a", "b", "b b", "x"][..], &[]] {
            assert!(join(&analyzer(options.clone()), &entries, frequent) == expected);
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
