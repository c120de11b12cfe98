//! What a worker process does: the same in `nearfar` and in `nearfar-gpu`.

use std::ffi::OsString;
use std::io;

use nearfar_probe::ProbeError;
use nearfar_probe::gpu::{GpuApi, write_inventory};

/// The task that the arguments of a worker process name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerTask {
    /// `worker`: measures one batch. A job on standard input, results on standard output.
    MeasureBatch,
    /// `worker gpus`, `worker gpus cuda`: lists the GPUs of a driver as a line of JSON.
    ListGpus(Option<GpuApi>),
}

impl WorkerTask {
    /// The task of these arguments, without the program's name. `None` if they start no worker.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Option<Self> {
        // None has more words, and other commands have any number.
        let args: Vec<_> = args.take(4).collect();
        let words: Vec<_> = args.iter().map(|arg| arg.to_str()).collect();
        match words[..] {
            [Some("worker")] => Some(Self::MeasureBatch),
            [Some("worker"), Some("gpus")] => Some(Self::ListGpus(None)),
            [Some("worker"), Some("gpus"), Some(api)] => {
                let mut apis = GpuApi::ALL.into_iter();
                let api = apis.find(|known| known.name().eq_ignore_ascii_case(api))?;
                Some(Self::ListGpus(Some(api)))
            }
            _ => None,
        }
    }

    /// Does it, in a process that does nothing else.
    ///
    /// # Errors
    /// Where the input is no job, or the output cannot be written. A list of GPUs has its errors in
    /// it.
    pub fn run(self) -> Result<(), ProbeError> {
        nearfar_probe::become_worker();
        match self {
            Self::MeasureBatch => nearfar_probe::serve(io::stdin().lock(), io::stdout()),
            Self::ListGpus(api) => write_inventory(api, io::stdout()).map_err(ProbeError::Output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Option<WorkerTask> {
        WorkerTask::parse(args.iter().map(OsString::from))
    }

    #[test]
    fn only_workers_have_tasks() {
        assert_eq!(parse(&["worker"]), Some(WorkerTask::MeasureBatch));
        assert_eq!(parse(&["worker", "gpus"]), Some(WorkerTask::ListGpus(None)));
        for api in GpuApi::ALL {
            let name = api.name().to_lowercase();
            assert_eq!(parse(&["worker", "gpus", &name]), Some(WorkerTask::ListGpus(Some(api))));
        }
        let others: [&[&str]; 5] = [
            &[],
            &["survey"],
            &["worker", "--help"],
            &["worker", "gpus", "opencl"],
            &["worker", "gpus", "cuda", "hip"],
        ];
        for args in others {
            assert_eq!(parse(args), None, "{args:?}");
        }
    }
}
