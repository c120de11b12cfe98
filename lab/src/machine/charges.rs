//! A machine's truth, as the plugin charges it.

use std::path::PathBuf;

use nearfar_lab_cost::{
    Charges, DeviceAccess, HomeRange, LINE_BYTES, Link, ModifiedLines, Move, Noise,
};
use nearfar_model::{Bytes, CpuId, NodeId};

use super::costs::LinkLane;
use super::description::Describes;
use super::{LabMachine, NumberMatrix};
use crate::emulator::QemuVersion;

impl LabMachine {
    /// What accesses cost in the lab: in the host's nanoseconds, by the physical addresses that
    /// this QEMU reports.
    pub(crate) fn charges(&self, qemu: QemuVersion) -> Charges {
        let description = &self.description;
        Charges {
            seed: description.seed,
            cache_lines: description.cache_lines,
            groups: self.groups(),
            own_home: self.cpu_nodes().map(|node| self.home_of(node.id)).collect(),
            ranges: self.ranges(qemu),
            latency_ns: self.slowed(&self.latency_ns()),
            home_service_ns: self
                .home_gb_s()
                .into_iter()
                .map(|gb_s| gb_s.map(|rate| self.service_ns(rate)))
                .collect(),
            links: self.links(),
            streams: description.streams,
            modified: description.modified.as_ref().map(|modified| self.modified(modified)),
            devices: None,
            noise: self.noise(),
        }
    }

    /// What reaching devices costs, where it costs something. The plugin awaits `windows`.
    pub(crate) fn device_access(&self, windows: PathBuf) -> Option<DeviceAccess> {
        let access = self.description.device_access?;
        let [far_load_ns, far_store_ns] =
            [access.far_load_us, access.far_store_us].map(|us| self.slow(us * 1000.0));
        Some(DeviceAccess { far_load_ns, far_store_ns, windows })
    }

    /// Groups of CPUs that are near a device's node.
    pub(crate) fn near_groups(&self, node: NodeId) -> Vec<usize> {
        self.group_of(node).into_iter().collect()
    }

    pub(super) fn slow(&self, ns: f64) -> f64 {
        ns * self.description.slowdown
    }

    /// Costs at the pace of the lab.
    pub(crate) fn slowed(&self, matrix: &NumberMatrix) -> NumberMatrix {
        matrix.iter().map(|row| row.iter().map(|&ns| self.slow(ns)).collect()).collect()
    }

    /// How long a line occupies what delivers `gb_s` GB/s, which are bytes per nanosecond.
    fn service_ns(&self, gb_s: f64) -> f64 {
        self.slow(LINE_BYTES as f64 / gb_s)
    }

    fn groups(&self) -> Vec<usize> {
        let cpus = (0..).map(CpuId).take(self.cpus());
        cpus.filter_map(|cpu| self.group_of(self.node_of(cpu)?)).collect()
    }

    /// Which addresses are whose, as the emulator reports them to plugins.
    fn ranges(&self, qemu: QemuVersion) -> Vec<HomeRange> {
        let first = self.arch().memory_start();
        if self.description.interleave.is_some() {
            let homes = (0..self.memory_nodes().count()).collect();
            return vec![HomeRange { start: first, end: first + self.memory().0, homes }];
        }
        let doubled = self.has_backend_per_node() && qemu.adds_block_offset();
        let mut before = 0;
        let mut ranges = Vec::new();
        for (home, Bytes(size)) in self.memory_nodes().filter_map(|node| node.memory).enumerate() {
            let start = first + if doubled { 2 * before } else { before };
            ranges.push(HomeRange { start, end: start + size, homes: vec![home] });
            before += size;
        }
        ranges
    }

    /// Whether QEMU is given each node's memory as a block of its own: an x86_64 machine whose
    /// nodes firmware describes.
    pub(crate) fn has_backend_per_node(&self) -> bool {
        self.arch() == super::Arch::X86_64
            && self.description.firmware.describes == Describes::Nodes
    }

    fn links(&self) -> Vec<Link> {
        let link = |lane: LinkLane| Link {
            service_ns: self.service_ns(lane.gb_s),
            carries: lane.carries,
            carries_back: lane.carries_back,
        };
        self.lanes().into_iter().map(link).collect()
    }

    fn modified(&self, modified: &ModifiedLines) -> ModifiedLines {
        ModifiedLines {
            ns: self.slowed(&modified.ns),
            homed_at_reader_extra_ns: self.slow(modified.homed_at_reader_extra_ns),
            homed_elsewhere_extra_ns: self.slow(modified.homed_elsewhere_extra_ns),
        }
    }

    /// Disturbances come in the guest's seconds, which no slowdown stretches.
    fn noise(&self) -> Noise {
        let noise = &self.description.noise;
        let moves = noise.moves.iter().filter_map(|moved| {
            Some(Move {
                at_s: moved.at_s,
                cpu: moved.cpu.0 as usize,
                to_group: self.group_of(moved.to_node)?,
            })
        });
        Noise { drift: noise.drift, bursts: noise.bursts, moves: moves.collect() }
    }
}
