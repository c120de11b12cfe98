use super::*;
use crate::source::Source;

fn functions_of(files: &[(&str, &str)]) -> (Vec<PciFunction>, Vec<String>) {
    let source = Source::from_files(files.iter().copied());
    let read = Attributes::new(&source);
    let functions = functions(&read);
    (functions, read.into_oddities())
}

#[test]
fn ids_come_from_uevent_or_single_files() {
    let (functions, oddities) = functions_of(&[
        (
            "/sys/bus/pci/devices/0000:3b:00.0/uevent",
            "DRIVER=nvme\nPCI_CLASS=10802\nPCI_ID=144D:A80A",
        ),
        ("/sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n"),
        ("/sys/bus/pci/devices/0000:00:00.0/class", "0x060000"),
        ("/sys/bus/pci/devices/0000:00:00.0/vendor", "0x8086"),
        ("/sys/bus/pci/devices/0000:00:00.0/device", "0x0d57"),
        ("/sys/bus/pci/devices/0000:00:00.0/numa_node", "-1"),
    ]);
    let [bridge, disk] = functions.as_slice() else { panic!("{functions:?}") };
    assert_eq!((bridge.class, bridge.vendor), (Some(0x06_00_00), Some(0x8086)));
    assert_eq!((bridge.node, bridge.driver.as_deref()), (KernelNode::Unknown, None));
    assert_eq!((disk.class, disk.device), (Some(0x01_08_02), Some(0xa80a)));
    assert_eq!((disk.node.node(), disk.driver.as_deref()), (Some(NodeId(1)), Some("nvme")));
    // A handwritten machine has no links: the functions have no path.
    assert!(oddities.iter().all(|line| line.contains("names no root bus")), "{oddities:?}");
}

#[test]
fn malformed_values_are_reported() {
    let (functions, oddities) = functions_of(&[
        ("/sys/bus/pci/devices/nonsense/class", "0x060000"),
        ("/sys/bus/pci/devices/0000:00:01.0/class", "green"),
        ("/sys/bus/pci/devices/0000:00:01.0/numa_node", "many"),
    ]);
    assert_eq!(functions.len(), 1);
    assert_eq!((functions[0].class, functions[0].node), (None, KernelNode::Malformed));
    for expected in ["'nonsense' is no PCI address", "class: 'green'", "'many' is no node"] {
        assert!(oddities.iter().any(|line| line.contains(expected)), "{expected}: {oddities:?}");
    }
}

#[test]
fn paths_of_folders_keep_root_buses_and_bridges() {
    let address = PciAddress::parse("10000:01:00.0").unwrap();
    let path = PciPath::of_folder(
        "/sys/devices/pci0000:80/0000:80:05.5/pci10000:00/10000:00:02.0/10000:01:00.0",
        address,
    );
    let hops: Vec<String> = path.hops().iter().map(ToString::to_string).collect();
    assert_eq!(hops, ["pci0000:80", "0000:80:05.5", "pci10000:00", "10000:00:02.0"]);
    assert!(path.is_whole());
    let board = "/sys/devices/platform/soc/40000000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0";
    let path = PciPath::of_folder(board, PciAddress::parse("1:0.0").unwrap());
    assert_eq!(path.hops().len(), 2);
}
