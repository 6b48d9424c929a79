//! Vocabulary files: formats, compression, line ends, headers, weights, and errors with their lines.

use std::io::Write;
use std::path::Path;

use termnest::{
    Build, Column, Decoding, Error, Format, List, Place, ReadOptions, Result, Vocabulary,
};

const ANY: Option<Format> = None;
const TEXT: Option<Format> = Some(Format::Text);
const TSV: Option<Format> = Some(Format::Tsv);
const CSV: Option<Format> = Some(Format::Csv);
const JSON: Option<Format> = Some(Format::JsonLines);

fn options(format: Option<Format>) -> ReadOptions {
    ReadOptions { format, ..ReadOptions::default() }
}

fn columns(format: Option<Format>, column: &str, weight_column: &str) -> ReadOptions {
    let parsed = |column: &str| match column.parse() {
        _ if column.is_empty() => None,
        Ok(number) => Some(Column::Number(number)),
        Err(_) => Some(Column::Name(column.into())),
    };
    ReadOptions { column: parsed(column), weight_column: parsed(weight_column), ..options(format) }
}

fn read_with(content: &[u8], options: &ReadOptions) -> Result<Vocabulary> {
    Vocabulary::parse(content.to_vec(), options)
}

/// The entries of a vocabulary, read in any number of parts, and its weights.
fn contents(vocabulary: Vocabulary) -> (Vec<String>, Option<Vec<f64>>) {
    let entries = |parts| {
        let mut entries = Vec::new();
        for part in vocabulary.entries.cut(parts) {
            let mut each = |entry: &str| {
                entries.push(entry.to_owned());
                Ok(())
            };
            vocabulary.entries.visit(part, &mut each).unwrap();
        }
        entries
    };
    let whole = entries(1);
    for parts in [2, 3, 1000] {
        assert_eq!(entries(parts), whole, "{parts} parts");
    }
    (whole, vocabulary.weights)
}

fn read(content: &str, format: Option<Format>) -> (Vec<String>, Option<Vec<f64>>) {
    contents(read_with(content.as_bytes(), &options(format)).unwrap())
}

fn entries(content: &str, format: Option<Format>) -> Vec<String> {
    read(content, format).0
}

/// The terms, blank entries left out, with their weights.
fn weighted(content: &str, options: &ReadOptions) -> Vec<(String, f64)> {
    let (entries, weights) = contents(read_with(content.as_bytes(), options).unwrap());
    let weights = weights.unwrap_or_else(|| panic!("{content:?} has no weights"));
    assert_eq!(entries.len(), weights.len());
    entries.into_iter().zip(weights).filter(|(entry, _)| !entry.is_empty()).collect()
}

fn pairs(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
    pairs.iter().map(|&(term, weight)| (term.to_owned(), weight)).collect()
}

fn error(content: &str, options: &ReadOptions) -> Error {
    match read_with(content.as_bytes(), options) {
        Ok(vocabulary) => panic!("{content:?} gave {:?}", contents(vocabulary)),
        Err(error) => error,
    }
}

/// The line and the problem of the row that is refused.
fn bad_row(content: &str, format: Option<Format>) -> (u64, String) {
    match error(content, &options(format)) {
        Error::Row { line, problem } | Error::UnclearColumns { line, problem, .. } => {
            (line, problem)
        }
        other => panic!("{content:?} gave {other:?}"),
    }
}

/// The line of the weight that is refused.
fn bad_weight(content: &str, format: Option<Format>) -> u64 {
    match error(content, &options(format)) {
        Error::Weight { place: Place::Line(line), .. } => line,
        other => panic!("{content:?} gave {other:?}"),
    }
}

// Formats and compression.

#[test]
fn the_ending_of_a_name_says_the_format_and_compression_does_not_hide_it() {
    for (name, format) in [
        ("a.tsv", TSV),
        ("a.TAB", TSV),
        ("a.csv", CSV),
        ("a.csv.gz", CSV),
        ("a.jsonl.zst", JSON),
        ("a.ndjson", JSON),
        ("a.json", JSON),
        ("a.txt", None),
        ("a.tsv.txt", None),
        ("csv", CSV),
        ("a", None),
    ] {
        assert_eq!(Format::of(Path::new(name)), format, "{name}");
    }
}

