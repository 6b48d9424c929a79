//! From a phrase to its key: the token ids that the arrays know it by.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::analysis::{Options, Spaces};
use crate::error::{Error, Result};
use crate::index::Index;

/// The id of a token that no term has.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The token ids of a query.
pub(crate) type Key = SmallVec<[u32; 8]>;
/// The tokens of many queries, one after the other.
pub(crate) struct Keys<'a> {
    ids: Vec<u32>,
    /// Their normal forms.
    forms: Vec<Form<'a>>,
    /// Where those of each query end.
    ends: Vec<usize>,
}

impl<'a> Keys<'a> {
    /// The normal forms of the tokens of a query.
    #[inline]
    pub(crate) fn forms(&self, query: usize) -> &[Form<'a>] {
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.forms[start..self.ends[query]]
    }

    /// The token ids of each query, and their normal forms.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], &[Form<'a>])> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let tokens = start..end;
            start = end;
            (&self.ids[tokens.clone()], &self.forms[tokens])
        })
    }
}

/// The normal forms of the tokens of a query.
pub(crate) type Forms<'a> = SmallVec<[Form<'a>; 8]>;

/// The longest normal form, in bytes, that is made without memory of its own.
const MAX_SHORT: usize = 22;

/// The normal form of a token.
pub(crate) enum Form<'a> {
    Text(Cow<'a, str>),
    /// A form of ASCII characters, and their number: most forms that differ from their tokens.
    Short([u8; MAX_SHORT], u8),
}

impl<'a> Form<'a> {
    /// The normal form of a token under some options.
    #[inline]
    fn of(options: &Options, token: &'a str) -> Form<'a> {
        if token.len() > MAX_SHORT || !options.only_lowers(token) {
            return Form::Text(options.normal_form(token));
        }
        let mut bytes = [0; MAX_SHORT];
        for (byte, own) in bytes.iter_mut().zip(token.bytes()) {
            *byte = own.to_ascii_lowercase();
        }
        Form::Short(bytes, token.len() as u8)
    }
}

impl AsRef<str> for Form<'_> {
    #[inline]
    fn as_ref(&self) -> &str {
        match self {
            Form::Text(text) => text,
            Form::Short(bytes, length) => {
                let bytes = bytes.get(..usize::from(*length)).unwrap_or_default();
                // SAFETY: they are ASCII characters, as those of the token are that they come from.
                unsafe { std::str::from_utf8_unchecked(bytes) }
            }
        }
    }
}

impl std::ops::Deref for Form<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_ref()
    }
}

impl Index {
    /// The token ids of a query.
    #[inline]
    pub(crate) fn query(&self, phrase: &str) -> Result<Key> {
        self.key_of(phrase, self.arrays.meta.spaces, &mut Forms::new())
    }

    /// The token ids of a query, whose tokens' normal forms are added to `forms`; with `spaces`, white
    /// space separates beside the separator.
    #[inline]
    pub(crate) fn key_of<'a>(
        &self,
        phrase: &'a str,
        spaces: Spaces,
        forms: &mut Forms<'a>,
    ) -> Result<Key> {
        self.push_forms(phrase, spaces, forms)?;
        self.key_of_forms(forms)
    }

    /// Adds the normal forms of the tokens of a query: those of any index with the same options.
    #[inline]
    pub(crate) fn push_forms<'a>(
        &self,
        phrase: &'a str,
        spaces: Spaces,
        forms: &mut Forms<'a>,
    ) -> Result<()> {
        let text = self.arrays.meta.options.trim(phrase);
        self.arrays.meta.options.tokens(text, spaces, |range| {
            let form = self.normal_form(&text[range])?;
            if !form.is_empty() {
                forms.push(form);
            }
            Ok(())
        })
    }

    /// The token ids of normal forms.
    #[inline]
    pub(crate) fn key_of_forms(&self, forms: &Forms) -> Result<Key> {
        let mut ids = Key::new();
        self.arrays.tokens.find_all(forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        Ok(ids)
    }

    /// The tokens of many queries.
    pub(crate) fn keys_of<'a>(&self, phrases: &[&'a str]) -> Result<Keys<'a>> {
        let mut forms = Vec::with_capacity(4 * phrases.len());
        let mut ends = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            let text = self.arrays.meta.options.trim(phrase);
            self.arrays.meta.options.tokens(text, self.arrays.meta.spaces, |range| {
                let form = self.normal_form(&text[range])?;
                if !form.is_empty() {
                    forms.push(form);
                }
                Ok::<(), Error>(())
            })?;
            ends.push(forms.len());
        }
        let mut ids = Vec::with_capacity(forms.len());
        self.arrays.tokens.find_all(&forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        Ok(Keys { ids, forms, ends })
    }

    /// The normal form of a token; empty if the token is ignored.
    #[inline]
    pub(crate) fn normal_form<'a>(&self, token: &'a str) -> Result<Form<'a>> {
        self.normal_form_under(self.options(), token)
    }

    /// [`Index::normal_form`] under options that need not be those of the index.
    #[inline]
    pub(crate) fn normal_form_under<'a>(
        &self,
        options: &Options,
        token: &'a str,
    ) -> Result<Form<'a>> {
        let form = Form::of(options, token);
        match &self.normalizer {
            Some(normalizer) if !form.is_empty() => {
                Ok(Form::Text(normalizer.normalize(&form)?.into()))
            }
            _ => Ok(form),
        }
    }
}
