//! Candidates counted in texts: runs of words and phrases, on both sides of their limits, in memory and
//! in temporary files.

use std::collections::BTreeMap;

use termnest::{
    CandidateCounter, CandidateOptions, CandidateScore, Candidates, Error, FunctionWords, List,
    MAX_WORD_BYTES, MAX_WORDS, Progress, Reference,
};

fn options(max_words: usize, stop_words: &[&str]) -> CandidateOptions {
    let stop_words = stop_words.iter().map(|word| word.to_string()).collect();
    let function_words = FunctionWords { stop_words, ..FunctionWords::default() };
    CandidateOptions { max_words, function_words, ..CandidateOptions::default() }
}

fn count(texts: &[&str], options: CandidateOptions, min_frequency: u64) -> Candidates {
    let mut counter = CandidateCounter::new(options).unwrap();
    texts.iter().for_each(|text| counter.add(text).unwrap());
    counter.finish(min_frequency, None, None, &Progress::default()).unwrap()
}

fn count_phrases(
    phrases: &[&str],
    options: CandidateOptions,
    min_frequency: u64,
    max_words: Option<usize>,
) -> Candidates {
    let mut counter = CandidateCounter::new(options).unwrap();
    phrases.iter().for_each(|phrase| counter.add_phrase(phrase).unwrap());
    counter.finish(min_frequency, max_words, None, &Progress::default()).unwrap()
}

/// Each candidate with its count.
fn counts(candidates: &Candidates) -> Vec<(&str, f64)> {
    let terms = (0..candidates.terms.len()).map(|i| candidates.terms.get(i));
    terms.zip(candidates.counts.iter().copied()).collect()
}

fn terms(text: &str, options: CandidateOptions) -> Vec<String> {
    let candidates = count(&[text], options, 1);
    counts(&candidates).into_iter().map(|(term, _)| term.to_owned()).collect()
}

/// The candidates that occur outside of longer ones.
fn maximal(candidates: &Candidates) -> Vec<&str> {
    let marks = &candidates.maximal;
    assert_eq!(marks.len(), candidates.terms.len());
    let marked = (0..marks.len()).filter(|&i| marks[i]);
    marked.map(|i| candidates.terms.get(i)).collect()
}

#[test]
fn every_run_of_words_is_counted_wherever_it_occurs() {
    let candidates = count(&["new york new york", "York"], options(3, &[]), 1);
    assert_eq!(
        counts(&candidates),
        [
            ("new", 2.0),
            ("new york", 2.0),
            ("new york new", 1.0),
            ("york", 3.0),
            ("york new", 1.0),
            ("york new york", 1.0),
        ]
    );
    assert_eq!(candidates.total_words, 5);
}

