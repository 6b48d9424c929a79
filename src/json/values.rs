//! Values as JSON: texts, numbers, the user's own ids and columns.

use crate::arrays::columns::{Column, Value};
use crate::error::Result;
use crate::index::{Index, TermId};

impl Index {
    /// Appends the id of a term: the user's own, or its number.
    pub(super) fn push_id(&self, id: TermId, json: &mut Vec<u8>) -> Result<()> {
        match self.own_ids() {
            None => push_number(id.0.into(), json),
            Some(ids) => push_value(ids.column.value(id.0 as usize)?, json),
        }
        Ok(())
    }
}

/// Appends the columns of a term to an object, if there are any to append.
pub(super) fn push_columns(columns: &[&Column], id: TermId, json: &mut Vec<u8>) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    json.extend_from_slice(b",\"columns\":{");
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            json.push(b',');
        }
        push_text(&column.name, json);
        json.push(b':');
        push_value(column.value(id.0 as usize)?, json);
    }
    json.push(b'}');
    Ok(())
}

fn push_value(value: Value, json: &mut Vec<u8>) {
    match value {
        Value::Text(text) => push_text(text, json),
        Value::Int(int) if int >= 0 => push_number(int as u64, json),
        Value::Int(int) => json.extend_from_slice(int.to_string().as_bytes()),
        Value::Float(float) if float.is_finite() => push_weight(float, json),
        Value::Bool(true) => json.extend_from_slice(b"true"),
        Value::Bool(false) => json.extend_from_slice(b"false"),
        // JSON has neither infinity nor what is not a number.
        Value::Null | Value::Float(_) => json.extend_from_slice(b"null"),
        Value::Texts(texts) => {
            json.push(b'[');
            for text in texts {
                push_text(text, json);
                json.push(b',');
            }
            end_list(json);
        }
    }
}

/// Ends a list, whose last item has a comma after it.
pub(super) fn end_list(json: &mut Vec<u8>) {
    if json.last() == Some(&b',') {
        json.pop();
    }
    json.push(b']');
}

pub(super) fn push_text(text: &str, json: &mut Vec<u8>) {
    serde_json::to_writer(json, text).expect("a string is always JSON, and memory takes it");
}

pub(super) fn push_number(number: u64, json: &mut Vec<u8>) {
    serde_json::to_writer(json, &number).expect("a number is always JSON, and memory takes it");
}

pub(super) fn push_weight(weight: f64, json: &mut Vec<u8>) {
    // JSON has no infinity, which a sum of weights may be.
    let weight = weight.min(f64::MAX);
    serde_json::to_writer(json, &weight).expect("a number is always JSON, and memory takes it");
}
