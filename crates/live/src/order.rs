//! Columns by which lists are sorted.

use std::cmp::Ordering;

use crate::document::{GroupRow, ProcessRow};

/// A sort key. All but names and numbers sort downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Process ID, or name of a control group.
    Pid,
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Remote memory in bytes: the share times the memory. Processes whose memory moves come first.
    #[default]
    Remote,
    /// Remote share.
    Share,
    /// Threads, or tasks.
    Threads,
    /// Moving memory.
    Moving,
    /// Name.
    Name,
}

impl SortKey {
    /// All, in the order in which keys step through them.
    pub const ALL: [Self; 8] = [
        Self::Remote,
        Self::Share,
        Self::Memory,
        Self::Cpu,
        Self::Threads,
        Self::Moving,
        Self::Pid,
        Self::Name,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Remote => "remote",
            Self::Share => "share",
            Self::Threads => "threads",
            Self::Moving => "moving",
            Self::Name => "name",
        }
    }

    /// The key with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The head of its column, in both lists.
    pub(crate) fn heads(self) -> [&'static str; 2] {
        match self {
            Self::Pid => ["PID", "CONTROL GROUP"],
            Self::Cpu => ["CPU%"; 2],
            Self::Memory => ["MEMORY"; 2],
            Self::Remote | Self::Share => ["REMOTE"; 2],
            Self::Threads => ["THREADS ON", "TASKS"],
            Self::Moving => ["MOVES"; 2],
            Self::Name => ["COMMAND", "CONTROL GROUP"],
        }
    }

    /// Whether it sorts upwards.
    pub(crate) fn is_ascending(self) -> bool {
        matches!(self, Self::Pid | Self::Name)
    }

    /// The next or previous key.
    pub(crate) fn step(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|key| *key == self).unwrap_or_default();
        let by = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(at + by) % Self::ALL.len()]
    }

    /// The order of two processes; equal ones stand by memory, then by number.
    pub(crate) fn processes(self, one: &ProcessRow, other: &ProcessRow) -> Ordering {
        let figure = |row: &ProcessRow| -> f64 {
            let share = row.remote_share.map_or(-1.0, |share| share.value);
            match self {
                Self::Cpu => row.cpus.unwrap_or(-1.0),
                Self::Memory => row.memory_bytes.0 as f64,
                Self::Remote if row.moving.is_some() => f64::INFINITY,
                Self::Remote if share < 0.0 => share,
                Self::Remote => share * row.memory_bytes.0 as f64,
                Self::Share => share,
                Self::Threads => f64::from(row.threads.unwrap_or(0)),
                Self::Moving => row.moving.map_or(-1.0, |moving| moving.bytes_per_s),
                Self::Pid | Self::Name => 0.0,
            }
        };
        let by_name = match self {
            Self::Name => one.name.cmp(&other.name),
            Self::Pid => one.pid.cmp(&other.pid),
            _ => figure(other).total_cmp(&figure(one)),
        };
        by_name
            .then_with(|| other.memory_bytes.cmp(&one.memory_bytes))
            .then_with(|| one.pid.cmp(&other.pid))
    }

    /// The order of two control groups.
    pub(crate) fn groups(self, one: &GroupRow, other: &GroupRow) -> Ordering {
        let figure = |row: &GroupRow| -> f64 {
            let share = row.remote_share.unwrap_or(-1.0);
            match self {
                Self::Cpu => row.cpus.unwrap_or(-1.0),
                Self::Memory => row.memory_bytes.0 as f64,
                Self::Remote if share < 0.0 => share,
                Self::Remote => share * row.memory_bytes.0 as f64,
                Self::Share => share,
                Self::Threads => row.tasks.unwrap_or(0) as f64,
                Self::Moving => row.moving.map_or(-1.0, |moving| moving.bytes_per_s),
                Self::Pid | Self::Name => 0.0,
            }
        };
        let by_figure = figure(other).total_cmp(&figure(one));
        let by_memory = || match self {
            Self::Pid | Self::Name => Ordering::Equal,
            _ => other.memory_bytes.cmp(&one.memory_bytes),
        };
        by_figure.then_with(by_memory).then_with(|| one.name.cmp(&other.name))
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};

    use super::*;
    use crate::document::{Interval, MovingMemory};

    #[test]
    fn moving_processes_stand_first_and_those_without_a_share_last() {
        let row = |pid, mib, share: Option<f64>| ProcessRow {
            pid,
            name: String::new(),
            cpus: None,
            memory_bytes: Bytes::mib(mib),
            by_node: Vec::new(),
            threads: None,
            threads_by_node: Vec::new(),
            remote_share: share.map(|value| Interval { value, ci95: [value; 2] }),
            remote_cost: None,
            moving: None,
            sampled_pages: 0,
            sample_age_s: None,
            why: None,
            ..ProcessRow::default()
        };
        let mut rows =
            [row(1, 10, None), row(2, 20, None), row(3, 9, Some(0.0)), row(4, 1, Some(0.5))];
        rows[0].moving = Some(MovingMemory { from: NodeId(0), to: NodeId(1), bytes_per_s: 1e6 });
        rows.sort_by(|one, other| SortKey::Remote.processes(one, other));
        assert_eq!(rows.map(|row| row.pid), [1, 4, 3, 2]);
    }

    #[test]
    fn names_are_parsed_and_stepping_visits_all() {
        let mut key = SortKey::default();
        for _ in SortKey::ALL {
            assert_eq!(SortKey::parse(key.name()), Some(key));
            assert_eq!(key.step(true).step(false), key);
            key = key.step(true);
        }
        assert_eq!((key, SortKey::parse("nothing")), (SortKey::default(), None));
    }
}
