//! The rows and columns of a survey, from the topology that the machine reports.
//!
//! A row is a *CPU group*: the CPUs of one node that share their last-level cache. A column is a
//! memory node. If there is only one, it is split: a machine with one group has its cores as rows,
//! a machine with one node has sets of pages as columns. Each row's own memory gets a second set of
//! pages, the A/A control.

mod columns;
mod rows;
#[cfg(test)]
mod tests;

use nearfar_machine::Topology;
use nearfar_model::{CellIndex, CpuId, CpuSet, Id, IdSet, NodeId, NodeSet, PlaceLabel};
use serde::{Deserialize, Serialize};

use crate::latency::LatencySetup;
use crate::layout_column::LayoutColumn;
use crate::layout_error::LayoutError;
use crate::{PageSize, ProbeKind, ProbeSpec};
use rows::node_of;

/// The kind of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// CPU groups; cores where there is only one group.
    #[default]
    Auto,
    /// The CPUs of one core.
    Core,
    /// The CPUs of one node that share their last-level cache.
    Group,
    /// The CPUs of one node.
    Node,
}

impl RowKind {
    /// Its name in options and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Core => "core",
            Self::Group => "group",
            Self::Node => "node",
        }
    }
}

/// The user's selection of rows, CPUs and nodes.
#[derive(Clone, Debug, Default)]
pub struct LayoutRequest {
    /// What a row is.
    pub rows: RowKind,
    /// Only these CPUs; `None`: all that may be used.
    pub cpus: Option<CpuSet>,
    /// Only these nodes' memory; `None`: all that may be used.
    pub nodes: Option<NodeSet>,
}

/// CPUs that access memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutRow {
    /// Its name.
    pub label: String,
    /// The node of its CPUs; `None` if they belong to several, or the kernel has no nodes.
    pub node: Option<NodeId>,
    /// Its CPUs.
    pub cpus: CpuSet,
    /// The CPUs that may be drawn to measure on, without those of spinners.
    pub candidates: CpuSet,
}

impl LayoutRow {
    /// A row whose CPUs are all candidates.
    pub fn new(label: String, node: Option<NodeId>, cpus: CpuSet) -> Self {
        Self { label, node, candidates: cpus.clone(), cpus }
    }
}

/// An A/A pair: a row accesses `column`, and `again`, another set of pages on the same node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlPair {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the second set: beyond the layout's own columns.
    pub again: usize,
}

/// Rows, columns, controls and spinners of a survey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The rows.
    pub rows: Vec<LayoutRow>,
    /// The columns.
    pub columns: Vec<LayoutColumn>,
    /// Further columns, for controls only; numbered after the columns.
    pub control_columns: Vec<LayoutColumn>,
    /// The A/A pairs.
    pub controls: Vec<ControlPair>,
    /// CPUs that spin so that their package's uncore clocks stay up.
    pub spinners: CpuSet,
}

impl Layout {
    /// Lays out a survey of this machine.
    pub fn new(
        topology: &Topology,
        wanted: &LayoutRequest,
        probe: &ProbeSpec,
    ) -> Result<Self, LayoutError> {
        let cpus = usable_cpus(topology, wanted)?;
        let nodes = usable_nodes(topology, wanted)?;
        let mut rows = rows::rows(topology, &cpus, wanted.rows);
        let spinners = rows::spare_spinners(topology, &mut rows);
        let mut columns: Vec<LayoutColumn> = if nodes.is_empty() {
            vec![columns::column_without_nodes(topology, &cpus, probe)]
        } else {
            nodes.iter().map(|node| columns::column(topology, node, &cpus, probe)).collect()
        };
        if columns.len() == 1 && probe.kind == ProbeKind::Page {
            columns = columns::split_into_sets(&columns[0]);
        }
        let mut layout = Self { rows, columns, spinners, ..Self::default() };
        layout.add_controls(probe);
        Ok(layout)
    }

    /// One row and two columns that compare 2 MiB pages with base pages: the first row, and memory
    /// of its own node.
    pub fn page_sizes(&self) -> Option<Self> {
        let row = self.rows.first()?.clone();
        let own = &self.columns[self.own_column(0)?];
        let column = |label: &str, pages| LayoutColumn {
            label: label.to_owned(),
            probe: ProbeSpec::chase(pages),
            pages: 1,
            ..own.clone()
        };
        Some(Self {
            rows: vec![row],
            columns: vec![
                column("huge pages", PageSize::Huge),
                column("base pages", PageSize::Base),
            ],
            spinners: self.spinners.clone(),
            ..Self::default()
        })
    }

    /// The setup for worker processes: the layout's columns, then the controls'.
    pub fn setup(&self) -> LatencySetup {
        LatencySetup {
            rows: self.rows.iter().map(|row| row.candidates.clone()).collect(),
            columns: self.columns.iter().chain(&self.control_columns).cloned().collect(),
            spinners: self.spinners.clone(),
            fills: None,
        }
    }

    /// The places to visit, without those known to be unmeasurable.
    pub fn places(&self) -> Vec<CellIndex> {
        let row_cells =
            |row| self.measurable_columns().map(move |column| CellIndex::new(row, column));
        (0..self.rows.len()).flat_map(row_cells).collect()
    }

