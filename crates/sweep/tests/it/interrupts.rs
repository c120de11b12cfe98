//! Interrupts near their device and far from it, in a folder.

use std::fs;

use nearfar_devices::irq_set::{DeviceFacts, IrqFacts, IrqFreedom};
use nearfar_machine::guard::{RootedFiles, SettingFiles, SettingValues};
use nearfar_machine::interrupts::{Balancer, InterruptTable};
use nearfar_machine::{PciAddress, Source, Topology};
use nearfar_model::{CpuSet, NodeId};
use nearfar_sweep::{InterruptAxis, SweepError};
use tempfile::TempDir;

use crate::made_up::machine;

pub(crate) fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

/// Two interrupts on node 1.
pub(crate) fn card(freedom: IrqFreedom) -> DeviceFacts {
    let irq = |number, freedom| IrqFacts {
        number,
        name: format!("eth0-{number}"),
        queue: None,
        freedom,
        shared_with: Vec::new(),
    };
    DeviceFacts {
        label: "NIC0".to_owned(),
        address: PciAddress::parse("0:3.0").unwrap(),
        node: Some(NodeId(1)),
        near: cpus("2-3"),
        interrupts: vec![irq(24, IrqFreedom::Free), irq(25, freedom)],
        interfaces: Vec::new(),
    }
}

fn axis_on(device: &DeviceFacts, topology: &Topology) -> Result<InterruptAxis, SweepError> {
    let values = ["near", "far"].map(str::to_owned);
    InterruptAxis::new(device, topology, &Balancer::default(), &values)
}

pub(crate) fn axis() -> InterruptAxis {
    axis_on(&card(IrqFreedom::Free), &machine().1).unwrap()
}

fn refusal(device: &DeviceFacts, topology: &Topology) -> String {
    axis_on(device, topology).unwrap_err().to_string()
}

/// A folder where both interrupts are allowed everywhere.
fn folder() -> (TempDir, RootedFiles) {
    let folder = tempfile::tempdir().unwrap();
    for number in [24, 25] {
        for (path, text) in [
            (format!("proc/irq/{number}/smp_affinity_list"), "0-3\n"),
            (format!("proc/irq/{number}/effective_affinity_list"), "2\n"),
            (format!("sys/bus/pci/devices/0000:00:03.0/msi_irqs/{number}"), "msix\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let files = RootedFiles::below(folder.path());
    (folder, files)
}

fn state(files: &RootedFiles) -> [String; 2] {
    [24, 25].map(|number| files.read(&format!("/proc/irq/{number}/smp_affinity_list")).unwrap())
}

#[test]
fn near_and_far_are_cpus_of_nodes() {
    let axis = axis();
    let targets: Vec<(String, String, String)> = axis
        .facts()
        .targets
        .iter()
        .map(|(name, target)| (name.clone(), target.cpus.to_string(), target.nodes.to_string()))
        .collect();
    let expected = [("far", "0-1", "0"), ("near", "2-3", "1")];
    assert_eq!(
        targets,
        expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())).to_vec()
    );
    assert_eq!(axis.facts().interrupts, [24, 25]);
}

#[test]
fn interrupts_are_set_and_restored() {
    let (_folder, files) = folder();
    let (axis, source) = (axis(), files.source().unwrap());
    let before = SettingValues::read(axis.settings(), &files).unwrap();
    for (value, expected) in [("far", "0-1"), ("near", "2-3")] {
        axis.values(value).unwrap().set(&files, &source).unwrap();
        assert_eq!(state(&files), [expected; 2]);
    }
    before.restore(&files, &source).unwrap();
    assert_eq!(state(&files), ["0-3"; 2]);
}

#[test]
fn the_farthest_node_is_far() {
    for (distances, expected) in [
        (["10 21 31", "21 10 21", "31 21 10"], "4-5"),
        (["10 21 21", "21 10 21", "21 21 10"], "2-3"),
        (["", "", ""], "2-3"),
    ] {
        let node = "/sys/devices/system/node";
        let mut files = vec![
            (format!("{node}/online"), "0-2".to_owned()),
            (format!("{node}/has_cpu"), "0-2".to_owned()),
            (format!("{node}/has_memory"), "0-2".to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-5".to_owned()),
        ];
        for (id, distances) in distances.iter().enumerate() {
            files.push((format!("{node}/node{id}/cpulist"), format!("{}-{}", 2 * id, 2 * id + 1)));
            if !distances.is_empty() {
                files.push((format!("{node}/node{id}/distance"), (*distances).to_owned()));
            }
        }
        let topology = Topology::read(&Source::from_files(files)).unwrap();
        let card =
            DeviceFacts { node: Some(NodeId(0)), near: cpus("0-1"), ..card(IrqFreedom::Free) };
        let axis = axis_on(&card, &topology).unwrap();
        assert_eq!(axis.facts().targets["far"].cpus.to_string(), expected);
    }
}

#[test]
fn what_cannot_be_varied_is_refused() {
    let (_, topology) = machine();
    let managed = refusal(&card(IrqFreedom::Managed), &topology);
    assert!(managed.starts_with("--irq: NIC0: interrupt 25 is managed by the kernel"), "{managed}");
    assert!(!managed.contains("--skip-managed"), "an option of irq set: {managed}");
    let fixed = refusal(&card(IrqFreedom::Fixed), &topology);
    assert!(fixed.contains("interrupt 25 is fixed"), "{fixed}");
    let unknown = DeviceFacts { node: None, ..card(IrqFreedom::Free) };
    assert_eq!(
        refusal(&unknown, &topology),
        "--irq: the node of NIC0 is unknown, and so are near and far CPUs"
    );
    let mut one = topology.clone();
    one.nodes.truncate(1);
    assert_eq!(
        refusal(&card(IrqFreedom::Free), &one),
        "--irq: all CPUs are near NIC0: there is no other node with CPUs"
    );
    let none = DeviceFacts { interrupts: Vec::new(), ..card(IrqFreedom::Free) };
    assert!(refusal(&none, &topology).contains("NIC0 has no interrupts now"));
}

fn table(counts: [[u32; 4]; 2]) -> InterruptTable {
    let line = |number: usize, [a, b, c, d]: [u32; 4]| {
        format!(" {number}: {a} {b} {c} {d} PCI-MSI {number}-edge eth0\n")
    };
    let [first, second] = counts;
    let text = format!("  CPU0 CPU1 CPU2 CPU3\n{}{}", line(24, first), line(25, second));
    InterruptTable::parse(text.as_bytes()).unwrap()
}

#[test]
fn interrupts_are_counted_by_node() {
    let (_folder, files) = folder();
    let axis = axis();
    let earlier = table([[5, 0, 7, 0], [0; 4]]);
    let counted =
        |value: &str, now: [[u32; 4]; 2]| axis.counted(value, [&earlier, &table(now)], 1.0, &files);
    let near = counted("near", [[6, 0, 107, 0], [0, 0, 0, 20]]).unwrap();
    let nodes: Vec<(u32, u64)> = near.by_node.iter().map(|one| (one.node.0, one.count)).collect();
    assert_eq!((near.count, nodes, near.elsewhere), (121, vec![(0, 1), (1, 120)], 1));
    assert_eq!(near.effective.to_string(), "2");
    // Each may be served once where it was before.
    assert!(!near.is_elsewhere(2));
    let far = counted("far", [[6, 0, 107, 0], [0, 0, 0, 20]]).unwrap();
    assert!(far.elsewhere == 120 && far.is_elsewhere(2));
    assert_eq!(counted("near", [[4, 0, 7, 0], [0; 4]]), None, "counters started again");
}
