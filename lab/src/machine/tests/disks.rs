//! Times of disks: what requests cost in the lab, and what is refused.

use super::super::interrupts::Interrupts;
use super::*;

/// The sound machine with one more device.
fn with_device(keys: &str) -> Result<LabMachine, LabMachineError> {
    parse(&format!("{SOUND}\n[[device]]\nat = \"b\"\n{keys}\n"))
}

fn refusal(keys: &str) -> String {
    let error = with_device(keys).expect_err(keys).to_string();
    let (_, line) = error.split_once(": device[2].").expect(&error);
    line.to_owned()
}

#[test]
fn buffers_cost_by_their_node_in_the_time_of_the_lab() {
    let machine = LabMachine::load("disks-2s").unwrap();
    let disks = machine.served_disks(Path::new("/scratch"));
    assert_eq!(disks.len(), 2);
    let first = &disks[0];
    assert_eq!(first.socket, Path::new("/scratch/disk1.socket"));
    assert_eq!((first.queues, first.latency_ns, first.ns_per_byte), (4, 2_100_000.0, 7.0));
    let ranges =
        first.buffers.iter().map(|buffer| (buffer.start >> 20, buffer.end >> 20, buffer.extra_ns));
    assert_eq!(ranges.collect::<Vec<_>>(), [(0, 512, 1_400_000.0), (512, 1024, 0.0)]);
    let devices = machine.devices();
    assert_eq!(devices[1].buffer_us, Some(vec![100.0, 0.0]));
    let interrupts: Vec<_> = devices.iter().filter_map(|device| device.interrupts).collect();
    use Interrupts::{Managed, Movable};
    assert_eq!(interrupts, [Managed, Managed, Movable, Movable]);
}

#[test]
fn a_list_of_buffer_costs_goes_by_nodes_with_memory() {
    let machine = with_device("kind = \"vhost-user-blk\"\nbuffer_far_us = [5, 7.5]").unwrap();
    let truth = machine.devices().pop().unwrap();
    assert_eq!((truth.latency_us, truth.buffer_us), (None, Some(vec![5.0, 7.5])));
    let disks = machine.served_disks(Path::new(""));
    let extra: Vec<f64> = disks[0].buffers.iter().map(|buffer| buffer.extra_ns).collect();
    assert_eq!((extra, disks[0].ns_per_byte), (vec![50_000.0, 75_000.0], 0.0));
}

#[test]
fn times_are_for_disks_that_have_them() {
    let served = "the lab serves the disks of kind 'vhost-user-blk' alone; leave it out, or name \
                  that kind";
    for (keys, expected) in [
        ("kind = 'e1000e'\nlatency_us = 3", "latency_us: 'e1000e' has no disk; leave it out"),
        (
            "kind = 'nvme'\nlatency_us = -3",
            "latency_us: -3 is not above 0; give a positive, finite number",
        ),
        ("kind = 'nvme'\nbuffer_far_us = 3", &format!("buffer_far_us: {served}")),
        ("kind = 'ahci'\ngb_s = 3", &format!("gb_s: {served}")),
        ("kind = 'virtio-blk'\nmovable_interrupt = true", &format!("movable_interrupt: {served}")),
        (
            "kind = 'vhost-user-blk'\ngb_s = 0",
            "gb_s: 0 is not above 0; give a positive, finite number",
        ),
        (
            "kind = 'vhost-user-blk'\nbuffer_far_us = [1]",
            "buffer_far_us: it has 1 numbers, and 2 nodes have memory; give each of them one \
             number",
        ),
        ("kind = 'ahci'\nqueue_us = [3]", &format!("queue_us: {served}")),
        (
            "kind = 'vhost-user-blk'\nqueue_us = [1]",
            "queue_us: it has 1 numbers, and there are 4 queues; give each of them one number",
        ),
        (
            "kind = 'vhost-user-blk'\nbuffer_far_us = [1, -1]",
            "buffer_far_us: -1 is no time; give finite numbers from 0 on",
        ),
        (
            "kind = 'vhost-user-blk'\nbuffer_far_us = 1",
            "buffer_far_us: its host bridge has no node, and so no memory is near; give a list, \
             one number for each node with memory",
        ),
    ] {
        assert_eq!(refusal(keys), expected, "{keys}");
    }
}

#[test]
fn served_disks_need_nodes_and_queues() {
    let text = |more: &str, keys: &str| {
        format!(
            "summary = 's'\narch = 'x86_64'\nnode = [{{ id = 0, cpus = '0', memory = '256M' }}]\n\
             latency = {{ flat_ns = 9 }}\nhost_bridge = [{{ id = 'a' }}]\n{more}\n\
             device = [{{ kind = 'vhost-user-blk', at = 'a'{keys} }}]"
        )
    };
    assert!(parse(&text("", "")).is_ok());
    assert_eq!(
        parse(&text("firmware = { describes = 'one-node' }", "")).unwrap_err().to_string(),
        "mine.toml: device[0].kind: firmware describes one node, and this disk needs the memory of \
         each; describe nodes, or choose 'virtio-blk'"
    );
    assert_eq!(
        parse(&text("", ", movable_interrupt = true")).unwrap_err().to_string(),
        "mine.toml: device[0].movable_interrupt: the machine has one CPU, and one queue has an \
         interrupt of its own; leave it out"
    );
}
