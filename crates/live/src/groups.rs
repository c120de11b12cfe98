//! Rows of control groups.

use std::collections::BTreeMap;

use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{GroupMemory, MemoryGroup};
use nearfar_model::Bytes;

use crate::document::{GroupRow, GroupWhy, NodeBytes};
use crate::motion::Holding;
use crate::view::View;

/// The control groups of a machine, with the last two readings of each.
#[derive(Debug, Default)]
pub struct GroupTable {
    nodes: NodeSummaries,
    groups: BTreeMap<MemoryGroup, Readings>,
}

/// A reading and the one before, with their seconds.
#[derive(Debug, Default)]
struct Readings {
    before: Option<(f64, GroupMemory)>,
    now: Option<(f64, GroupMemory)>,
}

impl GroupTable {
    /// A table without groups.
    pub fn new(nodes: NodeSummaries) -> Self {
        Self { nodes, groups: BTreeMap::new() }
    }

    /// Takes the list of all groups: those that are missing have vanished.
    pub fn listed(&mut self, groups: Vec<MemoryGroup>) {
        let mut known = std::mem::take(&mut self.groups);
        let kept = |group: MemoryGroup| {
            let readings = known.remove(&group).unwrap_or_default();
            (group, readings)
        };
        self.groups = groups.into_iter().map(kept).collect();
    }

    /// Takes a reading of a group; `None`: it has vanished.
    pub fn read(&mut self, group: &MemoryGroup, memory: Option<GroupMemory>, at_s: f64) {
        match memory {
            None => {
                self.groups.remove(group);
            }
            Some(memory) => {
                let Some(readings) = self.groups.get_mut(group) else { return };
                readings.before = readings.now.replace((at_s, memory));
            }
        }
    }

    /// The groups to read: those never read, those on the screen, and `most` of the others, the
    /// oldest readings first.
    pub fn plan(&self, shown: &[GroupRow], most: usize) -> Vec<MemoryGroup> {
        let is_first = |group: &MemoryGroup, readings: &Readings| {
            readings.now.is_none() || shown.iter().any(|row| row.name == group.name)
        };
        let (first, mut rest): (Vec<_>, Vec<_>) =
            self.groups.iter().partition(|(group, readings)| is_first(group, readings));
        let read_at = |readings: &Readings| readings.now.as_ref().map_or(0.0, |(at, _)| *at);
        rest.sort_by(|(_, one), (_, other)| read_at(one).total_cmp(&read_at(other)));
        first
            .into_iter()
            .chain(rest.into_iter().take(most))
            .map(|(group, _)| group.clone())
            .collect()
    }

    /// Rows that pass the view's filter, in its order.
    pub fn rows(&self, view: &View) -> Vec<GroupRow> {
        let all = self.groups.iter().filter(|(group, _)| view.shows(&group.name));
        let mut rows: Vec<GroupRow> =
            all.filter_map(|(group, readings)| self.row(&group.name, readings)).collect();
        view.sort_groups(&mut rows);
        rows
    }

    fn row(&self, name: &str, readings: &Readings) -> Option<GroupRow> {
        let (at, memory) = readings.now.as_ref()?;
        let total: Bytes = memory.by_node.iter().map(|(_, bytes)| *bytes).sum();
        let before = readings.before.as_ref().filter(|(then, _)| at > then);
        let cpus = before.and_then(|(then, before)| {
            Some(memory.cpu_us?.saturating_sub(before.cpu_us?) as f64 / 1e6 / (at - then))
        });
        let moving = before.and_then(|(then, before)| {
            let (now, then_held) =
                (Holding::exact(&memory.by_node), Holding::exact(&before.by_node));
            now.moving_since(&then_held, at - then)
        });
        let remote = self.remote(memory, total);
        Some(GroupRow {
            name: name.to_owned(),
            cpus,
            memory_bytes: total,
            anonymous_bytes: memory.anonymous,
            file_bytes: memory.file,
            by_node: memory
                .by_node
                .iter()
                .filter(|(_, bytes)| bytes.0 > 0)
                .map(|&(node, bytes)| NodeBytes { node, bytes })
                .collect(),
            tasks: memory.tasks,
            remote_share: remote.ok(),
            moving,
            memory_wait_some: memory.pressure.map(|pressure| pressure.some),
            why: remote.err(),
        })
    }

    /// The share of memory on other nodes than the one with the group's CPUs.
    fn remote(&self, memory: &GroupMemory, total: Bytes) -> Result<f64, GroupWhy> {
        let cpus = memory.cpus.as_ref().ok_or(GroupWhy::CpusUnknown)?;
        let nodes = self.nodes.nodes_of(cpus);
        let node = nodes.first().filter(|_| nodes.len() == 1).ok_or(GroupWhy::SeveralNodes)?;
        if total.0 == 0 {
            return Err(GroupWhy::NoMemory);
        }
        let local = memory.by_node.iter().find(|(known, _)| *known == node);
        Ok(1.0 - local.map_or(0.0, |(_, bytes)| bytes.0 as f64 / total.0 as f64))
    }
}

#[cfg(test)]
mod tests;