#[test]
fn every_format_gives_its_terms() {
    assert_eq!(entries("new york\nyork\n", TEXT), ["new york", "york"]);
    assert_eq!(entries("\"a\nb\" c\tx\n", TSV), ["\"a", "b\" c"]);
    assert_eq!(entries("\"a, \"\"b\"\"\",x\nc,y\n", CSV), ["a, \"b\"", "c"]);
    assert_eq!(entries("\"a\\tb\"\n{\"term\": \"c\", \"x\": 1}\n", JSON), ["a\tb", "c"]);
    for format in [TEXT, TSV, CSV, JSON, ANY] {
        assert!(entries("", format).is_empty());
    }
}

#[test]
fn a_file_is_read_by_its_name_and_decompressed_by_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let content = b"term,weight\na b,2\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(content).unwrap();
    let gzip = gzip.finish().unwrap();
    let level = ruzstd::encoding::CompressionLevel::Uncompressed;
    let zstd = ruzstd::encoding::compress_to_vec(&content[..], level);
    let (first, second) = content.split_at(14);
    let frames = [first, second].map(|half| ruzstd::encoding::compress_to_vec(half, level));
    for (name, bytes) in [
        ("plain.csv", content.to_vec()),
        ("packed.csv.gz", gzip.clone()),
        ("misnamed.csv", gzip.clone()),
        ("packed.csv.zst", zstd),
        ("frames.csv.zst", frames.concat()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let vocabulary = Vocabulary::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(contents(vocabulary), (vec!["a b".to_owned()], Some(vec![2.0])), "{name}");
    }
    let path = folder.path().join("cut.csv.gz");
    std::fs::write(&path, &gzip[..gzip.len() - 9]).unwrap();
    let error = Vocabulary::open(&path, &ReadOptions::default()).err().unwrap();
    assert!(matches!(&error, Error::Io { path: named, .. } if *named == path), "{error}");
    let missing = Vocabulary::open(&folder.path().join("none"), &ReadOptions::default());
    assert!(matches!(missing, Err(Error::Io { action: "read", .. })));
}

#[test]
fn a_file_larger_than_a_chunk_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let terms: Vec<String> = (0..600_000).map(|i| format!("term {i}")).collect();
    let content = terms.join("\n");
    assert!(content.len() > 1 << 22);
    std::fs::write(&path, content).unwrap();
    let vocabulary = Vocabulary::open(&path, &ReadOptions::default()).unwrap();
    assert!(contents(vocabulary).0 == terms);
}

#[test]
fn an_index_is_not_a_vocabulary() {
    let mut bytes = Vec::new();
    let index = Build::default().index(&List::from_iter(["a", "a b"]), None).unwrap();
    index.write(&mut bytes).unwrap();
    assert!(matches!(read_with(&bytes, &options(ANY)), Err(Error::IsAnIndex)));
    assert!(matches!(read_with(&bytes[..4], &options(ANY)), Err(Error::Damaged { .. })));
}

// Bytes.

