//! Why no driver could be loaded: absent, unloadable, too old and failing differ.

use std::fmt;

use thiserror::Error;

use crate::gpu_driver::GpuApi;
use crate::gpu_driver::GpuError;

/// Why there is no driver to measure with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A statically linked program loads no libraries.
    #[error("this program is linked statically, and cannot load a GPU driver's library")]
    StaticProgram,
    /// No library could be used.
    #[error("no GPU driver: {}", summary(attempts))]
    NoDriver {
        /// Each library that was tried, in order.
        attempts: Vec<LoadAttempt>,
    },
}

impl LoadError {
    /// Whether no driver is installed, as far as the loader knows.
    pub fn is_absent(&self) -> bool {
        match self {
            Self::StaticProgram => false,
            Self::NoDriver { attempts } => {
                attempts.iter().all(|attempt| attempt.failure == LoadFailure::NotFound)
            }
        }
    }
}

/// A library that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadAttempt {
    /// Whose functions were expected in it.
    pub api: GpuApi,
    /// Its name, as given to the loader.
    pub library: &'static str,
    /// Why it is no use.
    pub failure: LoadFailure,
}

/// What went wrong with a library.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadFailure {
    /// The loader finds no such file.
    #[error("not found")]
    NotFound,
    /// There is a file, and the loader refuses it or a library that it needs.
    #[error("cannot be loaded: {0}")]
    NotLoadable(String),
    /// The driver is older than a function that is needed.
    #[error("too old: {} lacks {symbol}", version.as_deref().unwrap_or("it"))]
    MissingSymbol {
        /// The function, as the library would export it.
        symbol: &'static str,
        /// The driver's version, if it has one to report.
        version: Option<String>,
    },
    /// The driver's initialisation failed: no GPU, no permission, other kernel module.
    #[error(transparent)]
    Init(GpuError),
}

impl LoadFailure {
    /// What the loader's sentence means. A file that is missing is another one where the library
    /// needs it.
    pub(crate) fn from_loader(library: &str, sentence: &str) -> Self {
        let own = sentence.strip_prefix(library).and_then(|rest| rest.strip_prefix(": "));
        match own {
            Some(rest) if rest.contains("No such file or directory") => Self::NotFound,
            _ => Self::NotLoadable(sentence.to_owned()),
        }
    }
}

impl fmt::Display for LoadAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.library, self.failure)
    }
}

/// What went wrong with libraries that exist; the names, where none exists.
fn summary(attempts: &[LoadAttempt]) -> String {
    let failures: Vec<_> = attempts
        .iter()
        .filter(|attempt| attempt.failure != LoadFailure::NotFound)
        .map(LoadAttempt::to_string)
        .collect();
    if failures.is_empty() {
        let names: Vec<_> = attempts.iter().map(|attempt| attempt.library).collect();
        return format!("not installed: {}", names.join(", "));
    }
    failures.join("; ")
}

#[cfg(test)]
mod tests {
    use super::{LoadAttempt, LoadError, LoadFailure};
    use crate::gpu_driver::GpuApi;

    #[test]
    fn line_has_what_exists_or_what_was_searched() {
        let attempt = |library, failure| LoadAttempt { api: GpuApi::Hip, library, failure };
        let absent = || attempt("libamdhip64.so.6", LoadFailure::NotFound);
        let nothing = LoadError::NoDriver { attempts: vec![absent(), absent()] };
        let line = "no GPU driver: not installed: libamdhip64.so.6, libamdhip64.so.6";
        assert_eq!((nothing.to_string().as_str(), nothing.is_absent()), (line, true));
        let old = LoadFailure::MissingSymbol { symbol: "hipInit", version: Some("4.1".to_owned()) };
        let old = attempt("libamdhip64.so", old);
        let too_old = LoadError::NoDriver { attempts: vec![absent(), old] };
        let line = "no GPU driver: libamdhip64.so: too old: 4.1 lacks hipInit";
        assert_eq!((too_old.to_string().as_str(), too_old.is_absent()), (line, false));
    }

    #[test]
    fn missing_library_differs_from_missing_dependency() {
        let not_found = "libcuda.so.1: cannot open shared object file: No such file or directory";
        assert_eq!(LoadFailure::from_loader("libcuda.so.1", not_found), LoadFailure::NotFound);
        let dependency = "libhsa-runtime64.so.1: cannot open shared object file: No such file or \
                          directory";
        let no_permission = "libcuda.so.1: cannot open shared object file: Permission denied";
        let short = "/tmp/libcuda.so.1: file too short";
        for sentence in [dependency, no_permission, short] {
            let failure = LoadFailure::from_loader("libcuda.so.1", sentence);
            assert_eq!(failure, LoadFailure::NotLoadable(sentence.to_owned()));
        }
    }
}
