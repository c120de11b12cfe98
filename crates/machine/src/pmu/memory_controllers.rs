//! What each node's DRAM reads and writes, counted by the memory controllers of Intel's servers.
//!
//! The kernel describes these events itself: their fields, and the bytes that each stands for.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use nearfar_model::{Bytes, CpuId, CpuSet, NodeId};

use crate::pmu::bit_field::encode;
use crate::pmu::refusal::PmuRefusal;
use crate::pmu::source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};
use crate::process::NodeSummaries;
use crate::{EventSources, Pmu};

/// A PMU for each channel: "uncore_imc_0". Linux, `arch/x86/events/intel/uncore_snbep.c`, has its
/// events in `snbep_uncore_imc_events` and those of later CPUs, with scale and unit.
const PREFIX: &str = "uncore_imc_";
const EVENTS: [&str; 2] = ["cas_count_read", "cas_count_write"];
/// The only unit in that file.
const UNIT: (&str, f64) = ("MiB", 1_048_576.0);

/// Traffic of a node's DRAM by CPUs of all nodes, and by devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DramTraffic {
    /// What was read.
    pub read: Bytes,
    /// What was written.
    pub written: Bytes,
}

impl AddAssign for DramTraffic {
    fn add_assign(&mut self, more: Self) {
        self.read = self.read + more.read;
        self.written = self.written + more.written;
    }
}

/// A group of counters for each channel.
pub struct MemoryControllers(Vec<Channel>);

struct Channel {
    node: NodeId,
    counter: Box<dyn GroupCounter>,
    before: GroupReading,
    bytes: [f64; 2],
}

impl MemoryControllers {
    /// Whether a PMU of this name is a channel: those of "uncore_imc_free_running_0" are not.
    pub fn has_channel(name: &str) -> bool {
        name.strip_prefix(PREFIX).is_some_and(|number| number.parse::<u32>().is_ok())
    }

    /// Begins to count with the PMUs of all channels. `None` if the kernel does not describe the
    /// events of each, or if dies have several nodes (SNC): channels are known by die only.
    pub fn open(
        source: &dyn EventSource,
        sources: &EventSources,
        channels: &[Pmu],
        nodes: &NodeSummaries,
    ) -> Option<Result<Self, PmuRefusal>> {
        let node_of = nodes_of_dies(channels, nodes)?;
        let events: Vec<_> = channels.iter().map(described).collect::<Option<_>>()?;
        let mut opened = Vec::new();
        for (pmu, (configs, bytes)) in channels.iter().zip(events) {
            for cpu in pmu.cpus.iter() {
                let target = CountTarget::Cpu(cpu);
                let group = EventGroup { kind: pmu.kind, configs: configs.to_vec(), target };
                let counter = match source.open(&group) {
                    Ok(counter) => counter,
                    Err(error) => {
                        return Some(Err(PmuRefusal::from_error(&error, sources, target)));
                    }
                };
                let before = GroupReading::default();
                opened.push(Channel { node: *node_of.get(&cpu)?, counter, before, bytes });
            }
        }
        Some(Ok(Self(opened)))
    }

    /// Traffic of each node since the last call. A node is absent if one of its channels was not
    /// counted: the rest would be too little.
    pub fn take(&mut self) -> BTreeMap<NodeId, DramTraffic> {
        let mut nodes: BTreeMap<NodeId, Option<DramTraffic>> = BTreeMap::new();
        for channel in &mut self.0 {
            let sum = nodes.entry(channel.node).or_insert(Some(DramTraffic::default()));
            *sum = sum.zip(channel.take()).map(|(mut sum, more)| {
                sum += more;
                sum
            });
        }
        nodes.into_iter().filter_map(|(node, traffic)| Some((node, traffic?))).collect()
    }
}

impl Channel {
    fn take(&mut self) -> Option<DramTraffic> {
        let now = self.counter.read().ok()?;
        let span = now.since(&self.before);
        self.before = now;
        let [reads, writes] = span.scaled()[..] else { return None };
        let bytes = |count: u64, bytes: f64| Bytes((count as f64 * bytes).round() as u64);
        let [read, written] = self.bytes;
        (span.running_ns > 0)
            .then(|| DramTraffic { read: bytes(reads, read), written: bytes(writes, written) })
    }
}

/// The node of each die, by the die's CPU in `cpumask`; `None` unless each has exactly one.
///
/// # References
///
/// Linux, `arch/x86/events/intel/uncore.c`: `uncore_event_cpu_online`
fn nodes_of_dies(channels: &[Pmu], nodes: &NodeSummaries) -> Option<BTreeMap<CpuId, NodeId>> {
    let dies = channels.iter().fold(CpuSet::new(), |dies, pmu| dies.union(&pmu.cpus));
    let with_cpus = || nodes.nodes.iter().filter(|node| !node.cpus.is_empty());
    let node_of = with_cpus().map(|node| {
        let die = node.cpus.intersection(&dies);
        (die.len() == 1).then(|| Some((die.first()?, node.id))).flatten()
    });
    let node_of: BTreeMap<CpuId, NodeId> = node_of.collect::<Option<_>>()?;
    // Nodes of `numa=fake` have the same CPUs.
    (node_of.len() == dies.len() && node_of.len() == with_cpus().count()).then_some(node_of)
}

/// The two events' numbers, and the bytes that each event stands for.
fn described(pmu: &Pmu) -> Option<([u64; 2], [f64; 2])> {
    let [read, write] = EVENTS.map(|name| {
        let event = pmu.events.get(name)?;
        let fields: Vec<_> = event.fields.split(',').map(field).collect::<Option<_>>()?;
        let scale: f64 = event.scale.as_ref()?.parse().ok()?;
        let is_usable = scale.is_finite() && scale > 0.0 && event.unit.as_deref() == Some(UNIT.0);
        is_usable.then_some((encode(&pmu.formats, &fields)?, scale * UNIT.1))
    });
    let (read, write) = (read?, write?);
    Some(([read.0, write.0], [read.1, write.1]))
}

/// "umask=0x03", or "edge" for 1.
///
/// # References
///
/// Documentation/ABI/testing/sysfs-bus-event_source-devices-events
fn field(text: &str) -> Option<(&str, u64)> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let value = match value.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => value.parse(),
    };
    Some((name, value.ok()?))
}