#[test]
fn a_byte_order_mark_at_the_start_is_not_part_of_a_term() {
    for (content, format) in [
        ("\u{feff}a\n\u{feff}b\n", TEXT),
        ("\u{feff}term\na\n\u{feff}b\n", TSV),
        ("\u{feff}term\na\n\u{feff}b\n", CSV),
        ("\u{feff}\"a\"\n\"\u{feff}b\"\n", JSON),
    ] {
        assert_eq!(entries(content, format), ["a", "\u{feff}b"], "{format:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_line_or_replaced() {
    for (content, wanted) in [
        (&b"\xff"[..], 1),
        (b"a\nb\xff\n", 2),
        (b"a\r\nb\r\nc \xc3", 3),
        (b"a\rb\rc\xed\xa0\x80\r", 3),
        (b"a\r\n\r\xff", 3),
    ] {
        match read_with(content, &options(TEXT)) {
            Err(Error::Utf8 { line, utf16: false, .. }) => assert_eq!(line, wanted, "{content:?}"),
            _ => panic!("{content:?} is accepted"),
        }
    }
    let utf16 = read_with(b"\xff\xfea\0\n\0", &options(ANY));
    assert!(matches!(utf16, Err(Error::Utf8 { line: 1, byte: 0xff, utf16: true })));
    let replace = ReadOptions { decoding: Decoding::Replace, ..options(TEXT) };
    assert_eq!(contents(read_with(b"a \xff\nb\n", &replace).unwrap()).0, ["a \u{fffd}", "b"]);
}

// Line ends.

#[test]
fn a_line_ends_at_lf_crlf_or_cr() {
    for end in ["\n", "\r\n", "\r"] {
        let with_ends = |content: &str| content.replace('\n', end);
        assert_eq!(entries(&with_ends("a\n\nb c\n"), TEXT), ["a", "", "b c"], "{end:?}");
        assert_eq!(entries(&with_ends("a\nb c"), TEXT), ["a", "b c"], "{end:?}");
        assert_eq!(entries(&with_ends("a\tx\n\nb c\ty\n"), TSV), ["a", "", "b c"], "{end:?}");
        assert_eq!(entries(&with_ends("a,x\n\nb c,y\n\n"), CSV), ["a", "", "b c", ""], "{end:?}");
        assert_eq!(entries(&with_ends("\"a\"\n\n\"b c\"\n"), JSON), ["a", "", "b c"], "{end:?}");
        let table = with_ends("term\tweight\na\t1\nb c\t2\n");
        assert_eq!(weighted(&table, &options(ANY)), pairs(&[("a", 1.0), ("b c", 2.0)]), "{end:?}");
    }
}

#[test]
fn line_ends_may_be_mixed_in_a_file() {
    let lines = "a\nb\r\nc\rd\r\re\r\r\nf\n\rg";
    let wanted = ["a", "b", "c", "d", "", "e", "", "f", "", "g"];
    assert_eq!(entries(lines, TEXT), wanted);
    assert_eq!(entries(lines, TSV), wanted);
    assert_eq!(entries(lines, CSV), wanted);
    assert_eq!(entries("\"a\"\r\"b\"\r\n\"c\"\n\r\"d\"", JSON), ["a", "b", "c", "", "d"]);
}

#[test]
fn line_ends_in_quotes_are_part_of_the_cell() {
    assert_eq!(
        entries("\"a\rb\"\r\"c\r\nd\"\r\"e\n\"\r\n\"f\r\"\r\n", CSV),
        ["a\rb", "c\r\nd", "e\n", "f\r",]
    );
}

#[test]
fn lines_are_counted_as_editors_do_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        let line = |content: &str, format| bad_weight(&content.replace('\n', end), format);
        for (format, tab) in [(TSV, "\t"), (CSV, ",")] {
            let line = |content: &str| line(&content.replace('\t', tab), format);
            assert_eq!(line("term\tweight\na\tx\n"), 2);
            assert_eq!(line("\n\nterm\tweight\na\t1\n\n\nb\tx\n"), 7);
        }
        assert_eq!(line("term,weight\n\"a\nb\n\nc\",1\n\n\"d\ne\",x\n", CSV), 7);
        let json = "{\"term\": \"a\", \"weight\": 1}\n\n{\"term\": \"b\", \"weight\": \"x\"}\n";
        assert_eq!(line(json, JSON), 3);
    }
    assert_eq!(bad_weight("term,weight\ra,1\r\nb,1\n\"c\r\",1\rd,x", CSV), 6);
}

// Headers.

#[test]
fn the_names_of_a_header_find_the_columns() {
    let wanted = pairs(&[("new york", 5.0), ("york", 7.0)]);
    for header in [
        "id\tterm\tweight",
        "id\tTERM\tFrequency",
        "id\tkeyword\tcount",
        "Id\tKeyword\tSearch Volume",
        "id\tkeyword\tsearch_volume",
        "id\t\"keyword\"\t \"search volume\" ",
        "id\t term \tn",
        "keyword\tterm\tvolume",
        "count\tterm\tweight",
        "n\tterm\tcount",
    ] {
        let table = format!("{header}\n1\tnew york\t5\n2\tyork\t7\n");
        assert_eq!(weighted(&table, &options(TSV)), wanted, "{header}");
        assert_eq!(weighted(&table, &options(ANY)), wanted, "{header}");
        if !header.contains(' ') {
            assert_eq!(weighted(&table.replace('\t', ","), &options(CSV)), wanted, "{header}");
            assert_eq!(weighted(&table.replace('\t', ";"), &options(CSV)), wanted, "{header}");
        }
    }
}

