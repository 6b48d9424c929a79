//! Texts that are stored one after the other, without anything between them.

/// Cuts a text into consecutive pieces of these lengths.
pub(crate) fn pieces<'a>(
    text: &'a [u8],
    lengths: &'a [u32],
) -> impl ExactSizeIterator<Item = &'a [u8]> {
    let mut rest = text;
    lengths.iter().map(move |&length| {
        let (piece, tail) = rest.split_at(length as usize);
        rest = tail;
        piece
    })
}
