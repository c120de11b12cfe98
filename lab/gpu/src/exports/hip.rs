//! Functions of HIP's current GPU, and its names of errors.

use std::ffi::{c_char, c_int, c_uint};

use crate::codes::{self, Code};
use crate::description::Api;
use crate::process::{call, call_current, set_current};

use super::{code_of, pointer};

#[unsafe(no_mangle)]
extern "C" fn hipSetDevice(device: c_int) -> c_int {
    let gpu = call(|driver| {
        let gpu = driver.gpu(device)?;
        driver.usable(gpu)?;
        Ok(gpu)
    });
    code_of(gpu.map(|gpu| set_current(Some(gpu))))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> c_int {
    code_of(call_current(Api::Hip, |driver, gpu| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        driver.enable_access(driver.ordinal(gpu)?, peer)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyPeerAsync(
    to: usize,
    to_device: c_int,
    from: usize,
    from_device: c_int,
    bytes: usize,
    stream: usize,
) -> c_int {
    code_of(call_current(Api::Hip, |driver, gpu| {
        driver.gpu(to_device)?;
        driver.gpu(from_device)?;
        driver.copy_peer(gpu, [to, from], bytes, stream)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetErrorName(code: c_int) -> *const c_char {
    pointer(codes::name(Api::Hip, code).or(Some(c"hipErrorUnknown")))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetErrorString(code: c_int) -> *const c_char {
    pointer(codes::text(Api::Hip, code).or(Some(c"unknown error")))
}
