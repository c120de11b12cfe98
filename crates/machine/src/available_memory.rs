//! Memory of each node that programs can still get without swapping: free pages, and page cache and
//! slabs that the kernel gives back, less what it keeps for itself.
//!
//! The kernel has this figure for the whole machine alone (`MemAvailable`). Its rule is applied to
//! the zones of each node (`/proc/zoneinfo`). Memory of GPUs is not available to programs that do
//! not use the GPU: their nodes have none.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, NodeId};

use crate::gpu_memory::gpu_nodes;
use crate::source::Source;

/// The kernel's pages are 4, 16 or 64 KiB.
const PAGE_SIZES: [u64; 3] = [4 << 10, 16 << 10, 64 << 10];

/// The pages of a node, and of the zone that is read.
#[derive(Default)]
struct NodePages {
    managed: u64,
    free: u64,
    low: u64,
    reserved: u64,
    file: u64,
    reclaimable: u64,
    movable: u64,
    zone: ZonePages,
}

/// The marks of a zone.
#[derive(Default)]
struct ZonePages {
    high: u64,
    managed: u64,
    protection: u64,
    is_movable: bool,
}

/// Available memory by node. Without `/proc/zoneinfo`, and if the page size is unknown, there is
/// none. `memory` is the sum over nodes (`MemTotal`), which shows the page size.
///
/// # References
///
/// `si_mem_available` in mm/show_mem.c, `calculate_totalreserve_pages` in mm/page_alloc.c
pub(crate) fn read(source: &Source, memory: Bytes) -> BTreeMap<NodeId, Bytes> {
    let mut available = of_nodes(source, memory, NodePages::available);
    let gpus = gpu_nodes(source);
    available.retain(|node, _| !gpus.contains_key(node));
    available
}

/// The part of what the kernel has available that is memory of GPUs.
pub(crate) fn read_of_gpus(source: &Source, memory: Bytes) -> Bytes {
    let gpus = gpu_nodes(source);
    if gpus.is_empty() {
        return Bytes(0);
    }
    let available = of_nodes(source, memory, NodePages::available);
    gpus.keys().filter_map(|node| available.get(node)).copied().sum()
}

/// Memory of each node in the zone Movable, which the kernel can empty, so that it can be taken
/// offline or removed.
///
/// # References
///
/// Documentation/admin-guide/mm/memory-hotplug.rst
pub(crate) fn read_movable(source: &Source, memory: Bytes) -> BTreeMap<NodeId, Bytes> {
    of_nodes(source, memory, |pages| pages.movable)
}

fn of_nodes(
    source: &Source,
    memory: Bytes,
    pages: impl Fn(&NodePages) -> u64,
) -> BTreeMap<NodeId, Bytes> {
    let zones = source.text("/proc/zoneinfo").unwrap_or_default();
    by_node(&zones, memory, pages).unwrap_or_default()
}

fn by_node(
    zones: &str,
    memory: Bytes,
    pages: impl Fn(&NodePages) -> u64,
) -> Option<BTreeMap<NodeId, Bytes>> {
    let mut nodes: BTreeMap<NodeId, NodePages> = BTreeMap::new();
    let mut here = None;
    for line in zones.lines().map(str::trim) {
        if let Some(node) = node(line) {
            here = Some(node);
            let of_node = nodes.entry(node).or_default();
            of_node.end_zone();
            of_node.zone.is_movable = line.ends_with(" Movable");
        } else if let Some(pages) = here.and_then(|node| nodes.get_mut(&node)) {
            pages.line(line);
        }
    }
    nodes.values_mut().for_each(NodePages::end_zone);
    let managed = nodes.values().fold(0_u64, |sum, pages| sum.saturating_add(pages.managed));
    let size = page_size(managed, memory)?;
    let bytes = |of_node: &NodePages| Bytes(pages(of_node).saturating_mul(size));
    Some(nodes.iter().map(|(node, of_node)| (*node, bytes(of_node))).collect())
}

/// "Node 0, zone   Normal"
fn node(line: &str) -> Option<NodeId> {
    let (number, rest) = line.strip_prefix("Node ")?.split_once(',')?;
    rest.trim().starts_with("zone").then_some(NodeId(number.parse().ok()?))
}

/// The size at which that many pages are that much memory, or nearly: where memory came or went
/// since boot, as in virtual machines, kernels may count it in one of both only.
fn page_size(pages: u64, memory: Bytes) -> Option<u64> {
    let exact = memory.0 as f64 / pages.max(1) as f64;
    PAGE_SIZES.into_iter().find(|&size| (0.5..2.0).contains(&(exact / size as f64)))
}

impl NodePages {
    fn line(&mut self, line: &str) {
        let line = line.strip_prefix("pages ").unwrap_or(line);
        let Some((name, value)) = line.split_once(char::is_whitespace) else { return };
        // "protection: (0, 3019, 24137)": what the zone keeps from programs that may use others.
        if name == "protection:" {
            let marks = value.trim().trim_matches(['(', ')']).split(", ");
            self.zone.protection = marks.filter_map(|mark| mark.parse().ok()).max().unwrap_or(0);
            return;
        }
        let Ok(value) = value.trim().parse::<u64>() else { return };
        match name {
            "free" => add(&mut self.free, value),
            "low" => add(&mut self.low, value),
            "high" => self.zone.high = value,
            "managed" => self.zone.managed = value,
            "nr_active_file" | "nr_inactive_file" => add(&mut self.file, value),
            "nr_slab_reclaimable" | "nr_kernel_misc_reclaimable" => {
                add(&mut self.reclaimable, value);
            }
            _ => {}
        }
    }

