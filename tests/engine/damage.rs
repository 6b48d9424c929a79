//! Hostile files: each byte of small indexes is changed in turn, and the checksums are corrected. Nothing
//! panics or hangs, and an index that passes `check` gives right answers.

use std::sync::Arc;
use termnest::{
    Aliases, Build, Case, Error, FindOptions, Hyphens, Index, List, NestedOptions, Options,
    Overlaps, Result, Side, SuperOptions, TermId, TermMask, Tokenizer, UserColumns, Value, Values,
    Variants, Where,
};

const HEAD: usize = 1024;
const TABLE: usize = 160;
const SECTIONS: usize = 33;

pub fn indexes() -> Vec<Index> {
    let terms = [
        "a",
        "b a",
        "a a b a",
        "c",
        "b a c",
        "a a",
        "C b a",
        "A",
        "a a b a c",
        "longer-than-eleven",
        "b longer-than-eleven a",
        "c c c c",
    ];
    let weights: Vec<f64> = (0..terms.len()).map(|i| (i * 7 % 5) as f64).collect();
    let plain = Build { threads: Some(1), ..Build::default() };
    let lower = Options { lowercase: true, ..Options::default() };
    let chars = Options::of(Tokenizer::Chars);
    let separator = Options { separator: Some(" ".into()), ..Options::of(Tokenizer::Whitespace) };
    let names = Options {
        tokenizer: Tokenizer::Text,
        fold: true,
        hyphens: Hyphens::Both,
        case: Case::Smart,
        ..Options::default()
    };
    let aliases = Aliases {
        by_term: [("e-mail", "a c"), ("B-a c", "(b)  a, a"), ("C", "b a a")]
            .map(|(term, alias)| (term.into(), alias.into()))
            .to_vec(),
        ..Aliases::default()
    };
    let with_columns = Build { columns: Arc::new(columns()), ..plain.clone() };
    let named = ["e-mail", "IT", "it b", "B-a c", "c, B-A", "a email", "C", "l'a b's"];
    vec![
        Build { options: names, aliases, ..plain.clone() }
            .index(&List::from_iter(named), None)
            .unwrap(),
        with_columns.index(&List::from_iter(["a", "b a", "a", "c", "b"]), None).unwrap(),
        plain.index(&List::from_iter(terms), None).unwrap(),
        Build { options: lower, ..plain.clone() }
            .index(&List::from_iter(terms), Some(&weights))
            .unwrap(),
        Build { options: chars, ..plain.clone() }
            .index(&List::from_iter(["ab", "cabs", "b"]), None)
            .unwrap(),
        Build { options: separator, ..plain }.index(&List::from_iter(["a b", "b"]), None).unwrap(),
    ]
}

/// Columns of all types; two of the five terms are equal and differ in these.
fn columns() -> UserColumns {
    use Value::{Bool, Float, Int, Null, Text, Texts};
    let values = |all: Vec<Value>| {
        let mut values = Values::default();
        all.iter().for_each(|value| values.push(value).unwrap());
        values
    };
    let label = "a label that is long enough to be stored once";
    let columns = [
        ("label", values(vec![Text(label), Null, Text(label), Text(""), Text(label)])),
        ("year", values(vec![Int(-5), Int(9), Null, Int(2000), Int(0)])),
        ("large", values(vec![Int(i64::MIN), Int(9), Null, Int(i64::MAX), Int(0)])),
        ("points", values(vec![Float(0.5), Null, Float(-0.0), Float(f64::NAN), Float(1e300)])),
        ("known", values(vec![Bool(true), Bool(false), Null, Bool(true), Bool(true)])),
        ("tags", values(vec![Texts(vec!["x", "y"]), Texts(vec![]), Null, Texts(vec!["x"]), Null])),
    ];
    UserColumns {
        columns: columns.map(|(name, values)| (name.to_string(), values)).into(),
        ids: Some(values(vec![Text("C7"), Text("C1"), Text("B"), Text("C10"), Text("")])),
    }
}

pub fn bytes_of(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.write(&mut bytes).unwrap();
    bytes
}

fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// Sets the checksums to those of the bytes, as far as the table of sections makes sense.
pub fn correct_checksums(bytes: &mut [u8]) {
    if bytes.len() < HEAD {
        return;
    }
    for section in 0..SECTIONS {
        let at = TABLE + section * 20;
        let (start, length) = (number(bytes, at), number(bytes, at + 8));
        let end = start.saturating_add(length).checked_next_multiple_of(64);
        if let Some(section) = end.and_then(|end| bytes.get(start..end)) {
            let checksum = crc32c::crc32c(section).to_le_bytes();
            bytes[at + 16..at + 20].copy_from_slice(&checksum);
        }
    }
    let checksum = crc32c::crc32c(&bytes[..HEAD - 4]).to_le_bytes();
    bytes[HEAD - 4..HEAD].copy_from_slice(&checksum);
}

#[test]
fn corrected_checksums_of_a_sound_file_are_its_own() {
    for index in indexes() {
        let sound = bytes_of(&index);
        let mut bytes = sound.clone();
        for section in 0..SECTIONS {
            bytes[TABLE + section * 20 + 16] ^= 0xFF;
        }
        correct_checksums(&mut bytes);
        assert!(bytes == sound);
    }
}

/// The answers to all kinds of questions, as text.
fn ask_everything(index: &Index) -> Result<Vec<String>> {
    let mut answers = Vec::new();
    let places = [Where::Anywhere, Where::Start, Where::End, Where::Inside];
    for phrase in [
        "a",
        "b a",
        "a a b a",
        "c",
        "C b a",
        "zzz",
        "",
        "b longer-than-eleven a c",
        "E-Mail IT",
        "b-a",
    ] {
        for place in places {
            for direct in [false, true] {
                let super_options = SuperOptions { place, direct, ..SuperOptions::default() };
                answers.push(format!("{:?}", index.super_terms(phrase, &super_options)?));
                let nested_options = NestedOptions { place, direct, ..NestedOptions::default() };
                answers.push(format!("{:?}", index.nested_terms(phrase, &nested_options)?));
            }
        }
        answers.push(format!("{:?} {:?}", index.id(phrase)?, index.complete(phrase, Some(5))?));
        answers.push(format!("{:?}", index.lookup(phrase)?));
        for side in [Side::Left, Side::Right] {
            answers.push(format!("{:?}", index.expansions(phrase, side)?));
        }
    }
    for overlaps in [Overlaps::All, Overlaps::Longest, Overlaps::Leftmost] {
        let text = "a a b a c A C b a longer-than-eleven cabs e-mail, IT b a-a. Email";
        for variants in [Variants::All, Variants::First] {
            let only: TermMask = (0..index.len()).map(|id| id % 3 != 2).collect();
            for only in [None, Some(&only)] {
                let options = FindOptions { overlaps, variants, only };
                answers.push(format!("{:?}", index.find(text, &options, None)?));
                let texts = List::from_iter([text, "b a", ""]);
                let found = index.find_batch(&texts, 0, &options, None)?;
                answers.push(format!("{:?} {:?}", found.text, found.text_starts));
            }
        }
    }
    for id in 0..index.len().min(100) as u32 {
        answers.push(format!("{} {}", index.surface(TermId(id))?, index.weight(TermId(id))?));
    }
    for name in column_names(index) {
        for id in (0..index.len() as u32).map(TermId) {
            answers.push(format!("{:?}", index.value(id, &name)?));
        }
        for value in [Value::Null, Value::Int(9), Value::Bool(true), Value::Text("x")] {
            answers.push(match index.term_mask(&[(&name, vec![value])]) {
                Err(refused @ Error::ConditionType { .. }) => refused.to_string(),
                mask => format!("{:?}", mask?),
            });
        }
    }
    for id in ["C7", "C1", "", "Z"] {
        answers.push(format!("{:?}", index.term_with_id(&Value::Text(id))?));
    }
    answers.push(format!("{:?} {:?}", index.pairs(false, 1)?, index.pairs(true, 1)?));
    answers.push(format!("{:?} {:?}", index.scores(Some(1))?, index.taxonomy(1)?));
    answers.push(format!("{} {:?} {:?}", index.len(), index.options(), index.aliases()?));
    Ok(answers)
}

