//! Functions of CUDA's contexts, and its names of errors.

use std::ffi::{c_char, c_int, c_uint};

use crate::codes::{self, Answer, Code};
use crate::description::Api;
use crate::process::{call, call_current, set_current};

use super::{code_of, pointer, write};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) -> c_int {
    let handle = call(|driver| driver.retain_context(device));
    // SAFETY: the program's pointer.
    code_of(handle.and_then(|handle| unsafe { write(context, handle) }))
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> c_int {
    code_of(call(|driver| driver.release_context(device)))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: usize) -> c_int {
    code_of(make_current(context))
}

fn make_current(context: usize) -> Answer<()> {
    if context == 0 {
        set_current(None);
        return Ok(());
    }
    set_current(Some(call(|driver| {
        let gpu = driver.gpu_of_context(context)?;
        driver.usable(gpu)?;
        Ok(gpu)
    })?));
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxEnablePeerAccess(peer: usize, flags: c_uint) -> c_int {
    code_of(call_current(Api::Cuda, |driver, gpu| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let peer = driver.gpu_of_context(peer)?;
        driver.enable_access(driver.ordinal(gpu)?, driver.ordinal(peer)?)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    to: usize,
    to_context: usize,
    from: usize,
    from_context: usize,
    bytes: usize,
    stream: usize,
) -> c_int {
    code_of(call_current(Api::Cuda, |driver, gpu| {
        driver.gpu_of_context(to_context)?;
        driver.gpu_of_context(from_context)?;
        driver.copy_peer(gpu, [to, from], bytes, stream)
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(code: c_int, text: *mut *const c_char) -> c_int {
    // SAFETY: the program's pointer.
    unsafe { write_constant(text, pointer(codes::name(Api::Cuda, code))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(code: c_int, text: *mut *const c_char) -> c_int {
    // SAFETY: the program's pointer.
    unsafe { write_constant(text, pointer(codes::text(Api::Cuda, code))) }
}

/// Writes a text's address; null with an error where there is no text.
unsafe fn write_constant(to: *mut *const c_char, text: *const c_char) -> c_int {
    // SAFETY: the program's pointer.
    let written = unsafe { write(to, text) };
    code_of(if text.is_null() { Err(Code::INVALID_VALUE) } else { written })
}
