//! 4,096 functions are read in little memory.

use allocation_counter::measure;
use nearfar_machine::{Inventory, InventoryScope, Source};

use crate::made_machine::{MadeMachine, document};

const FUNCTIONS: usize = 4096;
const MAX_BYTES: u64 = 64 << 20;

/// Network cards and others below ports, 64 to a root bus.
fn machine(functions: usize) -> MadeMachine {
    let machine = MadeMachine::two_nodes();
    for bus in 0..functions / 64 {
        let (domain, node, root) = (bus / 4, i32::from(bus % 2 == 1), bus % 4 * 64);
        let port = format!("pci{domain:04x}:{root:02x}/{domain:04x}:{root:02x}:00.0");
        machine.function(&port, "60400", "8086:2030", node);
        for slot in 0..63 {
            let (device, function) = (slot / 8, slot % 8);
            let path = format!("{port}/{domain:04x}:{:02x}:{device:02x}.{function}", root + 1);
            machine.function(
                &path,
                if slot % 4 == 0 { "20000" } else { "88000" },
                "15B3:1017",
                node,
            );
            machine.pcie_link(&path, ("16.0", 8), ("16.0", 8));
        }
    }
    machine
}

#[test]
fn many_functions_need_little_memory() {
    let source = machine(FUNCTIONS).source();
    for (scope, expected) in [(InventoryScope::Usual, 1024), (InventoryScope::All, FUNCTIONS)] {
        let mut devices = 0;
        let bytes = measure(|| {
            let document = document(&source, scope);
            assert_eq!(document.functions, FUNCTIONS);
            assert!(document.findings.is_empty() && document.oddities.is_empty());
            devices = document.devices.len();
        });
        assert_eq!(devices, expected);
        assert!(bytes.bytes_max < MAX_BYTES, "{} bytes for {scope:?}", bytes.bytes_max);
    }
}

#[test]
fn threads_read_what_one_thread_reads() {
    let machine = machine(512);
    let folder = machine.folder();
    let in_folder = Source::open(folder.path()).unwrap();
    for scope in [InventoryScope::Usual, InventoryScope::All] {
        let one = Inventory::read(&machine.source(), scope);
        assert!(one == Inventory::read(&in_folder, scope), "{scope:?}");
    }
}
