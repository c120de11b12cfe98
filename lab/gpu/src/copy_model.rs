//! What a copy takes and shares, by the description.

use crate::description::{Description, GpuDescription, PeerDescription, by_node};
use crate::fair_share::Demand;
use crate::schedule::CopyWork;

/// Which way a copy between host and GPU goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToDevice,
    FromDevice,
}

/// A copy between host and GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HostCopy {
    /// The GPU, by its place in the description.
    pub(crate) gpu: usize,
    pub(crate) direction: Direction,
    pub(crate) bytes: usize,
    /// The node of the host's memory.
    pub(crate) node: usize,
    /// The node of the calling CPU.
    pub(crate) cpu_node: usize,
    pub(crate) is_registered: bool,
}

/// What copies share: each GPU's three lanes (there, back, both), each link's two, each described
/// pair's one; in this order.
pub(crate) fn capacities(description: &Description) -> Vec<f64> {
    let fastest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    let gpus = description.gpus.iter().flat_map(|gpu| {
        let both = gpu.both_gb_s.unwrap_or(f64::INFINITY);
        [fastest(&gpu.to_device_gb_s), fastest(&gpu.from_device_gb_s), both]
    });
    let links = description.links.iter().flat_map(|link| [link.gb_s; 2]);
    gpus.chain(links).chain(description.peers.iter().map(|peer| peer.gb_s)).collect()
}

/// A copy between host and GPU, as the schedule does it.
pub(crate) fn host_copy(description: &Description, copy: HostCopy) -> CopyWork {
    let gpu = &description.gpus[copy.gpu];
    let pinned = match copy.direction {
        Direction::ToDevice => &gpu.to_device_gb_s,
        Direction::FromDevice => &gpu.from_device_gb_s,
    };
    let rates = if copy.is_registered { pinned } else { &gpu.pageable_gb_s };
    let (from, to) = match copy.direction {
        Direction::ToDevice => (copy.node, gpu.node),
        Direction::FromDevice => (gpu.node, copy.node),
    };
    let latency_us = by_node(&gpu.latency_us, copy.node) + by_node(&gpu.cpu_us, copy.cpu_node);
    let mut links = gpu_lanes(copy.gpu, copy.direction);
    links.extend(crossed(description, from, to));
    CopyWork {
        latency_ns: latency_us * 1000.0,
        bytes: copy.bytes as f64,
        demand: Demand { limit: by_node(rates, copy.node), links },
    }
}

/// A copy from GPU to GPU, or within one. `has_access`: the program has enabled access.
pub(crate) fn peer_copy(
    description: &Description,
    from: usize,
    to: usize,
    bytes: usize,
    has_access: bool,
) -> CopyWork {
    let bytes = bytes as f64;
    let described = find_peer(description, from, to);
    if let Some((place, peer)) = described.filter(|(_, peer)| has_access || !peer.access) {
        let mut links = vec![3 * description.gpus.len() + 2 * description.links.len() + place];
        if !peer.access {
            links.extend(gpu_lanes(from, Direction::FromDevice));
            links.extend(gpu_lanes(to, Direction::ToDevice));
            let nodes = [from, to].map(|gpu| description.gpus[gpu].node);
            links.extend(crossed(description, nodes[0], nodes[1]));
        }
        let demand = Demand { limit: peer.gb_s, links };
        return CopyWork { latency_ns: peer.latency_us * 1000.0, bytes, demand };
    }
    through_host(description, from, to, bytes)
}

/// A copy by way of memory of the source's node.
fn through_host(description: &Description, from: usize, to: usize, bytes: f64) -> CopyWork {
    let [source, target]: [&GpuDescription; 2] = [from, to].map(|gpu| &description.gpus[gpu]);
    let node = source.node;
    let limit = by_node(&source.from_device_gb_s, node).min(by_node(&target.to_device_gb_s, node));
    let latency_us = by_node(&source.latency_us, node) + by_node(&target.latency_us, node);
    let mut links = gpu_lanes(from, Direction::FromDevice);
    links.extend(gpu_lanes(to, Direction::ToDevice));
    links.extend(crossed(description, node, target.node));
    // Within a GPU, both lists have the lane of both directions.
    links.sort_unstable();
    links.dedup();
    CopyWork { latency_ns: latency_us * 1000.0, bytes, demand: Demand { limit, links } }
}

/// The description of a pair, with its place.
pub(crate) fn find_peer(
    description: &Description,
    from: usize,
    to: usize,
) -> Option<(usize, &PeerDescription)> {
    let mut peers = description.peers.iter().enumerate();
    peers.find(|(_, peer)| (peer.from, peer.to) == (from, to))
}

fn gpu_lanes(gpu: usize, direction: Direction) -> Vec<usize> {
    vec![3 * gpu + direction as usize, 3 * gpu + 2]
}

/// The lanes of links that bytes cross on their way from one node to another.
fn crossed(description: &Description, from: usize, to: usize) -> Vec<usize> {
    let first = 3 * description.gpus.len();
    let lanes = description.links.iter().enumerate().filter_map(|(index, link)| {
        let [one, other] = &link.sides;
        let goes = |start: &[usize], end: &[usize]| start.contains(&from) && end.contains(&to);
        if goes(one, other) {
            Some(first + 2 * index)
        } else {
            goes(other, one).then_some(first + 2 * index + 1)
        }
    });
    lanes.collect()
}

#[cfg(test)]
mod tests;
