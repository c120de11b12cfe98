//! The layout of a core walk: one buffer, every CPU in turn, and the same number of visits from one
//! CPU as the control.

use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet, PlaceLabel};

use super::rows::node_of;
use super::{Layout, LayoutRequest, LayoutRow, columns, usable};
use crate::ProbeSpec;
use crate::layout_error::LayoutError;

impl Layout {
    /// A buffer that is first touched on the first CPU and swept from every CPU; then, row for row,
    /// from the first CPU alone. The second half of the rows is the control: it shows how much a
    /// CPU differs from itself.
    pub fn core_walk(
        topology: &Topology,
        wanted: &LayoutRequest,
        probe: &ProbeSpec,
    ) -> Result<Self, LayoutError> {
        let cpus = usable::usable_cpus(topology, wanted)?;
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
