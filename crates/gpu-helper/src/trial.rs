//! Whether a helper starts here and has this version, before work depends on it.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Output, Stdio};

use crate::arguments;
use crate::error::HelperError;
use crate::memory_file::MemoryRefusal;
use crate::program::Program;

/// Starts the helper without a task: it checks its version and prints it. `place` is where a file
/// would help.
pub(crate) fn trial(program: &Program, place: &Path) -> Result<(), HelperError> {
    let output = program.command().stdin(Stdio::null()).output();
    match output {
        Ok(output) => judge(program, &output),
        Err(why) => Err(start_error(program, why, place)),
    }
}

fn judge(program: &Program, output: &Output) -> Result<(), HelperError> {
    let origin = program.origin();
    if !output.status.success() {
        let why = last_line(&output.stderr).unwrap_or_else(|| output.status.to_string());
        return Err(HelperError::Failed { origin, why });
    }
    if output.stdout != arguments::version_line().into_bytes() {
        return Err(HelperError::OtherProgram(origin));
    }
    Ok(())
}

/// The kernel reports a missing loader as a missing file, though the program is there.
fn start_error(program: &Program, why: io::Error, place: &Path) -> HelperError {
    let origin = program.origin();
    let is_there = match program {
        Program::File(path) => path.exists(),
        Program::This | Program::Memory(_) => true,
    };
    match program {
        _ if is_there && why.kind() == ErrorKind::NotFound => HelperError::NoLoader(origin),
        Program::Memory(_) => HelperError::Memory {
            why: MemoryRefusal::Failed(why.to_string()),
            place: place.to_owned(),
        },
        _ => HelperError::Start { origin, why },
    }
}

/// The last line of a program's errors.
fn last_line(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(last.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::memory_file::memory_file;

    /// The error of a file that is no helper.
    fn error_of(path: &str) -> HelperError {
        trial(&Program::File(path.into()), Path::new("/place")).unwrap_err()
    }

    #[test]
    fn another_program_is_not_taken_for_the_helper() {
        // It prints its arguments.
        let error = error_of("/bin/echo");
        assert!(matches!(error, HelperError::OtherProgram(_)), "{error:?}");
        assert_eq!(error.to_string(), "/bin/echo is not nearfar-gpu: it prints something else");
    }

    #[test]
    fn a_failing_program_has_its_last_line_in_the_error() {
        let error = error_of("/bin/false").to_string();
        assert_eq!(error, "/bin/false does not work: exit status: 1");
        let line = last_line(b"one\nother version \n\n");
        assert_eq!(line.as_deref(), Some("other version"));
        assert_eq!(last_line(b" \n"), None);
    }

    #[test]
    fn a_file_that_is_no_program_cannot_start() {
        let error = error_of("/etc/passwd");
        assert!(matches!(error, HelperError::Start { .. }), "{error:?}");
        let bytes = memory_file(b"no program").unwrap();
        let program = Program::Memory(Arc::new(bytes));
        let error = trial(&program, Path::new("/place")).unwrap_err();
        assert!(matches!(error, HelperError::Memory { .. }), "{error:?}");
        assert!(error.to_string().ends_with("at /place"), "{error}");
    }

    #[test]
    fn a_missing_loader_is_not_reported_as_a_missing_file() {
        let mut program = fs::read("/bin/true").unwrap();
        let at = program.windows(7).position(|bytes| bytes == b"/ld-lin").unwrap();
        program[at + 1..at + 7].copy_from_slice(b"absent");
        let program = Program::Memory(Arc::new(memory_file(&program).unwrap()));
        let error = trial(&program, Path::new("/place")).unwrap_err();
        assert!(matches!(error, HelperError::NoLoader(_)), "{error:?}");
        assert!(error.to_string().contains("needs glibc 2.17 or newer"), "{error}");
    }
}
