//! `nearfar-gpu` started from memory, as an embedded copy is.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use nearfar_gpu_helper::{GpuHelper, HelperOrigin};
use nearfar_probe::gpu::{InventoryError, read_inventory};

use crate::killed::TIMEOUT;
use crate::program::PROGRAM;

/// Exit status and errors of a worker with this job.
pub(crate) fn answer_of(mut command: Command, job: &str) -> (Option<i32>, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    let mut line = String::new();
    child.stderr.take().unwrap().read_to_string(&mut line).unwrap();
    (child.wait().unwrap().code(), line)
}

#[test]
fn it_starts_as_often_as_needed() {
    let helper = GpuHelper::from_memory(&fs::read(PROGRAM).unwrap()).unwrap();
    assert_eq!(helper.origin(), HelperOrigin::Embedded);
    let clone = helper.clone();
    drop(helper);
    for _ in 0..2 {
        let (status, line) = answer_of(clone.command(&["worker"]), "no job\n");
        assert_eq!(status, Some(1));
        assert!(line.starts_with("nearfar-gpu: the worker's input is not a job: "), "{line}");
    }
}

#[test]
fn another_program_in_memory_is_refused() {
    let helper = GpuHelper::from_memory(&fs::read("/bin/true").unwrap());
    let error = helper.unwrap_err().to_string();
    assert_eq!(error, "the embedded nearfar-gpu is not nearfar-gpu: it prints something else");
}

/// Without a driver the list is an error, which is one line of JSON as well.
#[test]
fn it_lists_gpus() {
    let helper = GpuHelper::from_memory(&fs::read(PROGRAM).unwrap()).unwrap();
    let listed = read_inventory(helper.command(&["worker", "gpus"]), TIMEOUT, &mut || true);
    assert!(matches!(listed, Ok(_) | Err(InventoryError::Driver(_))), "{listed:?}");
}