    fn end_zone(&mut self) {
        let zone = std::mem::take(&mut self.zone);
        add(&mut self.managed, zone.managed);
        if zone.is_movable {
            add(&mut self.movable, zone.managed);
        }
        add(&mut self.reserved, zone.high.saturating_add(zone.protection).min(zone.managed));
    }

    fn available(&self) -> u64 {
        // Half of it, or up to the low mark, cannot be given back without swapping.
        let returned = |pages: u64| pages - (pages / 2).min(self.low);
        let all = [self.free, returned(self.file), returned(self.reclaimable)];
        let all = all.into_iter().fold(0_u64, u64::saturating_add);
        all.saturating_sub(self.reserved).min(self.managed)
    }
}

fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two nodes of 4 KiB pages: node 0 has two zones, node 1 one.
    const ZONES: &str = "\
Node 0, zone    DMA32
  per-node stats
      nr_inactive_file 30000
      nr_active_file 10000
      nr_slab_reclaimable 2000
      nr_kernel_misc_reclaimable 0
  pages free     50000
        boost    0
        min      100
        low      200
        high     300
        managed  100000
        protection: (0, 0, 2000, 2000)
      nr_free_pages 50000
      nr_zone_inactive_file 999
  pagesets
    cpu: 0
              count: 5
              high:  500
Node 0, zone   Normal
  pages free     1000
        min      100
        low      300
        high     400
        managed  200000
        protection: (0, 0, 0, 0)
Node 1, zone   Normal
  per-node stats
      nr_inactive_file 10
      nr_active_file 0
  pages free     5
        low      300
        high     400
        managed  200000
        protection: (0, 0, 0, 0)
";

    fn available(zones: &str, memory: Bytes) -> Option<BTreeMap<NodeId, Bytes>> {
        by_node(zones, memory, NodePages::available)
    }

    #[test]
    fn the_zone_movable_can_be_removed() {
        let zones = ZONES.replace("Node 1, zone   Normal", "Node 1, zone  Movable");
        let movable = by_node(&zones, Bytes(500_000 * 4096), |pages| pages.movable).unwrap();
        assert_eq!(movable[&NodeId(0)], Bytes(0));
        assert_eq!(movable[&NodeId(1)], Bytes(200_000 * 4096));
    }

    #[test]
    fn the_kernels_rule_is_applied_to_each_node() {
        let available = available(ZONES, Bytes(500_000 * 4096)).unwrap();
        let pages: Vec<u64> = available.values().map(|bytes| bytes.0 / 4096).collect();
        // Free 51000 - (300 + 2000) - 400; files less the low mark 500; slabs less the low mark. On
        // node 1 all of it is reserved.
        assert_eq!(pages, [51_000 - 2_700 + 39_500 + 1_500, 0]);
    }

    #[test]
    fn pages_may_be_larger_and_have_to_fit() {
        let large = available(ZONES, Bytes(500_000 << 16)).unwrap();
        let small = available(ZONES, Bytes(500_000 << 12)).unwrap();
        assert_eq!(large[&NodeId(0)].0, small[&NodeId(0)].0 << 4);
        // Since boot, a third of the memory came.
        let more = available(ZONES, Bytes(665_000 << 12)).unwrap();
        assert_eq!(more, small);
        assert_eq!(available(ZONES, Bytes(7)), None);
        assert_eq!(available("", Bytes(1 << 30)), None);
    }

    /// The sum is what the kernel itself has.
    #[test]
    fn this_machine_agrees_with_its_kernel() {
        let differences = (0..20).filter_map(|_| {
            let source = Source::live();
            let text = source.text("/proc/meminfo")?;
            let value = |name: &str| {
                text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse::<Bytes>().ok()
            };
            let total = value("MemTotal:")?;
            let zones = source.text("/proc/zoneinfo")?;
            let pages = |name: &str| {
                let lines = zones.lines().filter_map(|line| line.trim().strip_prefix(name));
                lines.filter_map(|pages| pages.trim().parse::<u64>().ok()).sum::<u64>()
            };
            // Some virtual machines have free pages that no zone has.
            let free = (pages("pages free") * page_size(pages("managed"), total)?) as f64;
            let (all_free, available) = (value("MemFree:")?.0, value("MemAvailable:")?.0);
            let expected = available as f64 - all_free as f64 + free;
            let sum: u64 = read(&source, total).values().map(|one| one.0).sum();
            Some((sum as f64 / expected - 1.0).abs())
        });
        let best = differences.fold(f64::INFINITY, f64::min);
        assert!(best < 0.02, "{best}");
    }

    proptest! {
        #[test]
        fn no_number_is_too_large(
            [free, low, high, managed, protection, file] in any::<[u64; 6]>(),
            shift in 0_u32..64,
        ) {
            let zone = format!(
                "Node 0, zone X\nnr_active_file {file}\npages free {free}\nlow {low}\nhigh {high}\n\
                 managed {}\nprotection: (0, {protection})\n",
                managed >> shift
            );
            let zones = zone.clone() + &zone.replace("Node 0", "Node 1");
            let memory = Bytes((managed >> shift).saturating_mul(2 * 4096));
            let available = available(&zones, memory).unwrap_or_default();
            assert!(available.values().all(|one| one.0 <= memory.0));
        }
    }
}
