//! `nearfar worker`: a worker process of a survey. Internal, so it has no help, man page or
//! completion.

use std::ffi::OsString;

use nearfar_gpu_helper::WorkerTask;

/// Does the task of a worker process; `None` if these arguments start no worker.
pub(crate) fn done(args: impl Iterator<Item = OsString>) -> Option<anyhow::Result<()>> {
    let task = WorkerTask::parse(args.skip(1))?;
    Some(task.run().map_err(Into::into))
}
