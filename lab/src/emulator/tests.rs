//! Machines as QEMU's arguments.

use super::device_tree::{Branch, DeviceTreeBlob};
use super::*;

const NEW: QemuVersion = QemuVersion { major: 10, minor: 0 };

fn words(machine: &LabMachine) -> Vec<String> {
    let words = arguments(machine, Path::new("qemu"), NEW, Path::new("/nowhere")).unwrap();
    words.into_iter().map(|word| word.into_string().unwrap()).collect()
}

fn of(name: &str) -> Vec<String> {
    words(&LabMachine::load(name).unwrap())
}

/// A description in a file of its own.
fn written(text: &str) -> LabMachine {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(folder.path().join("a,b.bin"), "table").unwrap();
    LabMachine::load(path.to_str().unwrap()).unwrap()
}

/// The values of all options of this name.
fn values<'w>(words: &'w [String], option: &str) -> Vec<&'w str> {
    words.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].as_str()).collect()
}

#[test]
fn a_pc_gets_a_memory_block_a_node_and_every_distance() {
    let words = of("xeon-2s");
    let objects = ["memory-backend-ram,id=m0,size=384M", "memory-backend-ram,id=m1,size=384M"];
    assert_eq!(values(&words, "-object"), objects);
    let numa = values(&words, "-numa");
    assert_eq!(numa[..2], ["node,nodeid=0,memdev=m0,cpus=0-1", "node,nodeid=1,memdev=m1,cpus=2-3"]);
    assert!(numa.contains(&"dist,src=0,dst=1,val=21") && numa.len() == 6, "{numa:?}");
    assert_eq!(values(&words, "-smp"), ["4,sockets=2,dies=1,cores=2,threads=1"]);
    assert_eq!(values(&words, "-m"), ["768M"]);
}

#[test]
fn nodes_of_a_package_share_no_cache() {
    let two_a_node = of("epyc-9224-nps2-cxl");
    assert_eq!(values(&two_a_node, "-smp"), ["8,sockets=2,dies=2,cores=2,threads=1"]);
    assert!(!values(&two_a_node, "-cpu")[0].contains("l3-cache"));
    let one_a_node = of("epyc-7451-2p");
    assert_eq!(values(&one_a_node, "-smp"), ["8,sockets=2,dies=1,cores=4,threads=1"]);
    assert!(values(&one_a_node, "-cpu")[0].ends_with(",l3-cache=off"));
}

#[test]
fn nodes_without_cpus_or_memory_have_no_such_argument() {
    assert!(values(&of("memoryless"), "-numa").contains(&"node,nodeid=1,cpus=2-3"));
    assert!(
        values(&of("epyc-9224-nps2-cxl"), "-numa").contains(&"node,nodeid=4,memdev=m4,initiator=1")
    );
}

#[test]
fn an_hmat_has_latency_and_bandwidth_of_every_pair() {
    let words = of("epyc-9224-nps2-cxl");
    assert_eq!(values(&words, "-M"), ["q35,hmat=on"]);
    let claims: Vec<_> =
        values(&words, "-numa").into_iter().filter(|numa| numa.starts_with("hmat-lb")).collect();
    assert_eq!(claims.len(), 2 * 4 * 5);
    let pair = "hmat-lb,initiator=2,target=4,hierarchy=memory,data-type=access";
    assert!(claims.contains(&format!("{pair}-latency,latency=364").as_str()));
    assert!(claims.contains(&format!("{pair}-bandwidth,bandwidth=17600M").as_str()));
}

#[test]
fn one_described_node_needs_no_argument() {
    for name in ["hidden-2n", "firmware-interleaved", "sc2a11-24c"] {
        let words = of(name);
        assert!(
            values(&words, "-numa").is_empty() && values(&words, "-dtb").is_empty(),
            "{name}: {words:?}"
        );
        assert_eq!(values(&words, "-m"), ["768M"], "{name}");
    }
}

