//! How the values of a column are stored: packed, and repeated strings once.

use std::collections::HashMap;

use crate::arrays::bits;
use crate::arrays::columns::{Facts, largest_number};
use crate::arrays::packed::{self, Packed};
use crate::build::entries::List;
use crate::build::values::{Data, Values, list_at};

/// A column as it is stored: the facts, and the parts one after the other.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) facts: Facts,
    pub(super) parts: Vec<u8>,
}

impl Stored {
    fn push(&mut self, part: &[u8]) {
        self.parts.extend_from_slice(part);
        self.parts.resize(self.parts.len().next_multiple_of(8), 0);
    }

    fn push_bits(&mut self, values: impl ExactSizeIterator<Item = bool>) {
        let mut words = vec![0; bits::words_for(values.len())];
        for (i, _) in values.enumerate().filter(|&(_, is_set)| is_set) {
            bits::set(&mut words, i);
        }
        words.iter().for_each(|word: &u64| self.push(&word.to_le_bytes()));
    }

    pub(super) fn push_packed(
        &mut self,
        numbers: impl ExactSizeIterator<Item = u64>,
        largest: u64,
    ) {
        self.push(&Packed::new(numbers, largest).bytes);
    }

    /// Strings, by the numbers of their texts: whatever takes less space, each where it occurs, or each
    /// text once and numbers.
    fn push_strings(
        &mut self,
        items: impl ExactSizeIterator<Item = Option<usize>> + Clone,
        texts: &List,
    ) {
        const NONE: u32 = u32::MAX;
        let count = items.len();
        // For each text the number of the first one that is equal.
        let mut firsts = vec![NONE; texts.len()];
        let mut numbers: HashMap<&str, u32, foldhash::fast::RandomState> = HashMap::default();
        let mut bytes = 0;
        for text in items.clone().flatten() {
            if firsts[text] == NONE {
                let next = numbers.len() as u32;
                firsts[text] = *numbers.entry(texts.get(text)).or_insert(next);
            }
            bytes += texts.get(text).len();
        }
        let mut distinct: Vec<(&str, u32)> = numbers.into_iter().collect();
        let coded_bytes: usize = distinct.iter().map(|(text, _)| text.len()).sum();
        let size = |numbers, largest: u64| packed::bytes_for(numbers, packed::width_for(largest));
        let largest = largest_number(distinct.len().saturating_sub(1));
        let coded = size(count, largest)
            + size(distinct.len() + 1, largest_number(coded_bytes))
            + coded_bytes;
        self.facts.items = count as u64;
        if distinct.is_empty() || coded >= size(count + 1, largest_number(bytes)) + bytes {
            self.facts.texts = count as u64;
            let text = |text: Option<usize>| text.map_or("", |text| texts.get(text));
            self.push_texts(items.map(text), bytes);
            return;
        }
        distinct.sort_unstable();
        let mut codes = vec![0; distinct.len()];
        for (code, &(_, number)) in (0u64..).zip(&distinct) {
            codes[number as usize] = code;
        }
        self.facts.is_coded = true;
        self.facts.texts = distinct.len() as u64;
        let code = |text: Option<usize>| text.map_or(0, |text| codes[firsts[text] as usize]);
        self.push_packed(items.map(code), largest);
        self.push_texts(distinct.iter().map(|&(text, _)| text), coded_bytes);
    }

    fn push_texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>, bytes: usize) {
        self.facts.bytes = bytes as u64;
        let mut all = Vec::with_capacity(bytes);
        let mut starts = Vec::with_capacity(texts.len() + 1);
        for text in texts {
            starts.push(all.len() as u64);
            all.extend_from_slice(text.as_bytes());
        }
        starts.push(all.len() as u64);
        self.push_packed(starts.into_iter(), largest_number(bytes));
        self.push(&all);
    }

    /// A column of the values in these rows.
    pub(super) fn new(name: &str, values: &Values, rows: &[u32]) -> Stored {
        let rows = rows.iter().map(|&row| row as usize);
        let mut stored = Stored { facts: Facts::new(name, values.kind()), ..Stored::default() };
        stored.facts.has_nulls = rows.clone().any(|row| values.is_null(row));
        if stored.facts.has_nulls {
            stored.push_bits(rows.clone().map(|row| values.is_null(row)));
        }
        match &values.data {
            Data::Unknown => stored.push_strings(rows.map(|_| None), &List::default()),
            Data::Strings(all) => {
                let text = |row| if values.is_null(row) { None } else { Some(all.code(row)) };
                stored.push_strings(rows.map(text), &all.texts);
            }
            Data::Ints(all) => stored.push_ints(all, values, rows),
            Data::Floats(all) => rows.for_each(|row| stored.push(&all[row].to_le_bytes())),
            Data::Bools(all) => stored.push_bits(rows.map(|row| all[row])),
            Data::Lists(all, ends) => {
                let mut starts = vec![0];
                let mut items = Vec::new();
                for row in rows {
                    items.extend(list_at(ends, row).map(|i| Some(all.code(i))));
                    starts.push(items.len() as u64);
                }
                stored.push_packed(starts.into_iter(), items.len() as u64);
                stored.push_strings(items.iter().copied(), &all.texts);
            }
        }
        stored
    }

    fn push_ints(
        &mut self,
        all: &[i64],
        values: &Values,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        let present = rows.clone().filter(|&row| !values.is_null(row)).map(|row| all[row]);
        let smallest = present.clone().min().unwrap_or(0);
        let range = present.max().unwrap_or(0).wrapping_sub(smallest) as u64;
        (self.facts.smallest, self.facts.range) = (smallest, range);
        let distance = |row| match values.is_null(row) {
            true => 0,
            false => all[row].wrapping_sub(smallest) as u64,
        };
        match packed::width_for(range) > packed::MAX_WIDTH {
            false => self.push_packed(rows.map(distance), range),
            true => rows.for_each(|row| {
                let int = if values.is_null(row) { 0 } else { all[row] };
                self.push(&int.to_le_bytes());
            }),
        }
    }
}
