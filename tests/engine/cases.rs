//! The cases of tests/cases, which pytest reads too: each has a vocabulary, a call and its answer.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use termnest::{
    Build, Case, FindOptions, Hit, Hyphens, Index, Language, List, NestedOptions, Options,
    Overlaps, SuperOptions, Tokenizer, Where,
};

fn options(case: &Value) -> Options {
    let options = &case["options"];
    let tokenizer = match options["tokenizer"].as_str() {
        None => Tokenizer::unnamed(options["separator"].is_string()),
        Some("text") => Tokenizer::Text,
        Some("whitespace") => Tokenizer::Whitespace,
        Some("words") => Tokenizer::Words,
        Some("chars") => Tokenizer::Chars,
        Some(other) => panic!("unknown tokenizer {other}"),
    };
    Options {
        tokenizer,
        separator: options["separator"].as_str().map(Into::into),
        lowercase: options["lowercase"].as_bool().unwrap_or(false),
        strip_accents: options["strip_accents"].as_bool().unwrap_or(false),
        fold: options["fold"].as_bool().unwrap_or(false),
        language: options["language"].as_str().and_then(Language::of),
        hyphens: match options["hyphens"].as_str() {
            None => Hyphens::unnamed(tokenizer),
            Some("keep") => Hyphens::Keep,
            Some("split") => Hyphens::Split,
            Some("both") => Hyphens::Both,
            Some(other) => panic!("unknown treatment of hyphens {other}"),
        },
        case: match options["case"].as_str() {
            None => Case::Same,
            Some("smart") => Case::Smart,
            Some(other) => panic!("unknown treatment of case {other}"),
        },
    }
}

fn place(arguments: &Value) -> Where {
    match arguments["where"].as_str() {
        None | Some("anywhere") => Where::Anywhere,
        Some("start") => Where::Start,
        Some("end") => Where::End,
        Some("inside") => Where::Inside,
        Some(other) => panic!("unknown place {other}"),
    }
}

fn number(arguments: &Value, name: &str) -> Option<usize> {
    arguments[name].as_u64().map(|number| number as usize)
}

fn surfaces(index: &Index, hits: &[Hit]) -> Value {
    hits.iter().map(|hit| Value::from(index.surface(hit.id).unwrap())).collect()
}

fn answer(index: &Index, call: &str, arguments: &Value) -> Value {
    let text = |name: &str| arguments[name].as_str().unwrap();
    let direct = arguments["direct"].as_bool().unwrap_or(false);
    let limit = number(arguments, "limit");
    let offset = number(arguments, "offset").unwrap_or(0);
    match call {
        "super_terms" => {
            let max_extra = number(arguments, "max_extra");
            let options = SuperOptions {
                place: place(arguments),
                direct,
                max_extra,
                limit,
                offset,
                ..SuperOptions::default()
            };
            surfaces(index, &index.super_terms(text("term"), &options).unwrap())
        }
        "nested_terms" => {
            let options = NestedOptions {
                place: place(arguments),
                direct,
                limit,
                offset,
                ..NestedOptions::default()
            };
            surfaces(index, &index.nested_terms(text("term"), &options).unwrap())
        }
        "complete" => {
            // The default of Python.
            let limit = if arguments.get("limit").is_some() { limit } else { Some(10) };
            let found = match arguments["order"].as_str() {
                Some("any") => index.complete_any(text("prefix"), limit),
                _ => index.complete(text("prefix"), limit),
            };
            surfaces(index, &found.unwrap())
        }
        "find" => {
            let overlaps = match arguments["overlaps"].as_str() {
                None | Some("all") => Overlaps::All,
                Some("longest") => Overlaps::Longest,
                Some("leftmost") => Overlaps::Leftmost,
                Some(other) => panic!("unknown policy {other}"),
            };
            let options = FindOptions { overlaps, ..FindOptions::default() };
            let matches = index.find(text("text"), &options, None).unwrap();
            let texts = List::from_iter(["", text("text")]);
            let batch = index.find_batch(&texts, 7, &options, None).unwrap();
            assert!(batch.row.iter().all(|&row| row == 8));
            assert_eq!(batch.id, matches.iter().map(|m| m.id.0).collect::<Vec<_>>());
            matches.iter().map(|m| json!([index.surface(m.id).unwrap(), m.start, m.end])).collect()
        }
        "pairs" => {
            let pairs = index.pairs(direct, 2).unwrap();
            let rows = pairs.nested.iter().zip(&pairs.supers).zip(&pairs.starts);
            rows.map(|((nested, supers), start)| json!([nested, supers, start])).collect()
        }
        other => panic!("unknown call {other}"),
    }
}

#[test]
fn every_case_has_its_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let terms: List = case["terms"]
                .as_array()
                .unwrap()
                .iter()
                .map(|term| term.as_str().unwrap())
                .collect();
            let weights: Option<Vec<f64>> = case["weights"]
                .as_array()
                .map(|weights| weights.iter().map(|weight| weight.as_f64().unwrap()).collect());
            let build = Build { options: options(&case), ..Build::default() };
            let index = build.index(&terms, weights.as_deref()).unwrap();
            index.check(None).unwrap();
            let found = answer(&index, case["call"].as_str().unwrap(), &case["args"]);
            assert_eq!(found, case["answer"], "{}: {}", file.display(), case["name"]);
            count += 1;
        }
    }
    assert!(count > 80, "only {count} cases were found");
}
