//! Performance claims of firmware, by the kernel's nodes.

use nearfar_diagnose::performance;

use super::machine::{GIB, Machine, cpu, memory, srat, table};

/// An HMAT of revision 2: one matrix of two domains; latencies in units of `base` picoseconds.
fn hmat(data_type: u8, base: u64, entries: [u16; 4]) -> Vec<u8> {
    let mut content = vec![0, 0, 0, 0, 1, 0, 0, 0, 56, 0, 0, 0, 0, data_type, 0, 0];
    content.extend(2u32.to_le_bytes());
    content.extend(2u32.to_le_bytes());
    content.extend([0; 4]);
    content.extend(base.to_le_bytes());
    for domain in [5u32, 9, 5, 9] {
        content.extend(domain.to_le_bytes());
    }
    content.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
    table("HMAT", 2, &content)
}

fn machine() -> Machine {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    let entries =
        [cpu(0, 5), cpu(1, 5), cpu(2, 9), cpu(3, 9), memory(5, 0, GIB), memory(9, GIB, GIB)];
    machine.table("SRAT", srat(&entries));
    machine
}

#[test]
fn domains_become_nodes() {
    let mut machine = machine();
    machine.table("HMAT", hmat(0, 1000, [90, 140, 0xffff, 91]));
    let claimed = performance(&machine.witnesses()).unwrap();
    assert_eq!(claimed.from, "HMAT");
    let cells: Vec<_> = claimed
        .cells
        .iter()
        .map(|cell| (cell.initiator.0, cell.target.0, cell.read_latency_ns))
        .collect();
    // 0xffff is no claim.
    assert_eq!(cells, [(0, 0, Some(90)), (0, 1, Some(140)), (1, 1, Some(91))]);
    assert_eq!(claimed.cells[0].write_latency_ns, Some(90));
}

#[test]
fn bandwidths_are_bytes() {
    let mut machine = machine();
    machine.table("HMAT", hmat(4, 100, [200, 100, 100, 200]));
    let claimed = performance(&machine.witnesses()).unwrap();
    assert_eq!(claimed.cells[0].read_bandwidth_bytes_per_s, Some(20_000_000_000));
    assert_eq!(
        (claimed.cells[0].write_bandwidth_bytes_per_s, claimed.cells[0].read_latency_ns),
        (None, None)
    );
}

#[test]
fn sysfs_replaces_a_missing_table() {
    let mut machine = machine();
    let folder = "/sys/devices/system/node/node1/access0/initiators";
    machine.file(&format!("{folder}/node1/online"), "1");
    machine.file(&format!("{folder}/read_latency"), "91");
    let claimed = performance(&machine.witnesses()).unwrap();
    assert_eq!(claimed.from, "sysfs");
    let cell = &claimed.cells[0];
    assert_eq!(
        (cell.initiator.0, cell.target.0, cell.read_latency_ns, cell.write_latency_ns),
        (1, 1, Some(91), None)
    );
    assert_eq!(performance(&Machine::new(1, &["0-3"]).witnesses()), None);
}
