//! Building: the limits, from both sides; cancelling; the same bytes for any number of threads.

use termnest::{Build, Error, Index, List, Options, Place, Tokenizer};

fn bytes_of(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn an_index_accepts_as_many_tokens_as_its_limit_and_not_one_more() {
    let build = Build { max_tokens: Some(5), ..Build::default() };
    assert_eq!(build.index(&List::from_iter(["a b", "c", "d e"]), None).unwrap().len(), 3);
    let error = build.index(&List::from_iter(["a b", "c", "d e f"]), None).err();
    assert!(matches!(error, Some(Error::Full { limit: 5 })));
}

#[test]
fn a_term_can_have_4096_tokens_and_65535_bytes_and_not_one_more() {
    let index = |term: &str, tokenizer| {
        let build = Build { options: Options::of(tokenizer), ..Build::default() };
        build.index(&List::from_iter(["first", term]), None).map(|index| index.len())
    };
    let last = Place::Entry(1);
    assert_eq!(index(&"a ".repeat(4096), Tokenizer::Whitespace).unwrap(), 2);
    assert!(matches!(
        index(&"a ".repeat(4097), Tokenizer::Whitespace),
        Err(Error::TermTokens { place, found: 4097 }) if place == last
    ));
    assert_eq!(index(&"a".repeat(65_535), Tokenizer::Words).unwrap(), 2);
    assert!(matches!(
        index(&"a".repeat(65_536), Tokenizer::Words),
        Err(Error::TermBytes { place, found: 65_536 }) if place == last
    ));
    assert!(matches!(
        index(&"a".repeat(4097), Tokenizer::Chars),
        Err(Error::TermTokens { place, found: 4097 }) if place == last
    ));
}

#[test]
fn a_cancelled_build_fails() {
    let build = Build::default();
    build.progress.cancel();
    assert!(matches!(build.index(&List::from_iter(["a"]), None), Err(Error::Cancelled)));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    // Short and long words of skewed frequency. Some entries occur twice, some have no token.
    let mut state = 42u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut word = move || {
        let bits = 1 + random(14);
        let number = random(1 << bits);
        match number % 7 {
            0 => format!("Wort-von-mehr-als-elf-Zeichen-{number}"),
            1 => format!("É{number}"),
            _ => format!("w{number}"),
        }
    };
    let mut entries: Vec<String> = (0..60_000)
        .map(|i| match i % 1000 {
            0 => " ".into(),
            _ => (0..1 + i % 4).map(|_| word()).collect::<Vec<_>>().join(" "),
        })
        .collect();
    let again: Vec<String> = entries.iter().step_by(97).cloned().collect();
    entries.extend(again);
    let list: List = entries.iter().map(String::as_str).collect();
    let weights: Vec<f64> = (0..entries.len()).map(|i| 1.0 / (i + 1) as f64).collect();
    for lowercase in [false, true] {
        for weights in [None, Some(&weights[..])] {
            let build = |threads| {
                let options = Options { lowercase, ..Options::default() };
                let build = Build { options, threads: Some(threads), ..Build::default() };
                build.index(&list, weights).unwrap()
            };
            let one = build(1);
            one.check(Some(2)).unwrap();
            assert!(one.stats().duplicates > 600 && one.stats().skipped >= 60);
            for threads in [2, 3, 8] {
                assert!(bytes_of(&build(threads)) == bytes_of(&one), "{threads} threads");
            }
            assert_eq!(one.pairs(true, 1).unwrap(), one.pairs(true, 3).unwrap());
        }
    }
}
