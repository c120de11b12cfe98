//! `/proc/PID/stat`: name, parent, state, CPU time, and the last CPU of a thread.

use nearfar_model::CpuId;

/// State of a process or a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStat {
    /// Its name.
    pub name: String,
    /// Whether it is a zombie: it has no memory any more.
    pub has_ended: bool,
    /// ID of its parent process.
    pub parent: u32,
    /// CPU time it has used, in ticks of mostly 10 ms.
    pub ticks: u64,
    /// Start time in ticks since boot; `None` if the line is cut.
    pub started: Option<u64>,
    /// The current or last CPU; `None` if the line is cut.
    pub cpu: Option<CpuId>,
    /// Number of threads of its process; `None` if the line is cut.
    pub threads: Option<u32>,
    /// Size of its address space in bytes: 0 for kernel threads and zombies.
    pub address_space: Option<u64>,
    /// Resident base pages, without pages of pools of huge pages.
    pub resident_pages: Option<u64>,
}

impl TaskStat {
    /// Whether nothing of its process runs. The first thread may end before the others: it is a
    /// zombie then, and the process is not.
    pub fn is_dead(&self) -> bool {
        self.has_ended && self.threads.is_none_or(|threads| threads <= 1)
    }

    /// Parses the line `42 (a name) S 1 ...`; `None` if it is malformed. Names may have blanks and
    /// parentheses: the last parenthesis ends the name.
    ///
    /// # References
    ///
    /// proc_pid_stat(5)
    pub fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.trim().split_once(" (")?;
        let (name, fields) = rest.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // proc(5) counts fields from 1, and the state is the third.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            name: name.to_owned(),
            has_ended: ["Z", "X", "x"].contains(fields.first()?),
            parent: number(4).and_then(|pid| u32::try_from(pid).ok())?,
            ticks: number(14).unwrap_or(0).saturating_add(number(15).unwrap_or(0)),
            started: number(22),
            cpu: number(39)
                .and_then(|cpu| u32::try_from(cpu).ok())
                .filter(|&cpu| cpu <= nearfar_model::MAX_ID)
                .map(CpuId),
            threads: number(20).and_then(|threads| u32::try_from(threads).ok()),
            address_space: number(23),
            resident_pages: number(24),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_may_have_parentheses() {
        let line = "4242 (a) R (b) S 7 1 1 0 -1 64 5 6 0 0 30 12 0 0 20 0 3 0 900 51 47 18 1 1 0 \
                    0 0 0 0 4096 1256 0 0 0 17 5 0 0 0";
        let stat = TaskStat::parse(line).unwrap();
        assert_eq!((stat.name.as_str(), stat.has_ended, stat.parent), ("a) R (b", false, 7));
        assert_eq!((stat.ticks, stat.cpu, stat.threads), (42, Some(CpuId(5)), Some(3)));
        assert_eq!((stat.address_space, stat.resident_pages), (Some(51), Some(47)));
    }

    #[test]
    fn cut_line_keeps_its_first_fields() {
        let stat = TaskStat::parse("42 (a) Z 1 2").unwrap();
        assert_eq!((stat.has_ended, stat.cpu, stat.ticks), (true, None, 0));
        assert_eq!([None, None, None], ["", "42 (a", "42 (a) S"].map(TaskStat::parse));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "[0-9]{0,12} ?\\(?\\PC{0,10}\\)? [A-Z]? ([-0-9]{0,22} ){0,45}"
        ) {
            TaskStat::parse(&text);
        }
    }
}
