//! The CPUs and CPU times of a process's threads; of processes with many threads, a part of them.

use nearfar_machine::Process;
use nearfar_model::CpuId;

/// Threads that are read at most. Of more, every n-th is.
pub const MAX_THREADS: usize = 256;

/// A thread at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadReading {
    /// Its number.
    pub tid: u32,
    /// The CPU it runs on, or ran on last.
    pub cpu: Option<CpuId>,
    /// Its CPU time in clock ticks, mostly 10 ms each.
    pub ticks: u64,
}

/// The threads, in ascending order, and how many there are in all. Threads that end meanwhile are
/// absent.
pub fn sample_threads(process: &Process<'_>) -> (Vec<ThreadReading>, usize) {
    let all = process.thread_ids();
    let step = all.len().div_ceil(MAX_THREADS).max(1);
    let one = |&tid: &u32| {
        let stat = process.thread_stat(tid)?;
        Some(ThreadReading { tid, cpu: stat.cpu, ticks: stat.ticks })
    };
    (all.iter().step_by(step).filter_map(one).collect(), all.len())
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    #[test]
    fn many_threads_are_read_in_part() {
        let stat = |tid: u32| format!("{tid} (t) S 1 1 1 0 -1 0 0 0 0 0 {tid} 0 0 0 20 0 1");
        let files = (1..=1000).map(|tid| (format!("/proc/1/task/{tid}/stat"), stat(tid)));
        let source = Source::from_files(files);
        let (read, all) = sample_threads(&Process::known(&source, 1));
        assert_eq!((read.len(), all), (250, 1000));
        assert_eq!(read[1], ThreadReading { tid: 5, cpu: None, ticks: 5 });
    }

    #[test]
    fn an_ended_process_has_no_threads() {
        let source = Source::from_files([("/proc/2/stat", "")]);
        assert_eq!(sample_threads(&Process::known(&source, 1)), (Vec::new(), 0));
    }
}