#[test]
fn devices_are_below_ports_of_their_host_bridges() {
    let machine = written(
        "summary = 's'\narch = 'x86_64'\nlatency = { flat_ns = 9 }\nnode = [{ id = 0, cpus = \
         '0', memory = '128M' }, { id = 1, memory = '128M' }]\nhost_bridge = [{ id = 'a', node = \
         1 }, { id = 'b' }]\ndevice = [{ kind = 'nvme', at = 'a/s1' }, { kind = 'virtio-net', at \
         = 'a/s1' }, { kind = 'usb-storage', at = 'b' }]",
    );
    let words = words(&machine);
    let devices = [
        "pxb-pcie,id=host-a,bus=pcie.0,bus_nr=32,numa_node=1",
        "pcie-root-port,id=port1,bus=host-a,addr=0x0,chassis=1",
        "x3130-upstream,id=host-a.s1,bus=port1",
        "xio3130-downstream,id=port2,bus=host-a.s1,addr=0x0,chassis=2",
        "nvme,drive=disk0,serial=lab0,id=device0,bus=port2",
        "xio3130-downstream,id=port3,bus=host-a.s1,addr=0x1,chassis=3",
        "virtio-net-pci,netdev=net1,mac=52:54:00:00:00:01,id=device1,bus=port3",
        "pxb-pcie,id=host-b,bus=pcie.0,bus_nr=40",
        "pcie-root-port,id=port4,bus=host-b,addr=0x0,chassis=4",
        "qemu-xhci,id=device2,bus=port4",
        "usb-storage,bus=device2.0,drive=disk2,serial=lab2",
    ];
    assert_eq!(values(&words, "-device"), devices);
    assert_eq!(values(&words, "-netdev"), ["hubport,id=net1,hubid=0"]);
    assert_eq!(values(&words, "-blockdev").len(), 2);
}

#[test]
fn tables_are_injected() {
    let machine = written(
        "summary = 's'\narch = 'x86_64'\nlatency = { flat_ns = 9 }\nfirmware = { tables = \
         ['a,b.bin'] }\nnode = [{ id = 0, cpus = '0', memory = '256M' }]",
    );
    let words = words(&machine);
    let table = values(&words, "-acpitable")[0];
    assert!(table.starts_with("file=/") && table.ends_with("/a,,b.bin"), "{table}");
}

#[test]
fn apic_ids_have_a_field_for_each_part() {
    // Three cores a die need two bits.
    let machine = written(
        "summary = 's'\narch = 'x86_64'\npackages = 2\nthreads_per_core = 2\nlatency = { \
         flat_ns = 9 }\nnode = [{ id = 0, cpus = '0-11', memory = '256M' }]",
    );
    let ids = [0, 1, 2, 5, 6, 11].map(|cpu| x86_64::apic_id(&machine, cpu));
    assert_eq!(ids, [0, 1, 2, 5, 8, 13]);
    let dies = LabMachine::load("epyc-9224-nps2-cxl").unwrap();
    assert_eq!([1, 2, 4, 7].map(|cpu| x86_64::apic_id(&dies, cpu)), [1, 2, 4, 7]);
}

#[test]
fn the_kernel_is_asked_what_the_machine_asks() {
    let machine = |arch| {
        let rest = "node = [{ id = 0, cpus = '0', memory = '256M' }]\nlatency = { flat_ns = 9 }";
        written(&format!("summary = 's'\narch = '{arch}'\nkernel_args = ' numa=off '\n{rest}"))
    };
    let arguments = kernel_arguments(&machine("x86_64"));
    assert!(
        arguments.starts_with("tsc=reliable ") && arguments.ends_with(" nokaslr numa=off"),
        "{arguments}"
    );
    assert_eq!(kernel_arguments(&machine("aarch64")), "numa=off");
    assert_eq!(kernel_arguments(&LabMachine::load("sc2a11-24c").unwrap()), "");
}

/// The branches of a tree that name a node, with its id.
fn labelled(branch: &Branch) -> Vec<(String, u8)> {
    let below = branch.children.iter().flat_map(labelled);
    let own = branch.properties.iter().find(|(name, _)| name == "numa-node-id");
    own.map(|(_, id)| (branch.name.clone(), id[3])).into_iter().chain(below).collect()
}

