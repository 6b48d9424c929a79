//! The best answers: a page is that part of all answers, however it is found; and counts are those of all.

use std::collections::HashSet;
use std::ops::Range;

use termnest::{
    Aliases, Build, Case, Error, Hit, Hyphens, Index, List, Options, Sort, SuperOptions, Tokenizer,
    Where,
};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

const PLACES: [Where; 4] = [Where::Anywhere, Where::Start, Where::End, Where::Inside];

/// The words of terms: few, so that each is in many terms, and often more than once.
const WORDS: [&str; 9] = ["a", "b", "ab", "aba", "A", "studies", "study", "b-a", "AB"];

fn term(random: &mut Random, words: usize, joiner: &str) -> String {
    let length = 1 + random.below(6);
    let words: Vec<&str> = (0..length).map(|_| WORDS[random.below(words)]).collect();
    words.join(joiner)
}

/// Options under which the words of a vocabulary are matched, and how many of [`WORDS`] it has.
fn analyses() -> Vec<(Options, usize)> {
    let text = Options { tokenizer: Tokenizer::Text, ..Options::default() };
    vec![
        (Options::default(), 3),
        (Options { tokenizer: Tokenizer::Chars, hyphens: Hyphens::Keep, ..Options::default() }, 4),
        (Options { lowercase: true, ..Options::default() }, 9),
        (Options { lowercase: true, case: Case::Smart, ..Options::default() }, 9),
        (Options { fold: true, hyphens: Hyphens::Both, case: Case::Smart, ..text.clone() }, 9),
        (Options { language: termnest::Language::of("en"), ..text }, 9),
    ]
}

/// An index of random terms, some with aliases; `kind` is whether they have weights, and aliases.
fn index(random: &mut Random, options: &Options, words: usize, kind: usize) -> Index {
    let joiner = if options.tokenizer == Tokenizer::Chars { "" } else { " " };
    let count = 1500 + random.below(1500);
    let terms: Vec<String> = (0..count).map(|_| term(random, words, joiner)).collect();
    let weights: Vec<f64> = (0..count).map(|_| random.below(6) as f64 / 2.0).collect();
    let mut aliases = Aliases::default();
    if kind & 2 > 0 {
        let mut seen = HashSet::new();
        for entry in 0..200 {
            let alias = format!("{} z{joiner}{}", term(random, words, joiner), entry % 90);
            if seen.insert(alias.clone()) {
                aliases.by_entry.push((entry, alias));
            }
        }
    }
    let build = Build { options: options.clone(), aliases, threads: Some(2), ..Build::default() };
    let weights = (kind & 1 > 0).then_some(&weights[..]);
    build.index(&List::from_iter(terms.iter().map(String::as_str)), weights).unwrap()
}

fn each_index(mut check: impl FnMut(&Index, &mut Random, usize)) {
    let mut random = Random(7);
    for (options, words) in analyses() {
        for kind in 0..4 {
            let index = index(&mut random, &options, words, kind);
            index.check(Some(2)).unwrap();
            check(&index, &mut random, words);
        }
    }
}

fn page(all: &[Hit], offset: usize, limit: usize) -> &[Hit] {
    let start = offset.min(all.len());
    &all[start..(start + limit).min(all.len())]
}

#[test]
fn the_first_super_terms_are_the_first_of_all_super_terms() {
    each_index(|index, random, words| {
        for phrase in ["a", "b", "a a", "a b", "b a b", "A", "study", "b-a", "ab"] {
            for place in PLACES {
                let length = |random: &mut Random| Some(random.below(6)).filter(|_| words == 3);
                let plain = SuperOptions { place, ..SuperOptions::default() };
                let with_lengths = SuperOptions {
                    direct: random.below(3) == 0,
                    max_extra: length(random),
                    min_length: length(random),
                    max_length: length(random),
                    ..plain.clone()
                };
                for options in [plain, with_lengths] {
                    let all = index.super_terms(phrase, &options).unwrap();
                    let count = index.count_super_terms(phrase, &options).unwrap();
                    assert_eq!(count, all.len(), "{phrase} {options:?}");
                    for (offset, limit) in [(0, 0), (0, 1), (0, 3), (0, 10), (2, 3), (7, 1)] {
                        let expected = page(&all, offset, limit);
                        let limit = Some(limit);
                        let options = SuperOptions { offset, limit, ..options.clone() };
                        let found = index.super_terms(phrase, &options).unwrap();
                        assert_eq!(found, expected, "{phrase} {options:?} {:?}", index.options());
                    }
                }
            }
        }
    });
}

