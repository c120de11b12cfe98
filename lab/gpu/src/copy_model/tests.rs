use std::path::Path;

use super::{Direction, HostCopy, capacities, host_copy, peer_copy};
use crate::description::Description;
use crate::description_file::parse;
use crate::fair_share::fair_rates;

const TWO_PACKAGES: &str = r#"
summary = "two GPUs on two packages, a link of 30 GB/s"
[[gpu]]
name = "Lab GPU"
address = "0000:3b:00.0"
memory_mib = 1024
node = 0
to_device_gb_s = [25, 12]
from_device_gb_s = [26, 13]
pageable_gb_s = [8, 5]
both_gb_s = 40
latency_us = [2, 3]
cpu_us = [0, 0.5]
[[gpu]]
name = "Lab GPU"
address = "0000:af:00.0"
memory_mib = 1024
node = 1
to_device_gb_s = [20, 25]
from_device_gb_s = [20, 26]
pageable_gb_s = [5, 8]
latency_us = [3, 2]
[[link]]
gb_s = 30
sides = [[0], [1]]
[[peer]]
from = 0
to = 1
gb_s = 50
latency_us = 4
access = true
"#;

fn two_packages() -> Description {
    parse(Path::new("gpus.toml"), TWO_PACKAGES).unwrap()
}

fn copy(gpu: usize, direction: Direction, node: usize) -> HostCopy {
    HostCopy { gpu, direction, bytes: 1 << 20, node, cpu_node: 0, is_registered: true }
}

#[test]
fn rate_and_latency_follow_node_cpu_and_registration() {
    let machine = two_packages();
    let near = host_copy(&machine, copy(0, Direction::ToDevice, 0));
    assert_eq!((near.demand.limit, near.latency_ns, near.bytes), (25.0, 2000.0, 1048576.0));
    let far = host_copy(&machine, HostCopy { cpu_node: 1, ..copy(0, Direction::FromDevice, 1) });
    assert_eq!((far.demand.limit, far.latency_ns), (13.0, 3500.0));
    let pageable = HostCopy { is_registered: false, ..copy(0, Direction::ToDevice, 1) };
    assert_eq!(host_copy(&machine, pageable).demand.limit, 5.0);
    // A node beyond the list has the last number.
    assert_eq!(host_copy(&machine, copy(0, Direction::ToDevice, 7)).demand.limit, 12.0);
}

#[test]
fn directions_share_what_both_have() {
    let machine = two_packages();
    let demands = [Direction::ToDevice, Direction::FromDevice]
        .map(|direction| host_copy(&machine, copy(0, direction, 0)).demand);
    assert_eq!(fair_rates(&demands, &capacities(&machine)), [20.0, 20.0]);
    let demands = [Direction::ToDevice, Direction::FromDevice]
        .map(|direction| host_copy(&machine, copy(1, direction, 1)).demand);
    assert_eq!(fair_rates(&demands, &capacities(&machine)), [25.0, 26.0]);
}

#[test]
fn copies_share_a_link_in_one_direction() {
    let machine = two_packages();
    let to = host_copy(&machine, copy(1, Direction::ToDevice, 0)).demand;
    let other = host_copy(&machine, copy(0, Direction::FromDevice, 1)).demand;
    let back = host_copy(&machine, copy(1, Direction::FromDevice, 0)).demand;
    // From node 0 to node 1: 20 and 13 want 33 of 30 GB/s.
    assert_eq!(fair_rates(&[to.clone(), other], &capacities(&machine)), [17.0, 13.0]);
    assert_eq!(fair_rates(&[to, back], &capacities(&machine)), [20.0, 20.0]);
}

#[test]
fn peers_copy_directly_with_access() {
    let machine = two_packages();
    let direct = peer_copy(&machine, 0, 1, 1000, true);
    assert_eq!((direct.demand.limit, direct.latency_ns), (50.0, 4000.0));
    let shared = [direct.demand.clone(), direct.demand];
    assert_eq!(fair_rates(&shared, &capacities(&machine)), [25.0, 25.0]);
    // By node 0: 26 GB/s out, 20 GB/s in.
    let through_host = peer_copy(&machine, 0, 1, 1000, false);
    assert_eq!((through_host.demand.limit, through_host.latency_ns), (20.0, 5000.0));
}
