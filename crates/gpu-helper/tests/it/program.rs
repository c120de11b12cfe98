//! `nearfar-gpu` as a file.

use std::path::Path;
use std::process::{Command, Output};

use nearfar_gpu_helper::{GpuHelper, HelperError, HelperOrigin};

use crate::from_memory::answer_of;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_nearfar-gpu");
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn started_by_hand_it_prints_what_it_is() {
    let output = run(&[]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    let line = text(&output.stderr);
    assert!(line.starts_with(&format!("nearfar-gpu: nearfar {VERSION} starts")), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn it_prints_version_and_help() {
    let version = run(&["--version"]);
    assert!(version.status.success());
    assert_eq!(text(&version.stdout), format!("nearfar-gpu {VERSION}\n"));
    let help = run(&["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("usage: nearfar-gpu"));
}

#[test]
fn a_caller_of_another_version_is_refused() {
    let output = run(&["--for", "9.8.7", "worker"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    let expected = format!(
        "nearfar-gpu: this nearfar-gpu is {VERSION}, and the nearfar that started it is 9.8.7: \
         install both from one release\n"
    );
    assert_eq!(text(&output.stderr), expected);
}

#[test]
fn a_bad_job_is_one_line() {
    let helper = GpuHelper::from_file(Path::new(PROGRAM)).unwrap();
    assert_eq!(helper.origin(), HelperOrigin::File(PROGRAM.into()));
    let (status, line) = answer_of(helper.command(&["worker"]), "{\"work\":{}}\n");
    assert_eq!(status, Some(1));
    assert!(line.starts_with("nearfar-gpu: the worker's input is not a job: "), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn a_file_that_does_not_exist_is_an_error() {
    let error = GpuHelper::from_file(Path::new("/nonexistent/nearfar-gpu")).unwrap_err();
    assert!(matches!(error, HelperError::Start { .. }), "{error:?}");
}
