//! The words of terms as they are written, for completion under stemming.

use crate::arrays::written::WrittenWords;
use crate::error::{Error, Result};
use crate::index::Index;

impl Index {
    /// What is known of written words, which is found out when it is first needed.
    pub(crate) fn written_words(&self) -> Result<&WrittenWords> {
        if let Some(words) = self.written.get() {
            return Ok(words);
        }
        let words = WrittenWords::new(&self.arrays.tokens, self.options())?;
        Ok(self.written.get_or_init(|| words))
    }

    /// The number of the form that the token at a position has there; None if its term is stored whole, or the
    /// position is in a joined reading.
    #[inline]
    pub(crate) fn listed_form_at(&self, position: usize) -> Result<Option<u8>> {
        let Some(surfaces) = &self.arrays.surfaces else { return Ok(None) };
        let name = self.arrays.borders.rank(position + 1)?.checked_sub(1);
        let name = name.ok_or_else(|| Error::out_of_range("borders"))?;
        match name >= self.shown_names() || surfaces.whole(name)?.is_some() {
            true => Ok(None),
            false => surfaces.form(position).map(Some),
        }
    }

    /// The token at a position as it is written there, folded.
    pub(crate) fn written_at(&self, position: usize) -> Result<String> {
        let borders = &self.arrays.borders;
        let name = borders.rank(position + 1)?.checked_sub(1);
        let name = name.ok_or_else(|| Error::out_of_range("borders"))?;
        let options = self.options().unstemmed();
        let mut text = Vec::new();
        if name >= self.shown_names() {
            text.extend_from_slice(
                self.arrays.tokens.text(self.arrays.keys.at(position, "keys")? as u32)?,
            );
        } else if let Some(whole) = self.arrays.whole_surface(name)? {
            let whole = String::from_utf8_lossy(whole);
            let mut before = position - borders.select(name)?;
            let found = options.tokens(&whole, self.arrays.meta.spaces, |range| {
                let form = options.normal_form(&whole[range]).into_owned();
                if form.is_empty() {
                    return Ok(());
                }
                match before.checked_sub(1) {
                    Some(fewer) => before = fewer,
                    None => return Err(form),
                }
                Ok(())
            });
            return found.err().ok_or_else(|| Error::out_of_range("surfaces"));
        } else {
            let token = self.arrays.keys.at(position, "keys")? as u32;
            self.arrays.push_token(token, position, &mut text)?;
        }
        Ok(options.normal_form(&String::from_utf8_lossy(&text)).into_owned())
    }
}
