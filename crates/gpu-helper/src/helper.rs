//! The program that does GPU work for this one.

use std::io::ErrorKind;
use std::path::{Path, absolute};
use std::process::Command;
use std::sync::Arc;

use nearfar_view::owned_files::TrustedPrograms;

use crate::candidates::{Candidate, SearchFacts};
use crate::error::HelperError;
use crate::memory_file::memory_file;
use crate::program::{HelperOrigin, Program};
use crate::trial::trial;

/// A program that can load a GPU driver's library: this one, or `nearfar-gpu`. It starts here, and
/// has this version.
///
/// Clones share the file in memory. Commands need it until they are started.
#[derive(Clone, Debug)]
pub struct GpuHelper {
    program: Program,
}

impl GpuHelper {
    /// Finds it, in the order that the [crate](crate) lists.
    ///
    /// # Errors
    /// Where none starts here. The error is that of the last candidate that exists, with a remedy.
    pub fn find() -> Result<Self, HelperError> {
        let facts = SearchFacts::from_this_process();
        let place = facts.best_place();
        first(&facts, |candidate| program_of(candidate, &place)).map(|program| Self { program })
    }

    /// The helper in this file.
    ///
    /// # Errors
    /// Where it does not start here, or has another version.
    pub fn from_file(path: &Path) -> Result<Self, HelperError> {
        in_file(path, path, true).map(|program| Self { program })
    }

    /// A helper of these bytes, which is started from memory.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file), and where the system refuses programs in memory.
    pub fn from_memory(bytes: &[u8]) -> Result<Self, HelperError> {
        let place = SearchFacts::from_this_process().best_place();
        in_memory(bytes, &place).map(|program| Self { program })
    }

    /// A command that starts it with these arguments, such as `["worker"]`. It counts GPUs in the
    /// order of their PCI addresses.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program.command();
        command.args(args).env("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        command
    }

    /// Where it comes from.
    pub fn origin(&self) -> HelperOrigin {
        self.program.origin()
    }
}

/// The first candidate that can do the work. `None` of `program_of` is a candidate that does not
/// exist.
fn first<T>(
    facts: &SearchFacts,
    mut program_of: impl FnMut(Candidate) -> Option<Result<T, HelperError>>,
) -> Result<T, HelperError> {
    let mut last = HelperError::Missing { place: facts.best_place() };
    for candidate in facts.candidates() {
        match program_of(candidate) {
            Some(Ok(program)) => return Ok(program),
            Some(Err(error)) => last = error,
            None => {}
        }
    }
    Err(last)
}

fn program_of(candidate: Candidate, place: &Path) -> Option<Result<Program, HelperError>> {
    let programs = TrustedPrograms::from_this_process();
    match candidate {
        Candidate::ThisProgram => Some(Ok(Program::This)),
        Candidate::Embedded(bytes) => Some(in_memory(bytes, place)),
        Candidate::Named(path) if is_missing(&path) => Some(Err(HelperError::NamedMissing(path))),
        Candidate::Near(path) if is_missing(&path) => None,
        Candidate::Named(path) => Some(in_file(&path, place, !programs.distrusts_environment())),
        Candidate::Near(path) => Some(in_file(&path, place, false)),
    }
}

fn in_memory(bytes: &[u8], place: &Path) -> Result<Program, HelperError> {
    let file =
        memory_file(bytes).map_err(|why| HelperError::Memory { why, place: place.to_owned() })?;
    let program = Program::Memory(Arc::new(file));
    trial(&program, place)?;
    Ok(program)
}

/// A command without a folder would be searched for in `PATH`. A file that the user did not choose,
/// or that would run as root, must be one that no other user can change.
fn in_file(path: &Path, place: &Path, is_chosen: bool) -> Result<Program, HelperError> {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    if !is_chosen {
        TrustedPrograms::from_this_process().check(&path).map_err(HelperError::Untrusted)?;
    }
    let program = Program::File(path);
    trial(&program, place)?;
    Ok(program)
}