#[test]
fn a_header_without_a_name_of_the_terms_is_known_by_the_numbers_below() {
    for (table, terms) in [
        ("phrase\tcount\na b\t5\nb\t7\n", "a b"),
        ("count\tphrase\n5\ta b\n7\tb\n", "a b"),
        ("phrase\tfrequency\na b\t5\nb\t7\n", "a b"),
        ("phrase\tkind\tn\na b\tx\t5\n\nb\ty\t7\n", "a b"),
    ] {
        for format in [TSV, ANY] {
            let wanted = pairs(&[(terms, 5.0), ("b", 7.0)]);
            assert_eq!(weighted(table, &options(format)), wanted, "{table:?}");
        }
        let semicolons = table.replace('\t', ";");
        assert_eq!(weighted(&semicolons, &options(CSV)).len(), 2, "{semicolons:?}");
    }
}

#[test]
fn a_row_with_a_word_that_also_names_weights_is_a_row() {
    // No numbers below, or only under few.
    assert_eq!(read("tally\tcount\nsum\ttotal\n", TSV), (vec!["tally".into(), "sum".into()], None));
    assert_eq!(
        entries("count\tnoun\nweight\tnoun\n1984\tnovel\n", TSV),
        ["count", "weight", "1984"]
    );
    assert_eq!(entries("count\nn\n3\n", TSV), ["count", "n", "3"]);
    assert_eq!(entries("tally\tcount\n", TSV), ["tally"]);
    assert_eq!(entries("tally; count\nsum; total\n", CSV), ["tally; count", "sum; total"]);
}

#[test]
fn a_named_column_without_numbers_is_not_one_of_weights() {
    let table = "term\tvolume\ta\nnature\tVol. 3\tx\nscience\tVol. 4\tx\n";
    assert_eq!(read(table, TSV), (vec!["nature".into(), "science".into()], None));
    let json =
        "{\"term\": \"a\", \"n\": \"noun\"}\n{\"term\": \"b\", \"n\": 3}\n{\"term\": \"c\"}\n";
    assert_eq!(read(json, JSON).1, None);
    // With the column of the terms asked for, only the certain names of weights count.
    let counts = "term\tcount\na\t1\n";
    assert_eq!(contents(read_with(counts.as_bytes(), &columns(TSV, "term", "")).unwrap()).1, None);
}

#[test]
fn a_column_of_counts_that_lacks_a_few_is_a_question_to_the_user() {
    let (line, problem) = bad_row("keyword\tcount\na\t1\nb\tn/a\nc\t2\n", TSV);
    assert_eq!(line, 3);
    assert!(problem.contains("\"n/a\"") && problem.contains("\"count\""), "{problem}");
    assert_eq!(bad_row("phrase\tcount\na\t1\nb\nc\t2\n", TSV).0, 3);
    assert_eq!(bad_row("phrase;count\na;1\nb;\nc;2\n", CSV).0, 3);
    let json = "{\"term\": \"a\", \"n\": 1}\n{\"term\": \"b\"}\n{\"term\": \"c\", \"n\": 2}\n";
    assert_eq!(bad_row(json, JSON).0, 2);
}

#[test]
fn a_header_with_other_names_is_a_question_to_the_user() {
    let (line, problem) = bad_row("\nphrase\thits\na b\t3\nb\t4\n", TSV);
    assert_eq!(line, 2);
    assert!(problem.contains("\"phrase\" and \"hits\""), "{problem}");
    let table = "phrase\thits\na b\t3\nb\t4\n";
    let wanted = pairs(&[("a b", 3.0), ("b", 4.0)]);
    assert_eq!(weighted(table, &columns(TSV, "phrase", "hits")), wanted);
    assert_eq!(weighted(table, &columns(ANY, "phrase", "hits")), wanted);
}

#[test]
fn a_first_row_with_a_number_is_not_a_header() {
    for table in ["apple\t12\npear\t3\n", "n\t12\npear\t3\n", "count\t12\npear\t3\n"] {
        assert_eq!(weighted(table, &options(TSV))[1], ("pear".into(), 3.0), "{table:?}");
        assert_eq!(weighted(table, &options(TSV)).len(), 2, "{table:?}");
    }
}