#[test]
fn only_runs_that_are_frequent_enough_are_candidates() {
    let count_at_least = |min_frequency| {
        let candidates = count(&["a b", "a b", "a"], options(2, &[]), min_frequency);
        counts(&candidates).into_iter().map(|(term, _)| term.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(count_at_least(2), ["a", "a b", "b"]);
    assert_eq!(count_at_least(3), ["a"]);
    assert!(count_at_least(4).is_empty());
}

#[test]
fn a_run_ends_at_punctuation_at_empty_lines_and_at_the_end_of_a_text() {
    for end in [
        ". ", ", ", "; ", " (", ") ", " - ", "\u{2014}", "/", "\n\n", "\r\n\r\n", "\r\r", "\n \n",
        "\n\r", "\x0b", "\x0c", "\u{2029}",
    ] {
        assert_eq!(terms(&format!("a{end}b"), options(2, &[])), ["a", "b"], "{end:?}");
    }
    for space in [" ", "\n", "\r\n", "\r", "\t", "\u{a0}", "  ", " \n "] {
        assert_eq!(terms(&format!("a{space}b"), options(2, &[])), ["a", "a b", "b"], "{space:?}");
    }
    let candidates = count(&["a", "b"], options(2, &[]), 1);
    assert_eq!(counts(&candidates), [("a", 1.0), ("b", 1.0)]);
    // Line ends count from one word to the next.
    assert_eq!(terms("a\nb\nc", options(3, &[])), ["a", "a b", "a b c", "b", "b c", "c"]);
}

#[test]
fn a_run_has_no_stop_word_but_a_connector() {
    let stops = options(3, &["of", "the", "e.g."]);
    assert_eq!(terms("The end of time", stops.clone()), ["end", "time"]);
    // Stop words are compared folded, and split as texts are.
    let sensitive = CandidateOptions { fold: false, ..stops.clone() };
    assert_eq!(terms("Of Time e.g. OF", sensitive), ["Time"]);
    let mut connecting = stops;
    connecting.function_words.connectors.insert("of".into());
    assert_eq!(terms("The end of time", connecting.clone()), ["end", "end of time", "time"]);
    assert_eq!(terms("of end of of time of", connecting), ["end", "time"]);
}

#[test]
fn a_run_without_a_letter_is_not_a_candidate() {
    assert_eq!(terms("1,000 2 m 3", options(3, &[])), ["1,000 2 m", "2 m", "2 m 3", "m", "m 3"]);
}

#[test]
fn words_are_counted_however_they_are_written_if_asked() {
    let lower = count(&["Straße STRASSE straße É"], options(1, &[]), 1);
    // Each is shown as it is written most often.
    assert_eq!(counts(&lower), [("straße", 3.0), ("É", 1.0)]);
    let sensitive = CandidateOptions { fold: false, ..options(1, &[]) };
    let candidates = count(&["York york", "York"], sensitive, 1);
    assert_eq!(counts(&candidates), [("York", 2.0), ("york", 1.0)]);
}

#[test]
fn a_run_has_1_to_20_words() {
    for wrong in [0, MAX_WORDS + 1] {
        let error = CandidateCounter::new(options(wrong, &[])).err();
        assert!(matches!(error, Some(Error::Option { name: "max_words", .. })), "{wrong}");
    }
    let words: Vec<String> = (0..MAX_WORDS + 1).map(|i| format!("w{i:02}")).collect();
    let found = terms(&words.join(" "), options(MAX_WORDS, &[]));
    let longest = found.iter().filter(|term| term.split(' ').count() == MAX_WORDS).count();
    // 21 runs of one word, 20 of two, ..., 2 of twenty; none of 21.
    assert_eq!((found.len(), longest), ((2..=MAX_WORDS + 1).sum(), 2));
    assert_eq!(terms("a b", options(1, &[])), ["a", "b"]);
}

#[test]
fn a_word_has_at_most_255_bytes_and_a_longer_one_ends_a_run() {
    let word = "x".repeat(MAX_WORD_BYTES);
    assert_eq!(terms(&format!("a {word}"), options(2, &[])).len(), 3);
    assert_eq!(terms(&format!("a {word}x b"), options(3, &[])), ["a", "b"]);
}

#[test]
fn maximal_candidates_occur_outside_of_longer_ones_that_repeat() {
    let maximal_of = |texts: &[&str], min_frequency| {
        let candidates = count(texts, options(3, &[]), min_frequency);
        maximal(&candidates).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(maximal_of(&["a b c"], 1), ["a b c"]);
    assert_eq!(maximal_of(&["a b c", "b"], 1), ["a b c", "b"]);
    assert_eq!(maximal_of(&["a b c", "a b c", "b"], 2), ["a b c", "b"]);
    // Two longer ones may share the occurrence of a shorter one.
    assert_eq!(maximal_of(&["a b c", "a b", "b c"], 2), ["a b", "b c"]);
    assert_eq!(maximal_of(&["a b. b c", "a b c"], 2), ["a b", "b c"]);
    // What is cut off by the limit is inside of a longer run.
    assert!(maximal_of(&["a b c d"], 1).is_empty());
    assert!(maximal_of(&["a b c d", "a b c d"], 2).is_empty());
}

#[test]
fn runs_with_the_same_base_forms_are_one_candidate() {
    let mut counter = CandidateCounter::new(options(3, &[])).unwrap();
    for text in ["Wind turbine", "wind turbines", "WIND turbines. X", "wind-turbine"] {
        counter.begin_document().unwrap();
        counter.add(text).unwrap();
    }
    let bases: List = (counter.distinct_words().0.iter())
        .map(|word| if word == "turbines" { "turbine" } else { word })
        .collect();
    let found = counter.finish(1, None, Some(&bases), &Progress::default()).unwrap();
    let at = (0..found.terms.len()).find(|&i| found.terms.get(i) == "wind turbines").unwrap();
    assert_eq!((found.counts[at], found.documents[at]), (4.0, 4));
    let forms = [("wind turbines", 2), ("wind turbine", 1), ("wind-turbine", 1)];
    assert_eq!(found.forms[at], forms.map(|(form, count)| (form.to_owned(), count)));
}

#[test]
fn candidates_are_compared_with_other_texts() {
    let found = count(&["turbine blade", "turbine blade the blade", "the the"], options(2, &[]), 1);
    let share = |word: &str| if word == "the" { 0.5 } else { 0.0001 };
    let words = found.words.iter().map(share).collect();
    let reference = Reference { words, terms: None, size: 1e6 };
    use CandidateScore::*;
    for score in [Termhood, Keyness, LogLikelihood, Weirdness] {
        let (order, scores) = found.ranked(score, Some(&reference), false, None);
        assert_eq!(order.len(), found.terms.len());
        assert!(scores.is_sorted_by(|a, b| a >= b));
        let place = |term| order.iter().position(|&i| found.terms.get(i) == term).unwrap();
        assert!(place("turbine blade") < place("the"), "{score:?}");
    }
    let (best, _) = found.ranked(Weirdness, Some(&reference), true, Some(1));
    assert_eq!(best.len(), 1);
}

/// A text of words that repeat, with stop words, numbers and punctuation.
fn random_texts() -> Vec<String> {
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut piece = || match random(12) {
        0 => "the".to_owned(),
        1 => "7".to_owned(),
        2 => ".".to_owned(),
        3 => format!("rare{}", random(500)),
        _ => format!("w{}", random(6)),
    };
    (0..40).map(|_| (0..50).map(|_| piece()).collect::<Vec<_>>().join(" ")).collect()
}

/// The candidates of texts by definition: every run of words between two points where runs end.
fn by_definition(texts: &[String], max_words: usize) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for run in texts.iter().flat_map(|text| text.split('.')) {
        let words: Vec<String> = run.split_whitespace().map(str::to_lowercase).collect();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + max_words) {
                let run = &words[start..end];
                let stops = run.iter().any(|word| word == "the");
                let letters = run.iter().any(|word| word.chars().any(char::is_alphabetic));
                if !stops && letters {
                    *counts.entry(run.join(" ")).or_insert(0.0) += 1.0;
                }
            }
        }
    }
    counts
}