/// A changed file cannot be opened, or `check` reports that it is damaged, or it is another sound index: the
/// one that a build makes from its terms. In any case, no question panics.
pub fn try_file(bytes: &[u8], what: &dyn Fn() -> String) {
    let index = match Index::from_bytes(bytes, None) {
        Ok(index) => index,
        Err(Error::Damaged { .. } | Error::NotAnIndex | Error::Version { .. }) => return,
        Err(Error::Normalizer { .. }) => return, // the flag was changed
        Err(other) => panic!("{}: {other}", what()),
    };
    let found = match ask_everything(&index) {
        Ok(found) => Some(found),
        Err(Error::Damaged { .. }) => None,
        Err(other) => panic!("{}: {other}", what()),
    };
    match index.check(Some(1)) {
        Err(Error::Damaged { .. }) => {}
        Err(other) => panic!("{}: {other}", what()),
        Ok(()) => {
            let expected = ask_everything(&rebuilt(&index)).unwrap();
            assert_eq!(found.as_deref(), Some(&expected[..]), "{}", what());
        }
    }
}

/// The names of the columns, and "id" if there are ids.
fn column_names(index: &Index) -> Vec<String> {
    let ids = index.id_kind().map(|_| "id".to_string());
    index.column_kinds().into_iter().map(|(name, _)| name).chain(ids).collect()
}

/// The index that a build makes from the terms, weights, columns and options of another.
fn rebuilt(index: &Index) -> Index {
    let ids = (0..index.len() as u32).map(TermId);
    let surfaces: Vec<String> = ids.clone().map(|id| index.surface(id).unwrap()).collect();
    let weights: Vec<f64> = ids.map(|id| index.weight(id).unwrap()).collect();
    let mut aliases = Aliases::default();
    for (id, alias) in index.aliases().unwrap() {
        aliases.by_entry.push((id.0.into(), alias));
    }
    let values = |name: &str| {
        let mut values = Values::default();
        for id in (0..index.len() as u32).map(TermId) {
            values.push(&index.value(id, name).unwrap()).unwrap();
        }
        values
    };
    let columns = index.column_kinds().into_iter();
    let columns = UserColumns {
        columns: columns.map(|(name, _)| (name.clone(), values(&name))).collect(),
        ids: index.id_kind().map(|_| values("id")),
    };
    let columns = Arc::new(columns);
    let options = index.options().clone();
    let build = Build { columns, options, aliases, threads: Some(1), ..Build::default() };
    let weights = index.weighted().then_some(&weights[..]);
    build.index(&List::from_iter(surfaces.iter().map(String::as_str)), weights).unwrap()
}

#[test]
fn a_changed_byte_with_correct_checksums_is_damage_or_another_sound_index() {
    for index in indexes() {
        let sound = bytes_of(&index);
        try_file(&sound, &|| "unchanged".into());
        for at in 8..sound.len() {
            for change in [0xFF, 0x01, 0x80, sound[at]] {
                let mut bytes = sound.clone();
                bytes[at] ^= change;
                correct_checksums(&mut bytes);
                try_file(&bytes, &|| format!("byte {at} xor {change:#x}"));
            }
        }
    }
}

#[test]
fn a_changed_byte_is_noticed_by_open_or_check() {
    for index in indexes() {
        let sound = bytes_of(&index);
        for at in 0..sound.len() {
            for change in [0xFF, 0x01] {
                let mut bytes = sound.clone();
                bytes[at] ^= change;
                let opened = Index::from_bytes(&bytes, None);
                assert!(opened.is_err() || opened.unwrap().check(Some(1)).is_err(), "byte {at}");
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_or_has_more_bytes_at_its_end_is_refused() {
    for index in indexes() {
        let mut bytes = bytes_of(&index);
        for length in 0..bytes.len() {
            assert!(Index::from_bytes(&bytes[..length], None).is_err(), "{length} bytes");
        }
        for _ in 0..130 {
            bytes.push(0);
            assert!(Index::from_bytes(&bytes, None).is_err(), "{} bytes", bytes.len());
        }
    }
}

#[test]
fn several_changed_bytes_are_damage_or_another_sound_index() {
    let mut state = 88172645463325252u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    for index in indexes() {
        let sound = bytes_of(&index);
        for _ in 0..3_000 {
            let mut bytes = sound.clone();
            for _ in 0..1 + random(8) {
                let at = HEAD + random(bytes.len() - HEAD);
                bytes[at] = random(256) as u8;
            }
            correct_checksums(&mut bytes);
            try_file(&bytes, &|| format!("{bytes:?}"));
        }
    }
}
