//! Counters of a process that show its progress.

use super::Process;

/// A counter of a process: what it read, wrote, or how often it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessCounter {
    /// Bytes read, from caches, too.
    ReadChars,
    /// Bytes written, into caches, too.
    WrittenChars,
    /// Calls that read.
    ReadCalls,
    /// Calls that write.
    WriteCalls,
    /// Bytes read from disks.
    ReadBytes,
    /// Bytes written to disks.
    WrittenBytes,
    /// Context switches of all threads.
    ContextSwitches,
}

impl ProcessCounter {
    /// All.
    pub const ALL: [Self; 7] = [
        Self::ReadChars,
        Self::WrittenChars,
        Self::ReadCalls,
        Self::WriteCalls,
        Self::ReadBytes,
        Self::WrittenBytes,
        Self::ContextSwitches,
    ];

    /// Its name: the kernel's in `/proc/PID/io`, or `context_switches`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadChars => "rchar",
            Self::WrittenChars => "wchar",
            Self::ReadCalls => "syscr",
            Self::WriteCalls => "syscw",
            Self::ReadBytes => "read_bytes",
            Self::WrittenBytes => "write_bytes",
            Self::ContextSwitches => "context_switches",
        }
    }

    /// A counter by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|counter| counter.name() == name)
    }
}

impl Process<'_> {
    /// A counter since the start of the process. `None` if it has ended, or belongs to another
    /// user.
    ///
    /// # References
    ///
    /// proc_pid_io(5), proc_pid_status(5)
    pub fn counter(&self, counter: ProcessCounter) -> Option<u64> {
        if counter != ProcessCounter::ContextSwitches {
            let text = self.source.text(&format!("/proc/{}/io", self.pid))?;
            return value(&text, counter.name());
        }
        let threads = self.thread_ids();
        let switches = threads.iter().filter_map(|thread| {
            let status = self.source.text(&format!("/proc/{}/task/{thread}/status", self.pid))?;
            let own = value(&status, "voluntary_ctxt_switches")?;
            Some(own + value(&status, "nonvoluntary_ctxt_switches")?)
        });
        (!threads.is_empty()).then(|| switches.sum())
    }
}

/// The number of a line `name: 12`.
fn value(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn counters_are_read() {
        let status = "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n";
        let source = Source::from_files([
            ("/proc/7/io", "rchar: 10\nwchar: 20\nsyscr: 1\nwrite_bytes: 4096\n"),
            ("/proc/7/task/7/status", status),
            ("/proc/7/task/8/status", status),
        ]);
        let process = Process::known(&source, 7);
        let of = |name: &str| process.counter(ProcessCounter::parse(name).unwrap());
        assert_eq!((of("wchar"), of("write_bytes")), (Some(20), Some(4096)));
        assert_eq!((of("context_switches"), of("syscw")), (Some(14), None));
        assert_eq!(Process::known(&source, 9).counter(ProcessCounter::ContextSwitches), None);
        assert_eq!(ProcessCounter::parse("cycles"), None);
    }
}
