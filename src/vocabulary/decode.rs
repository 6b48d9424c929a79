//! From a file to text: reading it, decompressing it, decoding UTF-8.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::threads::{run, threads_or_all};
use crate::vocabulary::options::Decoding;
use crate::vocabulary::text::count_line_ends;

/// The whole of a file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileExt;

        // A large file is read in chunks of 4 MiB, on all cores: most of the time goes into fresh
        // memory.
        const CHUNK_BYTES: usize = 1 << 22;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > CHUNK_BYTES as u64 {
            let mut bytes = vec![0; metadata.len() as usize];
            let chunks: Vec<(usize, &mut [u8])> =
                bytes.chunks_mut(CHUNK_BYTES).enumerate().collect();
            let whole = run(threads_or_all(None), chunks, |(i, chunk)| {
                let failed = |source| Error::Io { action: "read", path: path.into(), source };
                file.read_exact_at(chunk, (i * CHUNK_BYTES) as u64).map_err(failed)
            });
            // A file that changes meanwhile, or cannot be read in chunks, is read again below.
            if whole.is_ok() && file.metadata()?.len() == metadata.len() {
                return Ok(bytes);
            }
        }
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The contents of a file that may be compressed with gzip or Zstandard.
pub(super) fn decompress(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut plain)?;
    } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut rest = bytes.as_slice();
        // A file may have several frames.
        while !rest.is_empty() {
            let mut decoder =
                ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
            decoder.read_to_end(&mut plain)?;
        }
    } else {
        return Ok(bytes);
    }
    Ok(plain)
}

/// The bytes as text, without a byte order mark.
pub(super) fn decode(bytes: Vec<u8>, decoding: Decoding) -> Result<String> {
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if decoding == Decoding::Replace => {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
            let line = count_line_ends(bytes, 0..at) + 1;
            return Err(Error::Utf8 { line, byte: bytes[at], utf16 });
        }
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}
