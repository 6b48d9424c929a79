//! The names of terms beside their surfaces: aliases, and surfaces whose hyphenated words are one word.
//!
//! A *name* is a key that leads to a term. The first names are those of the terms themselves, by id. Then
//! come the aliases, then the joined readings of all these ("email" for "e-mail", under
//! [`Hyphens::Both`](crate::Hyphens::Both)).

use std::collections::HashMap;

use crate::analysis::{Options, Spaces, is_hyphen};
use crate::build::columns::UserColumns;
use crate::build::entries::{Entries, List};
use crate::error::{AliasProblem, Error, Result};

/// Other names of terms.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    /// Terms, by their surfaces, each with an alias.
    pub by_term: Vec<(String, String)>,
    /// Entries of the vocabulary, by their numbers from 0, each with an alias.
    pub by_entry: Vec<(u64, String)>,
}

impl Aliases {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_term.is_empty() && self.by_entry.is_empty()
    }
}

/// Names, each with its owner: the number of an entry of the vocabulary.
#[derive(Default)]
pub(super) struct OtherNames {
    pub(super) names: List,
    pub(super) owners: Vec<u32>,
}

/// All that a build splits into tokens: the entries of the vocabulary, the aliases, the joined readings.
/// They are numbered in this order.
pub(super) struct Sources<'a> {
    pub(super) entries: &'a dyn Entries,
    /// The number of entries.
    pub(super) count: usize,
    pub(super) aliases: &'a OtherNames,
    pub(super) joined: &'a OtherNames,
    /// The columns of the entries.
    pub(super) columns: &'a UserColumns,
    /// Whether every entry is a term of its own, also if it equals another.
    pub(super) apart: bool,
}

impl Sources<'_> {
    /// The number of names that are shown somewhere: all but the joined readings.
    pub(super) fn shown(&self) -> usize {
        self.count + self.aliases.owners.len()
    }

    /// The entry that each name after the entries belongs to.
    pub(super) fn owners(&self) -> impl Iterator<Item = u32> {
        self.aliases.owners.iter().chain(&self.joined.owners).copied()
    }

    /// The error for the name with this number, which has too many tokens.
    pub(super) fn too_many_tokens(&self, number: usize, found: usize) -> Error {
        let owner = match number.checked_sub(self.count) {
            None => number as u64,
            Some(other) => self.owners().nth(other).map_or(0, u64::from),
        };
        Error::TermTokens { place: self.entries.place(owner), found }
    }

    /// The error for the alias with this number, which matches like a term that is not its own.
    pub(super) fn alias_of_two(&self, number: u32) -> Result<Error> {
        let alias = self.aliases.names.get(number as usize).to_owned();
        let owner = self.aliases.owners[number as usize];
        let (mut term, mut at) = (String::new(), 0);
        for part in self.entries.cut(1) {
            self.entries.visit(part, &mut |entry| {
                if at == owner {
                    term = entry.trim().to_owned();
                }
                at += 1;
                Ok(())
            })?;
        }
        Ok(Error::Alias { alias, term, problem: AliasProblem::OtherTerm })
    }
}

impl OtherNames {
    fn push(&mut self, name: &str, owner: u32) {
        self.names.push(name);
        self.owners.push(owner);
    }
}

impl Aliases {
    /// The aliases with the numbers of their entries.
    /// With `columns`, several entries with one surface are several terms.
    pub(super) fn resolve(
        &self,
        entries: &dyn Entries,
        options: &Options,
        columns: &UserColumns,
    ) -> Result<OtherNames> {
        let mut found = OtherNames::default();
        // The entries with the surface of each term that has aliases: the first, or with columns all.
        let mut owners: HashMap<String, Vec<u32>> = HashMap::new();
        for (term, _) in &self.by_term {
            owners.insert(options.surface_of(term).into_owned(), Vec::new());
        }
        let mut count = 0;
        if !self.is_empty() {
            for part in entries.cut(1) {
                entries.visit(part, &mut |entry| {
                    if !owners.is_empty()
                        && let Some(owners) = owners.get_mut(&*options.surface_of(entry))
                        && (owners.is_empty() || !columns.is_empty())
                    {
                        owners.push(count);
                    }
                    count += 1;
                    Ok(())
                })?;
            }
        }
        for (term, alias) in &self.by_term {
            match owners.get(&*options.surface_of(term)) {
                Some(owners) if !owners.is_empty() => {
                    owners.iter().for_each(|&owner| found.push(alias, owner));
                }
                _ => return Err(self.without_term(term, alias)),
            }
        }
        for (entry, alias) in &self.by_entry {
            match u32::try_from(*entry) {
                Ok(owner) if owner < count => found.push(alias, owner),
                _ => return Err(Error::AliasRow { row: *entry, rows: count.into() }),
            }
        }
        Ok(found)
    }

    /// Why an alias has no term: it may be the alias of an alias.
    fn without_term(&self, term: &str, alias: &str) -> Error {
        let owners: HashMap<&str, &str> =
            self.by_term.iter().map(|(term, alias)| (&**alias, &**term)).collect();
        let problem = match owners.get(term) {
            None => AliasProblem::NoTerm,
            Some(&owner) => {
                // As many steps as there are aliases lead back to where they began, if any do.
                let mut at = owner;
                let mut steps = 0..owners.len();
                while at != term && steps.next().is_some() {
                    at = owners.get(at).copied().unwrap_or(at);
                }
                match at == term {
                    true => AliasProblem::Cycle,
                    false => AliasProblem::OfAlias(owner.into()),
                }
            }
        };
        Error::Alias { alias: alias.into(), term: term.into(), problem }
    }
}

/// The entries and aliases that have another reading, in which hyphenated words are one word; with their
/// owners.
pub(super) fn joined_readings(
    entries: &dyn Entries,
    aliases: &OtherNames,
    options: &Options,
) -> Result<OtherNames> {
    let mut found = OtherNames::default();
    let Some(joined) = options.joined_reading() else { return Ok(found) };
    let mut add = |entry: &str, owner: u32| {
        if has_joined_reading(entry, options, &joined) {
            found.push(entry, owner);
        }
    };
    let mut number = 0;
    for part in entries.cut(1) {
        entries.visit(part, &mut |entry| {
            add(entry, number);
            number += 1;
            Ok(())
        })?;
    }
    for (alias, &owner) in aliases.names.iter().zip(&aliases.owners) {
        add(alias, owner);
    }
    Ok(found)
}

/// Whether an entry has fewer words if its hyphens join them.
pub(crate) fn has_joined_reading(entry: &str, options: &Options, joined: &Options) -> bool {
    let count = |options: &Options| {
        let mut count = 0;
        let Ok(()) = options.tokens(options.trim(entry), Spaces::None, |_| {
            count += 1;
            Ok::<(), std::convert::Infallible>(())
        });
        count
    };
    entry.contains(is_hyphen) && count(options) > count(joined)
}
