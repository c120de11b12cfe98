//! The one driver of a process, and how calls reach it.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::codes::{Answer, Code};
use crate::description::Api;
use crate::description_file::{DESCRIPTION_VARIABLE, named};
use crate::driver::{Driver, version_number};

/// Before the end of a wait, a thread polls the clock: sleeping is not this precise.
const POLLED: Duration = Duration::from_micros(100);

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);
static START: OnceLock<Instant> = OnceLock::new();

thread_local! {
    /// The GPU to which this thread's calls refer.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Initialises the driver by the description that the environment names.
pub(crate) fn init(api: Api) -> Answer<()> {
    let mut driver = lock();
    if driver.is_none() {
        let description = named(std::env::var_os(DESCRIPTION_VARIABLE)).map_err(|error| {
            eprintln!("nearfar-lab-gpu: {error}");
            Code::INIT_FAILED
        })?;
        if let Some(code) = description.faults.init {
            return Err(Code(code));
        }
        *driver = Some(Driver::new(description));
    }
    driver.as_ref().map_or(Err(Code::INIT_FAILED), |driver| driver.find_gpus(api))
}

/// The driver's version, which needs no initialisation.
pub(crate) fn version(api: Api) -> Answer<i32> {
    let description = named(std::env::var_os(DESCRIPTION_VARIABLE));
    description.map(|description| version_number(&description, api)).map_err(|_| Code::INIT_FAILED)
}

/// Calls the driver, once it is initialised.
pub(crate) fn call<T>(work: impl FnOnce(&mut Driver) -> Answer<T>) -> Answer<T> {
    let mut driver = lock();
    let driver = driver.as_mut().ok_or(Code::NOT_INITIALIZED)?;
    driver.catch_up(host_ns());
    work(driver)
}

/// Calls the driver for the current GPU.
pub(crate) fn call_current<T>(
    api: Api,
    work: impl FnOnce(&mut Driver, usize) -> Answer<T>,
) -> Answer<T> {
    call(|driver| {
        let gpu = match (CURRENT.get(), api) {
            (Some(gpu), _) => gpu,
            (None, Api::Cuda) => return Err(Code::INVALID_CONTEXT),
            (None, Api::Hip) => driver.gpu(0)?,
        };
        work(driver, gpu)
    })
}

/// Makes this thread's calls refer to a GPU, or to none.
pub(crate) fn set_current(gpu: Option<usize>) {
    CURRENT.set(gpu);
}

/// Waits until the work of these streams is done. They are asked for again after each wait: their
/// GPU may be lost.
pub(crate) fn wait(mut streams: impl FnMut(&mut Driver) -> Answer<Vec<usize>>) -> Answer<()> {
    loop {
        let awaited = call(|driver| {
            let streams = streams(driver)?;
            Ok(driver.begin_wait(&streams, host_ns()))
        })?;
        let Some((until, host_until)) = awaited else { return Ok(()) };
        sleep_until(host_until);
        // The wait ends before the driver catches up with a thread that woke up late.
        if let Some(driver) = lock().as_mut() {
            driver.end_wait(until, host_ns());
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Driver>> {
    DRIVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's clock: nanoseconds since it was first asked.
fn host_ns() -> f64 {
    START.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

fn sleep_until(end_ns: f64) {
    let left = Duration::from_nanos((end_ns - host_ns()).max(0.0) as u64);
    if left > POLLED {
        sleep(left - POLLED);
    }
    while host_ns() < end_ns {
        spin_loop();
    }
}
