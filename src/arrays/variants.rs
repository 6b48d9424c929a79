//! The terms with the same key as very many others ("c", "C", "C.", ...), in an order in which one of them
//! is found by its surface.
//!
//! The terms of a key are in the order of their ids, so that the one with a surface can only be found by
//! looking at one after the other. Where there are very many, this array is searched instead.

use std::cmp::Ordering;
use std::ops::Range;

use crate::arrays::Arrays;
use crate::arrays::packed::Packed;
use crate::error::Result;

/// The most terms of one key that are looked at one after the other.
pub(crate) const MAX_SCANNED: usize = 16;

impl Arrays {
    /// The array [`Arrays::variants`] for groups of terms with the same key.
    pub(crate) fn order_variants(&self, groups: Vec<Vec<u32>>) -> Result<Packed> {
        let mut keyed = Vec::with_capacity(groups.len());
        for ids in groups {
            let first = ids.first().map_or(Ok(0..0), |&id| self.key_place(id as usize))?;
            keyed.push((first.map(|p| self.keys.get(p)).collect::<Vec<_>>(), ids));
        }
        keyed.sort_unstable();
        let mut ordered = Vec::new();
        for (_, ids) in keyed {
            let mut surfaces = Vec::with_capacity(ids.len());
            for id in ids {
                surfaces.push((self.surface(id as usize)?, id));
            }
            surfaces.sort_unstable();
            ordered.extend(surfaces.into_iter().map(|(_, id)| u64::from(id)));
        }
        Ok(Packed::new(ordered.into_iter(), self.meta.terms as u64))
    }

    /// The first term with this key and this surface, if it is among [`Arrays::variants`].
    pub(crate) fn variant(&self, key: &[u32], surface: &[u8]) -> Result<Option<u32>> {
        let (mut low, mut high) = (0, self.variants.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let id = self.variants.at(middle, "variants")?;
            match self.compare_variant(id, key, surface)? {
                Ordering::Less => low = middle + 1,
                // Terms with one surface are in the order of their ids.
                Ordering::Equal | Ordering::Greater => high = middle,
            }
        }
        match self.variants.get(low) {
            Some(id) if self.compare_variant(id as usize, key, surface)?.is_eq() => {
                Ok(Some(id as u32))
            }
            _ => Ok(None),
        }
    }

    fn compare_variant(&self, id: usize, key: &[u32], surface: &[u8]) -> Result<Ordering> {
        let own = self.key_place(id)?.map(|p| self.keys.get(p));
        match own.cmp(key.iter().map(|&token| Some(token.into()))) {
            Ordering::Equal => Ok(self.surface(id)?.as_slice().cmp(surface)),
            other => Ok(other),
        }
    }

    /// The place of a term's key.
    #[inline]
    pub(crate) fn key_place(&self, id: usize) -> Result<Range<usize>> {
        let start = self.borders.select(id)?;
        Ok(start..self.borders.after(start)?)
    }

    fn surface(&self, id: usize) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        if let Some(whole) = self.whole_surface(id)? {
            text.extend_from_slice(whole);
            return Ok(text);
        }
        let key = self.key_place(id)?;
        for p in key.clone() {
            if p > key.start {
                text.extend_from_slice(self.meta.options.joiner().as_bytes());
            }
            let token = self.keys.at(p, "keys")? as u32;
            self.push_token(token, p, &mut text)?;
        }
        Ok(text)
    }

    /// The surface of a term, if it is stored whole.
    #[inline]
    pub(crate) fn whole_surface(&self, id: usize) -> Result<Option<&[u8]>> {
        self.surfaces.as_ref().map_or(Ok(None), |surfaces| surfaces.whole(id))
    }

    /// Appends the token at position `p` of the keys as it is written there.
    #[inline]
    pub(crate) fn push_token(&self, token: u32, p: usize, text: &mut Vec<u8>) -> Result<()> {
        match &self.surfaces {
            None => text.extend_from_slice(self.tokens.text(token)?),
            Some(surfaces) => self.tokens.push_form(token, surfaces.form(p)?, text)?,
        }
        Ok(())
    }
}