#[test]
fn a_boards_tree_may_have_gaps_in_node_numbers() {
    let mut cpus = Branch::new("cpus");
    cpus.children = ["cpu-map", "cpu@0", "cpu@1", "cpu@100", "cpu@101"].map(Branch::new).into();
    cpus.children[1].set_cells("phandle", &[7]);
    let mut root = Branch::new("");
    root.children = vec![Branch::new("memory@40000000"), cpus];
    let mut tree = DeviceTreeBlob { reserved: Vec::new(), boot_cpu: 0, root };
    numa_tree::describe_nodes(&LabMachine::load("sparse-a64").unwrap(), &mut tree);

    let labels = [
        ("cpu@0", 0),
        ("cpu@1", 0),
        ("cpu@100", 2),
        ("cpu@101", 2),
        ("ram@40000000", 0),
        ("ram@50000000", 2),
        ("ram@60000000", 5),
    ];
    assert_eq!(labelled(&tree.root), labels.map(|(name, id)| (name.to_owned(), id)));
    let caches = tree.root.children[1].children[1..].iter().filter_map(|branch| {
        let cache = branch
            .properties
            .iter()
            .find(|(name, _)| name == "next-level-cache" || name == "cache-level");
        let number = branch.properties.iter().find(|(name, _)| name == "phandle");
        Some((cache?.1[3], number.map(|(_, number)| number[3])))
    });
    // Each CPU's cache; then the two caches, which are of level 2.
    let expected = [(8, Some(7)), (8, None), (10, None), (10, None), (2, Some(8)), (2, Some(10))];
    assert_eq!(caches.collect::<Vec<_>>(), expected);
    let map = tree.root.children.iter().find(|branch| branch.name == "distance-map").unwrap();
    let (_, cells) = map.properties.iter().find(|(name, _)| name == "distance-matrix").unwrap();
    // Node 2 to node 5: the sixth of nine.
    assert_eq!(cells[5 * 12..6 * 12], [0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 36]);
    let ram = tree.root.children.iter().find(|branch| branch.name == "ram@50000000").unwrap();
    assert!(ram.properties.contains(&("device_type".to_owned(), b"memory\0".to_vec())));
    let reg = [0x5000_0000_u64.to_be_bytes(), (256_u64 << 20).to_be_bytes()].concat();
    assert!(ram.properties.contains(&("reg".to_owned(), reg)));
}

#[test]
fn qemus_output_explains_a_missing_tree() {
    let scratch = tempfile::tempdir().unwrap();
    let machine = LabMachine::load("sparse-a64").unwrap();
    let error =
        arguments(&machine, Path::new("/bin/true"), NEW, scratch.path()).unwrap_err().to_string();
    assert!(error.starts_with("/bin/true wrote no device tree to "), "{error}");
    std::fs::write(scratch.path().join("board.dtb"), "no tree").unwrap();
    let error =
        arguments(&machine, Path::new("/bin/true"), NEW, scratch.path()).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "board.dtb is no device tree: it does not begin as one: is this QEMU damaged?"
        ),
        "{error}"
    );
}

#[test]
fn served_disks_share_memory_and_have_times() {
    let words = of("disks-2s");
    let memory = ["m0", "m1"].map(|id| format!("memory-backend-memfd,id={id},size=512M,share=on"));
    assert_eq!(values(&words, "-object"), memory);
    let chardevs =
        [1, 2].map(|disk| format!("socket,id=disk{disk},path=/nowhere/disk{disk}.socket"));
    assert_eq!(values(&words, "-chardev"), chardevs);
    let disks = values(&words, "-blockdev");
    assert!(disks.len() == 2 && disks.iter().all(|disk| disk.ends_with(",latency-ns=2100000")));
    let devices = values(&words, "-device");
    let has = |device: &str| devices.iter().any(|words| words.starts_with(device));
    assert!(has("vhost-user-blk-pci,chardev=disk1,num-queues=4,queue-size=128,id="), "{devices:?}");
    let queues = "num-queues=4,queue-size=128,vectors=2";
    assert!(has(&format!("vhost-user-blk-pci,chardev=disk2,{queues},id=")), "{devices:?}");
}
