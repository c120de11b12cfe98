//! Functions that both interfaces have, with the same arguments.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::codes::{Answer, Code};
use crate::copy_model::Direction;
use crate::description::Api;
use crate::driver::{CopyRequest, Driver};
use crate::process::{self, call, call_current};

use super::{code_of, write, write_text};

/// Exports a function under both vendors' names.
macro_rules! export {
    ($($cuda:ident / $hip:ident ($($argument:ident: $type:ty),*) = $function:ident;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $cuda($($argument: $type),*) -> c_int {
                // SAFETY: the program keeps to the function's manual.
                code_of(unsafe { self::$function(Api::Cuda, $($argument),*) })
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $hip($($argument: $type),*) -> c_int {
                // SAFETY: the program keeps to the function's manual.
                code_of(unsafe { self::$function(Api::Hip, $($argument),*) })
            }
        )*
    };
}

export! {
    cuInit / hipInit(flags: c_uint) = init;
    cuDriverGetVersion / hipRuntimeGetVersion(version: *mut c_int) = version;
    cuDeviceGetCount / hipGetDeviceCount(count: *mut c_int) = count;
    cuDeviceGet / hipDeviceGet(device: *mut c_int, ordinal: c_int) = device;
    cuDeviceGetName / hipDeviceGetName(name: *mut c_char, length: c_int, device: c_int) = name;
    cuDeviceTotalMem_v2 / hipDeviceTotalMem(bytes: *mut usize, device: c_int) = total_memory;
    cuDeviceGetPCIBusId / hipDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int)
        = address;
    cuDeviceGetAttribute / hipDeviceGetAttribute(
        value: *mut c_int, attribute: c_int, device: c_int
    ) = attribute;
    cuDeviceCanAccessPeer / hipDeviceCanAccessPeer(answer: *mut c_int, one: c_int, other: c_int)
        = can_access;
    cuMemAlloc_v2 / hipMalloc(address: *mut usize, bytes: usize) = allocate;
    cuMemFree_v2 / hipFree(address: usize) = free;
    cuMemHostRegister_v2 / hipHostRegister(address: *mut c_void, bytes: usize, flags: c_uint)
        = register;
    cuMemHostUnregister / hipHostUnregister(address: *mut c_void) = unregister;
    cuMemcpyHtoD_v2 / hipMemcpyHtoD(to: usize, from: *const c_void, bytes: usize) = to_device;
    cuMemcpyDtoH_v2 / hipMemcpyDtoH(to: *mut c_void, from: usize, bytes: usize) = from_device;
    cuMemcpyHtoDAsync_v2 / hipMemcpyHtoDAsync(
        to: usize, from: *const c_void, bytes: usize, stream: usize
    ) = to_device_async;
    cuMemcpyDtoHAsync_v2 / hipMemcpyDtoHAsync(
        to: *mut c_void, from: usize, bytes: usize, stream: usize
    ) = from_device_async;
    cuCtxSynchronize / hipDeviceSynchronize() = synchronize;
    cuStreamCreate / hipStreamCreateWithFlags(stream: *mut usize, flags: c_uint) = create_stream;
    cuStreamDestroy_v2 / hipStreamDestroy(stream: usize) = destroy_stream;
    cuStreamSynchronize / hipStreamSynchronize(stream: usize) = synchronize_stream;
    cuStreamWaitEvent / hipStreamWaitEvent(stream: usize, event: usize, flags: c_uint)
        = wait_event;
    cuEventCreate / hipEventCreateWithFlags(event: *mut usize, flags: c_uint) = create_event;
    cuEventDestroy_v2 / hipEventDestroy(event: usize) = destroy_event;
    cuEventRecord / hipEventRecord(event: usize, stream: usize) = record_event;
    cuEventElapsedTime / hipEventElapsedTime(ms: *mut f32, start: usize, end: usize) = elapsed;
}

unsafe fn init(api: Api, flags: c_uint) -> Answer<()> {
    if flags == 0 { process::init(api) } else { Err(Code::INVALID_VALUE) }
}

unsafe fn version(api: Api, version: *mut c_int) -> Answer<()> {
    // SAFETY: the program's pointer.
    unsafe { write(version, process::version(api)?) }
}

unsafe fn count(_api: Api, count: *mut c_int) -> Answer<()> {
    let number = call(|driver| c_int::try_from(driver.count()).map_err(|_| Code::INVALID_VALUE))?;
    // SAFETY: the program's pointer.
    unsafe { write(count, number) }
}

unsafe fn device(_api: Api, device: *mut c_int, ordinal: c_int) -> Answer<()> {
    call(|driver| driver.gpu(ordinal))?;
    // SAFETY: the program's pointer.
    unsafe { write(device, ordinal) }
}

unsafe fn name(_api: Api, name: *mut c_char, length: c_int, device: c_int) -> Answer<()> {
    let text = call(|driver| driver.describe(device).map(|gpu| gpu.name.clone()))?;
    // SAFETY: the program's pointer and length.
    unsafe { write_text(name, length, &text) }
}

unsafe fn total_memory(_api: Api, bytes: *mut usize, device: c_int) -> Answer<()> {
    let mib = call(|driver| driver.describe(device).map(|gpu| gpu.memory_mib))?;
    // SAFETY: the program's pointer.
    unsafe { write(bytes, (mib as usize) << 20) }
}

/// NVIDIA's driver writes letters of addresses large.
unsafe fn address(api: Api, text: *mut c_char, length: c_int, device: c_int) -> Answer<()> {
    let address = call(|driver| driver.describe(device).map(|gpu| gpu.address.clone()))?;
    let address = if api == Api::Cuda { address.to_ascii_uppercase() } else { address };
    // SAFETY: the program's pointer and length.
    unsafe { write_text(text, length, &address) }
}

