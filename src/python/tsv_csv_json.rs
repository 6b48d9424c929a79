//! Tables as lines of text: TSV, CSV and JSON Lines.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

/// The rows as tab separated lines of the named columns. A tab or line end in a term, which hardly any
/// term has, is written as \t, \n or \r; the JSON lines are exact. A null is an empty cell.
pub(crate) fn tab_separated(table: &RecordBatch, columns: &[String]) -> Vec<u8> {
    let columns: Vec<&ArrayRef> =
        columns.iter().filter_map(|name| table.column_by_name(name)).collect();
    let mut lines = Vec::new();
    for row in 0..table.num_rows() {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                lines.push(b'\t');
            }
            match column.data_type() {
                _ if column.is_null(row) => {}
                DataType::LargeUtf8 => {
                    push_escaped(column.as_string::<i64>().value(row), &mut lines)
                }
                DataType::LargeList(_) => {
                    let mut list = Vec::new();
                    push_list(column, row, &mut list);
                    push_escaped(&String::from_utf8_lossy(&list), &mut lines);
                }
                _ => push_number(column, row, &mut lines),
            }
        }
        lines.push(b'\n');
    }
    lines
}

/// The rows as lines of CSV, cells in quotes where they need them.
pub(crate) fn comma_separated(table: &RecordBatch) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut cell = Vec::new();
    for row in 0..table.num_rows() {
        for column in table.columns() {
            cell.clear();
            match column.data_type() {
                _ if column.is_null(row) => {}
                DataType::LargeUtf8 => {
                    cell.extend_from_slice(column.as_string::<i64>().value(row).as_bytes())
                }
                DataType::LargeList(_) => push_list(column, row, &mut cell),
                _ => push_number(column, row, &mut cell),
            }
            writer.write_field(&cell).expect("memory takes it");
        }
        writer.write_record(None::<&[u8]>).expect("memory takes it");
    }
    writer.into_inner().expect("memory takes it")
}

/// The rows as lines of JSON objects.
pub(crate) fn json(table: &RecordBatch) -> Vec<u8> {
    let schema = table.schema();
    let mut lines = Vec::new();
    for row in 0..table.num_rows() {
        for (i, (field, column)) in schema.fields().iter().zip(table.columns()).enumerate() {
            lines.extend_from_slice(if i == 0 { b"{" } else { b", " });
            push_json(field.name(), &mut lines);
            lines.extend_from_slice(b": ");
            match column.data_type() {
                _ if column.is_null(row) => lines.extend_from_slice(b"null"),
                DataType::LargeUtf8 => push_json(column.as_string::<i64>().value(row), &mut lines),
                DataType::LargeList(_) => push_list(column, row, &mut lines),
                // JSON has neither infinity nor what is not a number.
                DataType::Float32
                    if !column.as_primitive::<Float32Type>().value(row).is_finite() =>
                {
                    lines.extend_from_slice(b"null")
                }
                DataType::Float64
                    if !column.as_primitive::<Float64Type>().value(row).is_finite() =>
                {
                    lines.extend_from_slice(b"null")
                }
                _ => push_number(column, row, &mut lines),
            }
        }
        lines.extend_from_slice(b"}\n");
    }
    lines
}

fn push_escaped(text: &str, lines: &mut Vec<u8>) {
    if !text.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        lines.extend_from_slice(text.as_bytes());
        return;
    }
    for byte in text.bytes() {
        match byte {
            b'\t' => lines.extend_from_slice(b"\\t"),
            b'\n' => lines.extend_from_slice(b"\\n"),
            b'\r' => lines.extend_from_slice(b"\\r"),
            _ => lines.push(byte),
        }
    }
}

fn push_json(text: &str, lines: &mut Vec<u8>) {
    serde_json::to_writer(lines, text).expect("a string is always JSON, and memory takes it");
}

/// A list of strings, as JSON in all formats.
fn push_list(column: &ArrayRef, row: usize, lines: &mut Vec<u8>) {
    let list = column.as_list::<i64>().value(row);
    lines.push(b'[');
    for (i, text) in list.as_string::<i64>().iter().enumerate() {
        lines.extend_from_slice(if i == 0 { b"" } else { b", " });
        push_json(text.unwrap_or_default(), lines);
    }
    lines.push(b']');
}

fn push_number(column: &ArrayRef, row: usize, lines: &mut Vec<u8>) {
    use std::io::Write;
    macro_rules! whole {
        ($($kind:pat => $type:ty),* $(,)?) => {
            match column.data_type() {
                $($kind => write!(lines, "{}", column.as_primitive::<$type>().value(row)),)*
                DataType::Boolean => write!(lines, "{}", column.as_boolean().value(row)),
                DataType::Float32 => {
                    // The digits of the shorter number.
                    write!(lines, "{}", column.as_primitive::<Float32Type>().value(row))
                }
                _ => match column.as_primitive::<Float64Type>().value(row) {
                    // With an exponent: without, such a number can have 300 digits.
                    float if float.abs() >= 1e16 || float.abs() < 1e-5 && float != 0.0 => {
                        write!(lines, "{float:?}")
                    }
                    // Whole numbers without a fraction: most weights are counts.
                    float => write!(lines, "{float}"),
                },
            }
        };
    }
    let written = whole! {
        DataType::Int8 => Int8Type,
        DataType::Int16 => Int16Type,
        DataType::Int32 => Int32Type,
        DataType::Int64 => Int64Type,
        DataType::UInt8 => UInt8Type,
        DataType::UInt16 => UInt16Type,
        DataType::UInt32 => UInt32Type,
        DataType::UInt64 => UInt64Type,
    };
    written.expect("memory takes it");
}