/// A file that cannot be examined is tried, so that the reason is reported.
fn is_missing(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_file::MemoryRefusal;

    const STATIC: SearchFacts =
        SearchFacts { named: None, can_load: false, embedded: Some(b"helper"), executable: None };

    fn installed() -> SearchFacts {
        SearchFacts { executable: Some("/opt/bin/nearfar".into()), ..STATIC }
    }

    /// As a system that refuses programs in memory, and has these files.
    fn on_refusing_system(files: &[&str]) -> Result<Candidate, HelperError> {
        let place = installed().best_place();
        first(&installed(), |candidate| match &candidate {
            Candidate::Embedded(_) => {
                let place = place.clone();
                Some(Err(HelperError::Memory { why: MemoryRefusal::Forbidden, place }))
            }
            Candidate::Near(path) => {
                files.iter().any(|file| path == Path::new(file)).then_some(Ok(candidate))
            }
            _ => Some(Ok(candidate)),
        })
    }

    #[test]
    fn a_file_replaces_a_refused_program_in_memory() {
        let files = ["/opt/libexec/nearfar/nearfar-gpu"];
        let found = on_refusing_system(&files).unwrap();
        assert_eq!(found, Candidate::Near(files[0].into()));
    }

    #[test]
    fn a_refused_program_in_memory_is_an_error_with_both_remedies() {
        let error = on_refusing_system(&[]).unwrap_err().to_string();
        let version = crate::VERSION;
        assert_eq!(
            error,
            format!(
                "the embedded nearfar-gpu cannot start from memory (vm.memfd_noexec=2 forbids \
                 it): put the file nearfar-gpu {version} at /opt/bin/nearfar-gpu, or set \
                 vm.memfd_noexec to 1"
            )
        );
    }

    #[test]
    fn without_any_program_the_error_names_the_place() {
        let facts = SearchFacts { embedded: None, ..installed() };
        let found = first::<()>(&facts, |_| None);
        let error = found.unwrap_err().to_string();
        assert!(error.contains("put it at /opt/bin/nearfar-gpu"), "{error}");
    }

    #[test]
    fn a_named_file_that_does_not_exist_is_an_error() {
        let path = "/nonexistent/nearfar-gpu";
        let named = SearchFacts { named: Some(path.into()), can_load: true, ..installed() };
        let found = first(&named, |candidate| program_of(candidate, Path::new("here")));
        let error = found.unwrap_err();
        assert!(matches!(&error, HelperError::NamedMissing(named) if named == Path::new(path)));
        assert!(error.to_string().contains("NEARFAR_GPU_HELPER names /nonexistent"), "{error}");
    }

    /// A user who can write the folder of nearfar could put a program there.
    #[test]
    fn a_file_near_the_program_that_others_can_change_is_not_started() {
        use std::fs::{self, Permissions};
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let (file, mark) = (folder.path().join("nearfar-gpu"), folder.path().join("mark"));
        fs::write(&file, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        let started = |folder_mode, file_mode| {
            fs::set_permissions(&file, Permissions::from_mode(file_mode)).unwrap();
            fs::set_permissions(folder.path(), Permissions::from_mode(folder_mode)).unwrap();
            program_of(Candidate::Near(file.clone()), &file).unwrap().unwrap_err().to_string()
        };
        for (folder_mode, file_mode) in [(0o777, 0o755), (0o775, 0o755), (0o755, 0o775)] {
            let line = started(folder_mode, file_mode);
            assert!(line.starts_with("nearfar-gpu is not started: "), "{line}");
            assert!(!mark.exists(), "{folder_mode:o} {file_mode:o}");
        }
        let line = started(0o755, 0o755);
        assert!(line.contains("is not nearfar-gpu") && mark.exists(), "{line}");
    }

    #[test]
    fn a_dynamic_program_starts_itself() {
        let facts = SearchFacts { can_load: true, ..STATIC };
        let program = first(&facts, |candidate| program_of(candidate, Path::new(""))).unwrap();
        let command = GpuHelper { program }.command(&["worker"]);
        assert_eq!(command.get_program(), "/proc/self/exe");
        assert!(command.get_args().eq(["worker"]));
        let mut variables = command.get_envs();
        assert!(variables.any(|(name, value)| {
            name == "CUDA_DEVICE_ORDER" && value.is_some_and(|value| value == "PCI_BUS_ID")
        }));
    }
}
