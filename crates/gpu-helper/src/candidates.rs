//! The programs that may do GPU work, in the order in which they are tried.

use std::env;
use std::env::consts::ARCH;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::embedded::EMBEDDED;

/// The environment variable that names the helper's file.
pub const HELPER_VARIABLE: &str = "NEARFAR_GPU_HELPER";

/// What decides about the candidates.
#[derive(Debug)]
pub(crate) struct SearchFacts {
    /// The value of [`HELPER_VARIABLE`].
    pub(crate) named: Option<OsString>,
    /// Whether this program can load a driver's library.
    pub(crate) can_load: bool,
    pub(crate) embedded: Option<&'static [u8]>,
    /// The file of this program, if its path is known.
    pub(crate) executable: Option<PathBuf>,
}

/// A program that may do GPU work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// The file of [`HELPER_VARIABLE`].
    Named(PathBuf),
    ThisProgram,
    Embedded(&'static [u8]),
    /// A file that need not exist.
    Near(PathBuf),
}

impl SearchFacts {
    /// Those of this process.
    pub(crate) fn from_this_process() -> Self {
        Self {
            named: env::var_os(HELPER_VARIABLE),
            // Drivers' libraries need glibc.
            can_load: cfg!(not(any(target_env = "musl", target_feature = "crt-static"))),
            embedded: EMBEDDED,
            executable: env::current_exe().ok(),
        }
    }

    /// The candidates in their order. Where the user names a file, or this program can do it, there
    /// is no other.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        if let Some(named) = self.named.as_ref().filter(|named| !named.is_empty()) {
            return vec![Candidate::Named(PathBuf::from(named))];
        }
        if self.can_load {
            return vec![Candidate::ThisProgram];
        }
        let embedded = self.embedded.map(Candidate::Embedded);
        embedded.into_iter().chain(self.near().into_iter().map(Candidate::Near)).collect()
    }

    /// Where a helper's file should be.
    pub(crate) fn best_place(&self) -> PathBuf {
        self.near().into_iter().next().unwrap_or_else(|| PathBuf::from("nearfar-gpu"))
    }

    /// The files near this program: beside it, also by the name that `./dev dist` gives it, and
    /// where packages keep programs that users do not start.
    fn near(&self) -> Vec<PathBuf> {
        let Some(folder) = self.executable.as_deref().and_then(Path::parent) else {
            return Vec::new();
        };
        let mut files =
            vec![folder.join("nearfar-gpu"), folder.join(format!("nearfar-gpu-{ARCH}"))];
        if let Some(prefix) = folder.parent() {
            files
                .extend(["lib", "libexec"].map(|lib| prefix.join(lib).join("nearfar/nearfar-gpu")));
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed() -> SearchFacts {
        SearchFacts {
            named: None,
            can_load: false,
            embedded: None,
            executable: Some("/usr/bin/nearfar".into()),
        }
    }

    fn near() -> Vec<Candidate> {
        let by_arch = format!("/usr/bin/nearfar-gpu-{ARCH}");
        let paths = [
            "/usr/bin/nearfar-gpu",
            &by_arch,
            "/usr/lib/nearfar/nearfar-gpu",
            "/usr/libexec/nearfar/nearfar-gpu",
        ];
        paths.map(|path| Candidate::Near(path.into())).into()
    }

    #[test]
    fn a_named_file_is_the_only_candidate() {
        let all = SearchFacts { can_load: true, embedded: Some(b"x"), ..installed() };
        let named = SearchFacts { named: Some("/opt/helper".into()), ..all };
        assert_eq!(named.candidates(), [Candidate::Named("/opt/helper".into())]);
        let empty = SearchFacts { named: Some("".into()), ..installed() };
        assert_eq!(empty.candidates(), near());
    }

    #[test]
    fn a_dynamic_program_needs_no_other() {
        let dynamic = SearchFacts { can_load: true, embedded: Some(b"x"), ..installed() };
        assert_eq!(dynamic.candidates(), [Candidate::ThisProgram]);
    }

    #[test]
    fn the_embedded_copy_comes_before_files() {
        let embedded = SearchFacts { embedded: Some(b"x"), ..installed() };
        let expected = [vec![Candidate::Embedded(b"x")], near()].concat();
        assert_eq!(embedded.candidates(), expected);
    }

    #[test]
    fn a_program_without_a_path_has_no_files_near_it() {
        let lost = SearchFacts { executable: None, ..installed() };
        assert_eq!(lost.candidates(), []);
        assert_eq!(lost.best_place(), Path::new("nearfar-gpu"));
        let root = SearchFacts { executable: Some("/nearfar".into()), ..installed() };
        assert_eq!(root.best_place(), Path::new("/nearfar-gpu"));
        assert_eq!(root.candidates().len(), 2);
    }
}
