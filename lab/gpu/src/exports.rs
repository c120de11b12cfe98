//! The functions that the library exports, under both vendors' names.
//!
//! Arguments are those of `cuda.h` 12.9 and `hip_runtime_api.h` 5.2. CUDA's device pointers are
//! 64-bit numbers, HIP's are pointers, and handles are opaque pointers: all stand here as `usize`,
//! which is passed as they are.

#![allow(unsafe_code)]

mod cuda;
mod hip;
mod shared;

use std::ffi::{CStr, c_char, c_int};

use crate::codes::{Answer, Code};

/// An answer as a driver's function returns it.
fn code_of(answer: Answer<()>) -> c_int {
    match answer {
        Ok(()) => 0,
        Err(Code(code)) => code,
    }
}

/// Writes a result where the program wants it.
///
/// # Safety
///
/// The pointer is null, or writable.
unsafe fn write<T>(to: *mut T, value: T) -> Answer<()> {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller vouches for the pointer.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes a text with its final zero, as much of it as there is space.
///
/// # Safety
///
/// The pointer is null, or writable for `length` bytes.
unsafe fn write_text(to: *mut c_char, length: c_int, text: &str) -> Answer<()> {
    let space = usize::try_from(length).ok().and_then(|length| length.checked_sub(1));
    let space = space.filter(|_| !to.is_null()).ok_or(Code::INVALID_VALUE)?;
    let bytes = &text.as_bytes()[..text.len().min(space)];
    // SAFETY: the text and its zero have space; the caller vouches for the pointer.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast::<u8>(), bytes.len());
        to.add(bytes.len()).write(0);
    }
    Ok(())
}

/// A constant text as a pointer; null where there is none.
fn pointer(text: Option<&'static CStr>) -> *const c_char {
    text.map_or(std::ptr::null(), CStr::as_ptr)
}
