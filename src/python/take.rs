//! Some rows of a column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, make_array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use pyo3::PyResult;

use super::errors::{raise, to_python};
use crate::build::entries::cut_evenly;
use crate::threads::{run, threads_for};

/// No row: the value there is null.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The values of a column in some rows.
pub(super) fn take(column: &ArrayRef, rows: &[u32], threads: usize) -> PyResult<ArrayRef> {
    let threads = threads_for(rows.len(), threads);
    let data = column.to_data();
    let width = match data.data_type() {
        DataType::LargeUtf8 => {
            return take_strings(column.as_string(), rows, threads).map_err(to_python);
        }
        kind => kind.primitive_width(),
    };
    let values = match width {
        Some(1) => fixed::<u8>(&data, rows, threads),
        Some(2) => fixed::<u16>(&data, rows, threads),
        Some(4) => fixed::<u32>(&data, rows, threads),
        Some(8) => fixed::<u64>(&data, rows, threads),
        Some(16) => fixed::<i128>(&data, rows, threads),
        _ => {
            let mut taken = MutableArrayData::new(vec![&data], true, rows.len());
            for &row in rows {
                let added = match row {
                    NO_ROW => taken.try_extend_nulls(1),
                    row => taken.try_extend(0, row as usize, row as usize + 1),
                };
                added.map_err(|error| raise("CapacityError", error.to_string()))?;
            }
            return Ok(make_array(taken.freeze()));
        }
    };
    let taken = ArrayData::builder(data.data_type().clone())
        .len(rows.len())
        .add_buffer(values.map_err(to_python)?)
        .nulls(nulls(column.as_ref(), rows))
        .build()
        .expect("the buffers are those of such a column");
    Ok(make_array(taken))
}

/// Where there is no value, if that is anywhere.
fn nulls(column: &dyn Array, rows: &[u32]) -> Option<NullBuffer> {
    if column.null_count() == 0 && !rows.contains(&NO_ROW) {
        return None;
    }
    let is_valid = |&row: &u32| row != NO_ROW && column.is_valid(row as usize);
    Some(rows.iter().map(is_valid).collect())
}

fn fixed<T: ArrowNativeType>(
    data: &ArrayData,
    rows: &[u32],
    threads: usize,
) -> crate::Result<Buffer> {
    let values: &[T] = data.buffer(0);
    let mut taken = vec![T::default(); rows.len()];
    let size = rows.len().div_ceil(threads).max(1);
    run(threads, taken.chunks_mut(size).zip(rows.chunks(size)).collect(), |(taken, rows)| {
        for (place, &row) in taken.iter_mut().zip(rows) {
            if let Some(value) = values.get(row as usize) {
                *place = *value;
            }
        }
        Ok(())
    })?;
    Ok(Buffer::from_vec(taken))
}

fn take_strings(
    column: &LargeStringArray,
    rows: &[u32],
    threads: usize,
) -> crate::Result<ArrayRef> {
    let (offsets, text) = (column.value_offsets(), column.value_data());
    let place = |row: u32| match row {
        NO_ROW => 0..0,
        row => offsets[row as usize] as usize..offsets[row as usize + 1] as usize,
    };
    let parts = cut_evenly(rows.len(), threads * 4);
    // Where each string ends in its part.
    let lengths = run(threads, parts.clone(), |part| {
        let mut end = 0;
        let ends = rows[part].iter().map(|&row| {
            end += place(row).len() as i64;
            end
        });
        Ok(ends.collect::<Vec<i64>>())
    })?;
    let mut ends = vec![0; rows.len() + 1];
    let size: i64 = lengths.iter().filter_map(|ends| ends.last()).sum();
    let mut taken = vec![0u8; size as usize];
    let mut shares = Vec::new();
    let (mut rest, mut rest_of_ends, mut before) = (&mut taken[..], &mut ends[1..], 0);
    for (part, own) in parts.into_iter().zip(&lengths) {
        let share;
        (share, rest) = rest.split_at_mut(own.last().copied().unwrap_or(0) as usize);
        let own_ends;
        (own_ends, rest_of_ends) = rest_of_ends.split_at_mut(own.len());
        shares.push((part, share, own, own_ends, before));
        before += own.last().copied().unwrap_or(0);
    }
    run(threads, shares, |(part, share, own, ends, before)| {
        let mut at = 0;
        for ((&row, end), &own) in rows[part].iter().zip(ends).zip(own) {
            let string = &text[place(row)];
            share[at..at + string.len()].copy_from_slice(string);
            at += string.len();
            *end = before + own;
        }
        Ok(())
    })?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    // SAFETY: the text is whole strings of a column that was checked, and the offsets are where they end.
    let strings = unsafe {
        LargeStringArray::new_unchecked(offsets, Buffer::from_vec(taken), nulls(column, rows))
    };
    Ok(Arc::new(strings))
}