unsafe fn attribute(api: Api, value: *mut c_int, attribute: c_int, device: c_int) -> Answer<()> {
    let claimed_node = call(|driver| driver.describe(device).map(|gpu| gpu.claimed_node))?;
    let host_node_attribute = match api {
        Api::Cuda => 134,
        Api::Hip => 92,
    };
    let known = claimed_node.filter(|_| attribute == host_node_attribute);
    // SAFETY: the program's pointer.
    unsafe { write(value, known.ok_or(Code::INVALID_VALUE)?) }
}

unsafe fn can_access(_api: Api, answer: *mut c_int, one: c_int, other: c_int) -> Answer<()> {
    let can_access = call(|driver| driver.can_access(one, other))?;
    // SAFETY: the program's pointer.
    unsafe { write(answer, c_int::from(can_access)) }
}

unsafe fn allocate(api: Api, address: *mut usize, bytes: usize) -> Answer<()> {
    let block = call_current(api, |driver, gpu| driver.allocate(gpu, bytes))?;
    // SAFETY: the program's pointer.
    unsafe { write(address, block) }
}

unsafe fn free(_api: Api, address: usize) -> Answer<()> {
    call(|driver| driver.free(address))
}

unsafe fn register(api: Api, address: *mut c_void, bytes: usize, _flags: c_uint) -> Answer<()> {
    call_current(api, |driver, gpu| driver.register(gpu, address.addr(), bytes))
}

unsafe fn unregister(_api: Api, address: *mut c_void) -> Answer<()> {
    call(|driver| driver.unregister(address.addr()))
}

unsafe fn to_device(api: Api, to: usize, from: *const c_void, bytes: usize) -> Answer<()> {
    // SAFETY: the program's memory.
    unsafe { to_device_async(api, to, from, bytes, 0) }?;
    call_current(api, |driver, gpu| driver.stream_number(gpu, 0))
        .and_then(|number| process::wait(|_| Ok(vec![number])))
}

unsafe fn from_device(api: Api, to: *mut c_void, from: usize, bytes: usize) -> Answer<()> {
    // SAFETY: the program's memory.
    unsafe { from_device_async(api, to, from, bytes, 0) }?;
    call_current(api, |driver, gpu| driver.stream_number(gpu, 0))
        .and_then(|number| process::wait(|_| Ok(vec![number])))
}

unsafe fn to_device_async(
    api: Api,
    to: usize,
    from: *const c_void,
    bytes: usize,
    stream: usize,
) -> Answer<()> {
    let direction = Direction::ToDevice;
    let request = CopyRequest { direction, device: to, host: from.addr(), bytes };
    // SAFETY: the program's memory.
    unsafe { copy(api, request, stream) }
}

unsafe fn from_device_async(
    api: Api,
    to: *mut c_void,
    from: usize,
    bytes: usize,
    stream: usize,
) -> Answer<()> {
    let direction = Direction::FromDevice;
    let request = CopyRequest { direction, device: from, host: to.addr(), bytes };
    // SAFETY: the program's memory.
    unsafe { copy(api, request, stream) }
}

/// Submits a copy, and waits for it if it is staged.
unsafe fn copy(api: Api, request: CopyRequest, stream: usize) -> Answer<()> {
    // SAFETY: the program's memory.
    let staged = call_current(api, |driver, gpu| unsafe { driver.copy(gpu, request, stream) })?;
    staged.map_or(Ok(()), |number| process::wait(|_| Ok(vec![number])))
}

unsafe fn synchronize(api: Api) -> Answer<()> {
    let gpu = call_current(api, |_, gpu| Ok(gpu))?;
    process::wait(|driver| driver.stream_numbers(gpu))
}

unsafe fn create_stream(api: Api, stream: *mut usize, _flags: c_uint) -> Answer<()> {
    let handle = call_current(api, Driver::create_stream)?;
    // SAFETY: the program's pointer.
    unsafe { write(stream, handle) }
}

unsafe fn destroy_stream(_api: Api, stream: usize) -> Answer<()> {
    call(|driver| driver.destroy_stream(stream))
}

unsafe fn synchronize_stream(api: Api, stream: usize) -> Answer<()> {
    let gpu = call_current(api, |_, gpu| Ok(gpu))?;
    process::wait(|driver| Ok(vec![driver.stream_number(gpu, stream)?]))
}

unsafe fn wait_event(api: Api, stream: usize, event: usize, _flags: c_uint) -> Answer<()> {
    call_current(api, |driver, gpu| driver.wait_for(gpu, stream, event))
}

unsafe fn create_event(api: Api, event: *mut usize, _flags: c_uint) -> Answer<()> {
    let handle = call_current(api, Driver::create_event)?;
    // SAFETY: the program's pointer.
    unsafe { write(event, handle) }
}

unsafe fn destroy_event(_api: Api, event: usize) -> Answer<()> {
    call(|driver| driver.destroy_event(event))
}

unsafe fn record_event(api: Api, event: usize, stream: usize) -> Answer<()> {
    call_current(api, |driver, gpu| driver.record(gpu, event, stream))
}

unsafe fn elapsed(_api: Api, ms: *mut f32, start: usize, end: usize) -> Answer<()> {
    let time = call(|driver| driver.elapsed_ms(start, end))?;
    // SAFETY: the program's pointer.
    unsafe { write(ms, time) }
}
