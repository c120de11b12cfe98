use super::*;
use crate::source::Source;

fn functions_of(files: &[(&str, &str)]) -> (Vec<PciFunction>, Vec<String>) {
    let source = Source::from_files(files.iter().copied());
    let read = Attributes::new(&source);
    let found = names(&read).into_iter().filter_map(|name| function(&read, &name));
    let functions = found.map(|found| found.function).collect();
    (functions, read.into_oddities())
}

#[test]
fn ids_come_from_uevent_or_single_files() {
    let (functions, oddities) = functions_of(&[
        (
            "/sys/bus/pci/devices/0000:3b:00.0/uevent",
            "DRIVER=nvme\nPCI_CLASS=10802\nPCI_ID=144D:A80A\nPCI_SUBSYS_ID=144D:A801",
        ),
        ("/sys/bus/pci/devices/0000:00:00.0/class", "0x060000"),
        ("/sys/bus/pci/devices/0000:00:00.0/vendor", "0x8086"),
        ("/sys/bus/pci/devices/0000:00:00.0/device", "0x0d57"),
        ("/sys/bus/pci/devices/0000:00:00.0/subsystem_vendor", "0x1028"),
        ("/sys/bus/pci/devices/0000:00:00.0/subsystem_device", "0x0b0c"),
    ]);
    let [bridge, disk] = functions.as_slice() else { panic!("{functions:?}") };
    assert_eq!((bridge.class, bridge.vendor), (Some(0x06_00_00), Some(0x8086)));
    assert_eq!((bridge.subsystem, disk.subsystem), (Some((0x1028, 0xb0c)), Some((0x144d, 0xa801))));
    assert_eq!(bridge.driver, None);
    assert_eq!((disk.class, disk.device), (Some(0x01_08_02), Some(0xa80a)));
    assert_eq!(disk.driver.as_deref(), Some("nvme"));
    // A handwritten machine has no links: the functions have no path.
    assert!(oddities.iter().all(|line| line.contains("names no root bus")), "{oddities:?}");
}

#[test]
fn malformed_values_are_reported() {
    let (functions, oddities) = functions_of(&[
        ("/sys/bus/pci/devices/nonsense/class", "0x060000"),
        ("/sys/bus/pci/devices/0000:00:01.0/class", "green"),
    ]);
    assert_eq!(functions.len(), 1);
    assert_eq!(functions[0].class, None);
    for expected in ["'nonsense' is no PCI address", "class: 'green'"] {
        assert!(oddities.iter().any(|line| line.contains(expected)), "{expected}: {oddities:?}");
    }
}

#[test]
fn paths_of_folders_keep_root_buses_and_bridges() {
    let address = PciAddress::parse("10000:01:00.0").unwrap();
    let path = PciPath::for_folder(
        "/sys/devices/pci0000:80/0000:80:05.5/pci10000:00/10000:00:02.0/10000:01:00.0",
        address,
    );
    let hops: Vec<String> = path.hops().iter().map(ToString::to_string).collect();
    assert_eq!(hops, ["pci0000:80", "0000:80:05.5", "pci10000:00", "10000:00:02.0"]);
    assert!(path.is_whole());
    let board = "/sys/devices/platform/soc/40000000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0";
    let path = PciPath::for_folder(board, PciAddress::parse("1:0.0").unwrap());
    assert_eq!(path.hops().len(), 2);
}

#[test]
fn nodes_are_distinguished_from_their_absence() {
    let source = Source::from_files([
        ("/sys/bus/pci/devices/0000:00:01.0/numa_node", "1\n"),
        ("/sys/bus/pci/devices/0000:00:02.0/numa_node", "-1"),
        ("/sys/bus/pci/devices/0000:00:03.0/numa_node", "many"),
    ]);
    let read = Attributes::new(&source);
    let of = |device: &str| kernel_node(&read, &format!("{FOLDER}/0000:{device}"));
    assert_eq!(of("00:01.0"), KernelNode::Node(NodeId(1)));
    assert_eq!((of("00:02.0"), of("00:04.0")), (KernelNode::Unknown, KernelNode::Absent));
    assert_eq!(of("00:03.0"), KernelNode::Malformed);
    let oddities = read.into_oddities();
    assert!(oddities[0].ends_with("'many' is no node"), "{oddities:?}");
}
