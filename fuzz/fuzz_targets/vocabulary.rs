//! Vocabulary files: whatever the bytes and the options, reading and indexing end with an index or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use termnest::{Build, Column, Decoding, Format, OwnColumns, ReadOptions, Vocabulary};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, content)) = bytes.split_first() else { return };
    let formats =
        [None, Some(Format::Text), Some(Format::Tsv), Some(Format::Csv), Some(Format::JsonLines)];
    let options = ReadOptions {
        format: formats[choice as usize % formats.len()],
        column: (choice & 0x10 != 0).then_some(Column::Number(1)),
        weight_column: (choice & 0x20 != 0).then(|| Column::Name("weight".into())),
        decoding: if choice & 0x40 != 0 { Decoding::Replace } else { Decoding::Strict },
        columns: if choice & 0x80 != 0 { OwnColumns::All } else { OwnColumns::None },
        id_column: None,
    };
    let Ok(vocabulary) = Vocabulary::parse(content.to_vec(), &options) else { return };
    let columns = std::sync::Arc::new(vocabulary.columns);
    let build = Build { threads: Some(1), columns, ..Build::default() };
    if let Ok(index) = build.index(vocabulary.entries.as_ref(), vocabulary.weights.as_deref()) {
        index.check(Some(1)).unwrap();
    }
});