    /// The columns not known to be unmeasurable.
    pub fn measurable_columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&column| self.columns[column].memory.why_not.is_none())
    }

    /// Compares every row with itself on its own node's memory. A probe with large buffers has one
    /// pair only.
    fn add_controls(&mut self, probe: &ProbeSpec) {
        let most = if probe.kind == ProbeKind::Page { self.rows.len() } else { 1 };
        let mut again_of = vec![None; self.columns.len()];
        for row in 0..self.rows.len().min(most) {
            let Some(column) = self.own_column(row) else { continue };
            let again = *again_of[column].get_or_insert_with(|| {
                let second = LayoutColumn {
                    label: format!("{} again", self.columns[column].label),
                    ..self.columns[column].clone()
                };
                self.control_columns.push(second);
                self.columns.len() + self.control_columns.len() - 1
            });
            self.controls.push(ControlPair { row, column, again });
        }
    }

    /// The measurable column nearest to a node's CPUs: the node's own, or the one with the smallest
    /// reported distance, or the first.
    pub fn nearest_column(&self, topology: &Topology, to: Option<NodeId>) -> Option<usize> {
        self.measurable_columns()
            .min_by_key(|&column| columns::distance(topology, to, self.columns[column].memory.node))
    }

    /// The measurable column on a row's own node, or the first measurable one.
    fn own_column(&self, row: usize) -> Option<usize> {
        let own = self.rows[row].node;
        let is_own = |&column: &usize| own.is_some() && self.columns[column].memory.node == own;
        self.measurable_columns().find(is_own).or_else(|| self.measurable_columns().next())
    }
}

impl Layout {
    /// A buffer that is first touched on the first CPU and swept from every CPU; then, row for row,
    /// from the first CPU alone. The second half of the rows is the control: it shows how much a
    /// CPU differs from itself.
    pub fn core_walk(
        topology: &Topology,
        wanted: &LayoutRequest,
        probe: &ProbeSpec,
    ) -> Result<Self, LayoutError> {
        let cpus = usable_cpus(topology, wanted)?;
        let home = cpus.first().ok_or(LayoutError::NoCpu)?;
        let node = node_of(topology, &CpuSet::from_id(home));
        let mut column = match node {
            Some(node) => columns::column(topology, node, &cpus, probe),
            None => columns::column_without_nodes(topology, &cpus, probe),
        };
        column.label = format!("buffer of CPU {home}");
        column.memory.touch_from = CpuSet::from_id(home);
        let walk = cpus.iter().map(|cpu| one_cpu(topology, PlaceLabel::Cpu(cpu).to_string(), cpu));
        let control =
            (0..cpus.len()).map(|index| one_cpu(topology, format!("control {index}"), home));
        Ok(Self { rows: walk.chain(control).collect(), columns: vec![column], ..Self::default() })
    }
}

fn one_cpu(topology: &Topology, label: String, cpu: CpuId) -> LayoutRow {
    let cpus = CpuSet::from_id(cpu);
    LayoutRow::new(label, node_of(topology, &cpus), cpus)
}

fn usable_cpus(topology: &Topology, wanted: &LayoutRequest) -> Result<CpuSet, LayoutError> {
    let online = topology.online();
    let usable = online.intersection(&topology.allowed.cpus);
    let Some(wanted) = &wanted.cpus else {
        return if usable.is_empty() { Err(LayoutError::NoCpu) } else { Ok(usable) };
    };
    if wanted.is_empty() {
        return Err(LayoutError::EmptyCpuList);
    }
    let known: CpuSet = topology.cpus.iter().map(|cpu| cpu.id).collect();
    refuse(wanted.difference(&known), |cpus| LayoutError::UnknownCpu {
        cpus,
        known: known.clone(),
    })?;
    refuse(wanted.difference(&online), |cpus| LayoutError::OfflineCpu { cpus })?;
    refuse(wanted.difference(&usable), |cpus| LayoutError::CpuOutsideCpuset {
        cpus,
        allowed: usable.clone(),
    })?;
    Ok(wanted.clone())
}

/// The nodes to measure, including those without memory, whose cells report it.
fn usable_nodes(topology: &Topology, wanted: &LayoutRequest) -> Result<NodeSet, LayoutError> {
    let online = topology.online_nodes();
    let without_memory = online.iter().filter(|&id| !has_memory(topology, id)).collect();
    let usable = online.intersection(&topology.allowed.nodes.union(&without_memory));
    let Some(wanted) = &wanted.nodes else { return Ok(usable) };
    if wanted.is_empty() {
        return Err(LayoutError::EmptyNodeList);
    }
    if online.is_empty() {
        return Err(LayoutError::KernelWithoutNodes);
    }
    let known: NodeSet = topology.nodes.iter().map(|node| node.id).collect();
    refuse(wanted.difference(&known), |nodes| LayoutError::UnknownNode {
        nodes,
        known: known.clone(),
    })?;
    refuse(wanted.difference(&online), |nodes| LayoutError::OfflineNode { nodes })?;
    refuse(wanted.difference(&usable), |nodes| LayoutError::NodeOutsideCpuset {
        nodes,
        allowed: usable.clone(),
    })?;
    Ok(wanted.clone())
}

fn refuse<T: Id>(
    bad: IdSet<T>,
    error: impl FnOnce(IdSet<T>) -> LayoutError,
) -> Result<(), LayoutError> {
    if bad.is_empty() { Ok(()) } else { Err(error(bad)) }
}

fn has_memory(topology: &Topology, id: NodeId) -> bool {
    topology.node(id).is_some_and(nearfar_machine::Node::may_have_memory)
}