#[test]
fn the_first_super_terms_of_each_of_many_phrases_are_its_own() {
    each_index(|index, _, _| {
        let options = SuperOptions { limit: Some(2), ..SuperOptions::default() };
        let phrases = ["a", "zzz", "b a", "A"];
        let rows = index.super_terms_batch(&List::from_iter(phrases), &options, 1).unwrap();
        let each = |phrase: &&str| index.super_terms(phrase, &options).unwrap();
        let expected = phrases.iter().flat_map(each).map(|hit| hit.id.0);
        assert!(rows.id.iter().copied().eq(expected));
    });
}

#[test]
fn the_first_completions_are_the_first_of_all_completions() {
    each_index(|index, _, _| {
        for prefix in
            ["a", "b", "ab", "a ", "a a", "b a", "a b ", "A ", "stu", "study", "b-", "AB", "z"]
        {
            let all = index.complete(prefix, None).unwrap();
            for limit in [0, 1, 2, 5, 10, 20] {
                let found = index.complete(prefix, Some(limit)).unwrap();
                assert_eq!(found, page(&all, 0, limit), "{prefix} {limit} {:?}", index.options());
            }
            let all = index.complete_any(prefix, None).unwrap();
            for limit in [0, 1, 2, 5, 10, 20] {
                let found = index.complete_any(prefix, Some(limit)).unwrap();
                assert_eq!(found, page(&all, 0, limit), "{prefix} {limit} {:?}", index.options());
            }
        }
    });
}

#[test]
fn a_phrase_that_no_term_starts_with_is_completed_by_terms_that_have_it_inside() {
    // Some words that are at the start of terms, and many that are not.
    let words: Vec<String> = (0..600).map(|i| format!("w{i:03}")).collect();
    let terms = words.iter().map(|word| match word.as_str() {
        "w077" | "w200" | "w201" => format!("{word} x"),
        _ => format!("x {word} {word}"),
    });
    let terms: Vec<String> = terms.collect();
    let weights: Vec<f64> = (0..600).map(|i| (i * 37 % 50) as f64).collect();
    let list = List::from_iter(terms.iter().map(String::as_str));
    for weights in [None, Some(&weights[..])] {
        let index = Build::default().index(&list, weights).unwrap();
        for prefix in ["w", "w0", "w3", "x "] {
            let all = index.complete(prefix, None).unwrap();
            for limit in [1, 2, 3, 4] {
                let found = index.complete(prefix, Some(limit)).unwrap();
                assert_eq!(found, page(&all, 0, limit), "{prefix} {limit}");
            }
        }
    }
}

#[test]
fn other_orders_have_their_own_first_answers() {
    let mut random = Random(3);
    let index = index(&mut random, &Options::default(), 3, 1);
    for sort in [Sort::Left, Sort::Right, Sort::Length] {
        let all = SuperOptions { sort, ..SuperOptions::default() };
        let some = SuperOptions { limit: Some(3), ..all.clone() };
        let expected = index.super_terms("a", &all).unwrap();
        assert_eq!(index.super_terms("a", &some).unwrap(), expected[..3]);
    }
}

#[test]
fn damage_to_what_finds_the_best_answers_is_an_error_or_another_answer() {
    let mut random = Random(5);
    let mut opened = 0;
    for kind in 0..4 {
        let index = index(&mut random, &Options::default(), 3, kind);
        let mut sound = Vec::new();
        index.write(&mut sound).unwrap();
        for _ in 0..400 {
            let mut bytes = sound.clone();
            for _ in 0..1 + random.below(40) {
                // After the head, whose checksum is looked at.
                let at = 1024 + random.below(bytes.len() - 1024);
                bytes[at] = random.below(256) as u8;
            }
            let best = best_terms(&sound);
            for _ in 0..random.below(200) {
                bytes[best.start + random.below(best.len())] = random.below(256) as u8;
            }
            let Ok(index) = Index::from_bytes(&bytes, None) else { continue };
            opened += 1;
            for phrase in ["a", "b a", "ab"] {
                for place in PLACES {
                    let options = SuperOptions { place, limit: Some(3), ..SuperOptions::default() };
                    accept(index.super_terms(phrase, &options));
                    accept(index.count_super_terms(phrase, &options));
                }
                accept(index.complete(phrase, Some(4)));
                accept(index.complete_any(phrase, Some(4)));
            }
        }
    }
    assert!(opened > 800);
}

/// Where the section of the best terms is in a file.
fn best_terms(file: &[u8]) -> Range<usize> {
    let entry = &file[160 + 33 * 20..];
    let number = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap()) as usize;
    number(0)..number(0) + number(8)
}

fn accept<T>(answer: Result<T, Error>) {
    match answer {
        Ok(_) | Err(Error::Damaged { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}
