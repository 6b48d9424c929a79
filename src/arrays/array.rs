//! Arrays in memory of their own or in a mapped file, which are read in the same way.

use std::ops::Deref;
use std::sync::Arc;

/// The number types of an index file. Sealed, as every bit pattern must be a valid value.
pub trait Number: Copy + Send + Sync + 'static + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($kind:ty),*) => { $(impl sealed::Sealed for $kind {} impl Number for $kind {})* };
}
numbers!(u8, u32, u64, f64);

/// Bytes aligned to eight that do not move while they are owned.
pub(crate) trait Bytes: Send + Sync {
    fn bytes(&self) -> &[u8];

    /// Whether they are memory of the process, not a mapped file.
    fn are_own(&self) -> bool;
}

impl Bytes for memmap2::Mmap {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn are_own(&self) -> bool {
        false
    }
}

/// A whole file, read into memory; as words of eight bytes, for the alignment.
pub(crate) struct Read {
    words: Vec<u64>,
    length: usize,
}

impl Read {
    /// `length` bytes of zero, to read a file into.
    pub(crate) fn new(length: usize) -> Read {
        Read { words: vec![0; length.div_ceil(8)], length }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words are initialised and have at least `length` bytes, and any byte may be
        // written into a u64.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.length) }
    }
}

impl Bytes for Read {
    fn bytes(&self) -> &[u8] {
        // SAFETY: as in `bytes_mut`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.length) }
    }

    fn are_own(&self) -> bool {
        true
    }
}

/// The owner of an array's memory.
enum Owner<T> {
    Vec(#[allow(dead_code, reason = "owns what `start` points to")] Vec<T>),
    Shared(Arc<dyn Bytes>),
}

/// An immutable array; dereferences to a slice.
pub struct Array<T> {
    start: *const T,
    length: usize,
    owner: Owner<T>,
}

// SAFETY: an Array is an immutable view of memory that its owner has, and the owner is Send and Sync.
unsafe impl<T: Number> Send for Array<T> {}
// SAFETY: as above; there is no interior mutability.
unsafe impl<T: Number> Sync for Array<T> {}

impl<T: Number> Array<T> {
    /// The `length` numbers that begin at byte `offset`; None if they are not all inside, or not aligned.
    pub(crate) fn shared(bytes: &Arc<dyn Bytes>, offset: usize, length: usize) -> Option<Array<T>> {
        let size = length.checked_mul(size_of::<T>())?;
        let part = bytes.bytes().get(offset..offset.checked_add(size)?)?;
        let start: *const T = part.as_ptr().cast();
        if !start.is_aligned() {
            return None;
        }
        Some(Array { start, length, owner: Owner::Shared(bytes.clone()) })
    }

    /// The bytes of the array, as in a file.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        let numbers: &[T] = self;
        // SAFETY: the numbers have no padding, and bytes have no alignment.
        unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
    }

    /// Prefetches number `i`, which will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, i: usize) {
        #[cfg(target_arch = "x86_64")]
        if i < self.length {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the place is in the array, and a prefetch changes nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.start.add(i).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = i;
    }

    /// The bytes of memory that the array takes: none in a mapped file.
    pub(crate) fn own_bytes(&self) -> usize {
        match &self.owner {
            Owner::Shared(bytes) if !bytes.are_own() => 0,
            _ => size_of_val::<[T]>(self),
        }
    }
}

impl<T: Number> From<Vec<T>> for Array<T> {
    fn from(numbers: Vec<T>) -> Array<T> {
        let (start, length) = (numbers.as_ptr(), numbers.len());
        Array { start, length, owner: Owner::Vec(numbers) }
    }
}

impl<T: Number + PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Array<T>) -> bool {
        self[..] == other[..]
    }
}

impl<T: Number> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` and `length` are those of a slice of the owner, which lives as long as self and
        // never changes or moves its memory; and every bit pattern of T is valid.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

#[cfg(target_endian = "big")]
compile_error!(
    "an index file is little-endian and read in place: big-endian machines are not supported"
);
