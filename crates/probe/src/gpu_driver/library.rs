//! A shared library that is loaded while the program runs.
//!
//! # References
//!
//! [dlopen(3)](https://man7.org/linux/man-pages/man3/dlopen.3.html)

#![allow(unsafe_code)]

use crate::gpu_driver::load_error::LoadFailure;

/// Whether this program can load libraries: those of GPU drivers are made for glibc, and a static
/// program has no loader.
pub(crate) const CAN_LOAD: bool = !cfg!(any(target_env = "musl", target_feature = "crt-static"));

/// A loaded library. It is never unloaded: drivers start threads that run on.
pub(crate) struct Library {
    #[cfg(not(any(target_env = "musl", target_feature = "crt-static")))]
    handle: std::ptr::NonNull<libc::c_void>,
}

#[cfg(not(any(target_env = "musl", target_feature = "crt-static")))]
impl Library {
    /// Loads a library by the name under which the loader searches it.
    pub(crate) fn load(name: &str) -> Result<Self, LoadFailure> {
        let c_name = std::ffi::CString::new(name).map_err(|_| LoadFailure::NotFound)?;
        // SAFETY: the name is a C string. Constructors of the library run; drivers' are made to be
        // loaded by programs that do not know them.
        let handle = unsafe { libc::dlopen(c_name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        std::ptr::NonNull::new(handle)
            .map(|handle| Self { handle })
            .ok_or_else(|| LoadFailure::from_loader(name, &last_error()))
    }

    /// The function of this name.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to that function.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut libc::c_void>()) };
        let c_symbol = std::ffi::CString::new(symbol).ok()?;
        // SAFETY: the library is loaded, and stays so; the symbol is a C string.
        let address = unsafe { libc::dlsym(self.handle.as_ptr(), c_symbol.as_ptr()) };
        // SAFETY: a pointer to a function has a pointer's size, and the caller knows its type.
        (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
    }
}

#[cfg(any(target_env = "musl", target_feature = "crt-static"))]
impl Library {
    /// Fails: this program cannot load libraries.
    pub(crate) fn load(name: &str) -> Result<Self, LoadFailure> {
        Err(LoadFailure::from_loader(name, "a static program has no loader"))
    }

    /// No function, as there is no library.
    ///
    /// # Safety
    ///
    /// None is needed.
    pub(crate) unsafe fn function<F: Copy>(&self, _symbol: &str) -> Option<F> {
        None
    }
}

/// The loader's sentence about what failed last in this thread.
#[cfg(not(any(target_env = "musl", target_feature = "crt-static")))]
fn last_error() -> String {
    // SAFETY: dlerror returns null, or a C string that is this thread's until its next call.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            return "unknown error of the loader".to_owned();
        }
        std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}