#[test]
fn counts_agree_with_the_definition_in_memory_and_in_temporary_files() {
    let texts = random_texts();
    let texts_as_str: Vec<&str> = texts.iter().map(String::as_str).collect();
    let definition = by_definition(&texts, 4);
    let spilled = |max_nodes, min_frequency| {
        let options = CandidateOptions { max_nodes, ..options(4, &["the"]) };
        count(&texts_as_str, options, min_frequency)
    };
    for min_frequency in [1, 2, 5] {
        let whole = spilled(usize::MAX, min_frequency);
        let wanted: Vec<(&str, f64)> = definition
            .iter()
            .filter(|(_, count)| **count >= min_frequency as f64)
            .map(|(term, &count)| (term.as_str(), count))
            .collect();
        assert_eq!(counts(&whole), wanted);
        // With few nodes, more than 64 files are written, which are merged on the way.
        for max_nodes in [1, 2, 10, 100, 1000] {
            let parts = spilled(max_nodes, min_frequency);
            assert_eq!(counts(&parts), wanted, "{max_nodes} nodes");
            assert_eq!(parts.maximal, whole.maximal, "{max_nodes} nodes");
            assert_eq!(parts.documents, whole.documents, "{max_nodes} nodes");
            assert_eq!(parts.total_words, whole.total_words);
        }
    }
}

#[test]
fn phrases_occur_in_the_phrases_that_contain_them() {
    let phrases = ["cell", "basal cell", "basal cell", "basal cell carcinoma", "cell cell"];
    let candidates = count_phrases(&phrases, options(5, &[]), 1, None);
    assert_eq!(
        counts(&candidates),
        [("basal cell", 3.0), ("basal cell carcinoma", 1.0), ("cell", 6.0), ("cell cell", 1.0),]
    );
    assert_eq!(maximal(&candidates).len(), 4);
    assert_eq!(candidates.total_words, 10);
}

#[test]
fn phrases_have_any_number_of_words_unless_limited() {
    let long = vec!["w"; 3 * MAX_WORDS].join(" ");
    let phrases = ["a b c", "a b", "", "  ", " a  b ", long.as_str()];
    let found = |min_frequency, max_words| {
        let candidates = count_phrases(&phrases, options(5, &[]), min_frequency, max_words);
        counts(&candidates).into_iter().map(|(term, _)| term.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(1, None), ["a b", "a b c", long.as_str()]);
    assert_eq!(found(1, Some(3)), ["a b", "a b c"]);
    assert_eq!(found(1, Some(2)), ["a b"]);
    // What is too rare or too long still counts where it contains others.
    assert_eq!(found(3, Some(2)), ["a b"]);
    assert!(found(4, None).is_empty());
}

#[test]
fn phrases_in_temporary_files_are_counted_as_in_memory() {
    let texts = random_texts();
    let phrases: Vec<&str> =
        texts.iter().flat_map(|text| text.split(" . ")).filter(|run| run.len() < 40).collect();
    let whole = count_phrases(&phrases, options(5, &[]), 1, None);
    assert!(whole.terms.len() > 20);
    for max_nodes in [1, 7, 50] {
        let options = CandidateOptions { max_nodes, ..options(5, &[]) };
        let parts = count_phrases(&phrases, options, 1, None);
        assert_eq!(counts(&parts), counts(&whole), "{max_nodes} nodes");
    }
}

#[test]
fn nothing_gives_no_candidates() {
    let candidates = count(&["", " \n", "12 .", "the"], options(5, &["the"]), 1);
    assert!(candidates.terms.is_empty() && candidates.counts.is_empty());
    assert_eq!(candidates.total_words, 2);
}

#[test]
fn counting_can_be_cancelled() {
    let mut counter = CandidateCounter::new(options(5, &[])).unwrap();
    counter.add("a b").unwrap();
    let progress = Progress::default();
    progress.cancel();
    assert!(matches!(counter.finish(1, None, None, &progress), Err(Error::Cancelled)));
}