#[test]
fn the_second_of_two_columns_has_weights_if_every_row_has_a_number_there() {
    let wanted = pairs(&[("a b", 3.0), ("b", 0.5)]);
    assert_eq!(weighted("a b\t3\n\nb\t 0.5 \n", &options(TSV)), wanted);
    assert_eq!(weighted("a b,3\nb,0.5\n", &options(CSV)), wanted);
    assert_eq!(weighted("a b;3\nb;0.5\n", &options(CSV)), wanted);
    for (table, format) in [
        ("a b\t3\nb\tx\n", TSV),
        ("a b\t3\nb\n", TSV),
        ("a b\t3\t1\nb\t4\t1\n", TSV),
        ("a b\t3\nb\tinfinity\n", TSV),
        ("a b,3\nb,\n", CSV),
    ] {
        assert_eq!(read(table, format), (vec!["a b".into(), "b".into()], None), "{table:?}");
    }
    // What was asked for is all that is read.
    let asked = read_with(b"a b\t3\nb\t4\n", &columns(TSV, "0", "")).unwrap();
    assert_eq!(contents(asked).1, None);
    assert_eq!(bad_weight("a b\t3\nb\t-1\n", TSV), 2);
}

#[test]
fn columns_may_be_asked_for() {
    let table = "id\tphrase\thits\n1\ta\t3\n";
    assert_eq!(weighted(table, &columns(TSV, "phrase", "hits")), pairs(&[("a", 3.0)]));
    assert_eq!(weighted(table, &columns(TSV, "1", "hits")), pairs(&[("a", 3.0)]));
    assert_eq!(weighted("1\ta\t3\n", &columns(TSV, "1", "2")), pairs(&[("a", 3.0)]));
    let counts = "phrase,count\na,3\n";
    assert_eq!(weighted(counts, &columns(CSV, "0", "1")), pairs(&[("a", 3.0)]));
    for (column, weight_column, name) in [("term", "", "\"term\""), ("3", "", "3"), ("", "w", "w")]
    {
        match error(table, &columns(TSV, column, weight_column)) {
            Error::Column { wanted, found } => {
                assert!(wanted.contains(name));
                assert_eq!(found, ["\"id\"", "\"phrase\"", "\"hits\""]);
            }
            other => panic!("{other:?}"),
        }
    }
    for options in [columns(TEXT, "0", ""), columns(ANY, "", "1")] {
        assert!(matches!(error("a\nb\n", &options), Error::Option { .. }));
    }
    assert!(matches!(error("\"a\"\n", &columns(JSON, "0", "")), Error::Option { .. }));
}

#[test]
fn semicolons_separate_columns_only_where_the_first_line_shows_it() {
    assert_eq!(entries("a; b\nterm; c\n", CSV), ["a; b", "term; c"]);
    assert_eq!(entries("term;kind, or none\na;b\n", CSV), ["term;kind", "a;b"]);
    assert_eq!(entries("x;\"term\"\n1;\"a; b\"\n", CSV), ["a; b"]);
}

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line() {
    for end in ["\n", "\r\n", "\r"] {
        let line = |content: &str| bad_row(&content.replace('\n', end), CSV).0;
        assert_eq!(line("term\nfoo\n\n\"bar\nbaz\n"), 4, "{end:?}");
        assert_eq!(line("term,weight\n\"bar,2\nbaz,3\n"), 2, "{end:?}");
    }
    assert_eq!(entries("a\n\"b\nc\"\n5\" pipe\n", CSV), ["a", "b\nc", "5\" pipe"]);
}

#[test]
fn a_short_row_is_refused_with_its_line() {
    let (line, problem) = bad_row("term,weight\na,1\n\n\nb\n", CSV);
    assert_eq!(line, 5);
    assert!(problem.contains("1 column,"), "{problem}");
    // A row whose cells are all blank is a blank line.
    assert_eq!(weighted("term,weight\na,1\n\n , \nb,2\n", &options(CSV)).len(), 2);
}

// Text with tabs.

#[test]
fn text_of_terms_tabs_and_numbers_has_weights() {
    let content = "alpha\t3\n\nbeta gamma\t4.5\n  \n";
    let wanted = pairs(&[("alpha", 3.0), ("beta gamma", 4.5)]);
    assert_eq!(weighted(content, &options(ANY)), wanted);
    assert_eq!(weighted(content, &columns(ANY, "0", "1")), wanted);
    // Asked for as text, lines stay as they are.
    assert_eq!(
        read(content, TEXT),
        (["alpha\t3", "", "beta gamma\t4.5", "  "].map(String::from).to_vec(), None)
    );
}

