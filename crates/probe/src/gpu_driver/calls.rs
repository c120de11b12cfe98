//! A loaded driver's functions, and what their codes mean.

#![allow(unsafe_code)]

use std::ffi::c_int;

use crate::gpu_driver::GpuApi;
use crate::gpu_driver::GpuError;
use crate::gpu_driver::functions::{
    EarlyFunctions, ErrorTexts, Function, OwnFunctions, SharedFunctions,
};
use crate::gpu_driver::library::Library;
use crate::gpu_driver::load_error::LoadFailure;

/// A driver that is loaded and initialised.
pub(crate) struct Calls {
    pub(crate) api: GpuApi,
    pub(crate) library: &'static str,
    pub(crate) version: c_int,
    pub(crate) shared: SharedFunctions,
    pub(crate) own: OwnFunctions,
    texts: ErrorTexts,
}

impl Calls {
    /// Loads a driver's library and initialises the driver.
    pub(crate) fn load(api: GpuApi, name: &'static str) -> Result<Self, LoadFailure> {
        let library = Library::load(name)?;
        let early = EarlyFunctions::of(&library, api);
        let number = early.as_ref().ok().and_then(version_number);
        let version = number.map(|number| api.version(number));
        let missing = |symbol| LoadFailure::MissingSymbol { symbol, version: version.clone() };
        early.map_err(missing)?;
        let texts = ErrorTexts::of(&library, api).map_err(missing)?;
        let own = OwnFunctions::of(&library, api).map_err(missing)?;
        let shared = SharedFunctions::of(&library, api).map_err(missing)?;
        let calls =
            Self { api, library: name, version: number.unwrap_or_default(), shared, own, texts };
        // SAFETY: initialisation may be repeated, and takes no flags.
        let code = unsafe { (calls.shared.init.call)(0) };
        calls.check(&calls.shared.init, code).map_err(LoadFailure::Init)?;
        Ok(calls)
    }

    /// The driver's error of a code that a function returned, if it is one.
    pub(crate) fn check<F>(&self, function: &Function<F>, code: c_int) -> Result<(), GpuError> {
        if code == 0 { Ok(()) } else { Err(self.error(function.name(), code)) }
    }

    fn error(&self, call: &'static str, code: c_int) -> GpuError {
        let [name, text] = self.texts.for_code(code);
        GpuError {
            call,
            code,
            name: name.unwrap_or_else(|| "unknown".to_owned()),
            text: text.unwrap_or_else(|| "an error that the driver does not describe".to_owned()),
        }
    }

    /// An error that the driver would have found, too, or not before it did harm.
    pub(crate) fn invalid_value<F>(&self, function: &Function<F>, text: String) -> GpuError {
        GpuError { text, ..self.error(function.name(), 1) }
    }
}

/// The driver's version, which is known before initialisation where the driver is not broken.
fn version_number(functions: &EarlyFunctions) -> Option<c_int> {
    let mut number = 0;
    // SAFETY: the number is written where the pointer points to.
    let code = unsafe { (functions.version.call)(&raw mut number) };
    (code == 0).then_some(number)
}