#[test]
fn text_of_which_most_lines_have_numbers_is_a_question_to_the_user() {
    for (content, wanted) in [
        ("alpha\t3\nbeta\t4\n\ngamma\n", 4),
        ("alpha\t3\nbeta\tx\ngamma\t5\n", 2),
        ("alpha\t3\tx\nbeta\t4\ty\n", 1),
        ("alpha\t3\nbeta\t4\t5\ngamma\t6\n", 2),
        ("phrase\thits\nalpha\t3\n", 1),
        ("phrase\tcount\nalpha\t3\nbeta\tx\ngamma\t5\n", 3),
    ] {
        match error(content, &options(ANY)) {
            Error::UnclearText { line } => assert_eq!(line, wanted, "{content:?}"),
            other => panic!("{content:?} gave {other:?}"),
        }
    }
}

#[test]
fn text_with_few_numbers_or_none_after_tabs_is_text() {
    for content in [
        "new\tyork\nyork\n",
        "a\tb\nc\td\n",
        "alpha\t3\nbeta\ngamma\n",
        "\talpha\n\tbeta\n",
        "term\nalpha\n",
        "count\n3\n",
    ] {
        let lines: Vec<&str> = content.lines().collect();
        assert_eq!(read(content, ANY), read(content, TEXT), "{content:?}");
        assert_eq!(entries(content, ANY), lines, "{content:?}");
    }
}

// JSON Lines.

#[test]
fn json_lines_find_the_term_and_its_weight_by_name() {
    let wanted = pairs(&[("a", 1.5), ("b", 2.0)]);
    for (term, weight) in
        [("term", "weight"), ("Keyword", "Search Volume"), ("keyword", "n"), ("term", "frequency")]
    {
        let rows = format!(
            "{{\"{term}\": \"a\", \"{weight}\": 1.5}}\n{{\"{weight}\": 2, \"{term}\": \"b\"}}\n"
        );
        assert_eq!(weighted(&rows, &options(JSON)), wanted, "{rows}");
    }
    let rows = "{\"name\": \"a\", \"hits\": 1.5}\n{\"name\": \"b\", \"hits\": 2}\n";
    assert_eq!(weighted(rows, &columns(JSON, "name", "hits")), wanted);
    assert!(matches!(error(rows, &options(JSON)), Error::Column { .. }));
}

#[test]
fn nulls_are_entries_without_a_token() {
    let rows = "null\n{\"term\": null, \"weight\": null}\n{\"term\": \"a\", \"weight\": 2}\nnull\n";
    assert_eq!(
        read(rows, JSON),
        (["", "", "a", ""].map(String::from).to_vec(), Some(vec![0.0, 0.0, 2.0, 0.0]))
    );
    assert_eq!(bad_weight("{\"term\": \"a\", \"weight\": null}\n", JSON), 1);
}

#[test]
fn rows_that_are_not_terms_are_refused_with_their_line() {
    for row in ["{", "a", "3", "true", "[\"a\"]", "\"a\" \"b\"", "{\"term\": 3}", "\"\\ud800\""] {
        let (line, problem) = bad_row(&format!("\"a\"\n\n{row}\n"), JSON);
        assert_eq!(line, 3, "{row}");
        assert!(!problem.contains("line 1"), "{problem}");
    }
    for (rows, line) in [
        ("{\"term\": \"a\", \"weight\": 1}\n\"b\"\n", 2),
        ("{\"term\": \"a\"}\n{\"term\": \"b\", \"weight\": 1}\n", 2),
        ("\"a\"\n\n{\"term\": \"b\", \"weight\": 1}\n", 3),
    ] {
        assert_eq!(bad_row(rows, JSON).0, line, "{rows}");
    }
}

#[test]
fn entries_know_their_place_in_the_file() {
    let place = |content: &str, format, n| {
        read_with(content.as_bytes(), &options(format)).unwrap().entries.place(n)
    };
    assert_eq!(place("a\n\nb\n", TEXT, 2), Place::Line(3));
    assert_eq!(place("a\r\rb\r", TEXT, 2), Place::Line(3));
    assert_eq!(place("term,x\na,1\nb,2\n", CSV, 1), Place::Row(2));
}
