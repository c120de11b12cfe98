use nearfar_model::{CpuSet, NodeId};

use super::*;
use crate::inventory::{Inventory, InventoryScope};
use crate::pci::KernelNode;
use crate::source::{Source, SourceKind};
use crate::topology::Topology;

const HWLOC: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" nodeset="0x00000003">
    <info name="DMIProductName" value="PowerEdge R740"/>
    <object type="Package" os_index="0" cpuset="0x00000003" nodeset="0x00000001">
      <info name="CPUModel" value="Xeon Gold 6148"/>
      <object type="NUMANode" os_index="0" cpuset="0x00000003" nodeset="0x00000001"
        local_memory="1073741824"/>
      <object type="L3Cache" cpuset="0x00000003" cache_size="8388608" depth="3" cache_type="0">
        <object type="Core" os_index="0" cpuset="0x00000003">
          <object type="PU" os_index="0" cpuset="0x00000001"/>
          <object type="PU" os_index="1" cpuset="0x00000002"/>
        </object>
      </object>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-05]">
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:00:03.0"
          pci_type="0604 [8086:3c08] [000f:0000] 07 00">
          <object type="PCIDev" pci_busid="0000:03:00.0"
            pci_type="0200 [8086:10d3] [00de:1094] a1 00">
            <object type="OSDev" name="eth0" osdev_type="2"/>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" nodeset="0x00000002">
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x00000002"/>
      <object type="PU" os_index="2" cpuset="0x00000004"/>
      <object type="PU" os_index="3" cpuset="0x00000008"/>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="4">0 1 </indexes>
    <u64values length="12">10 21 21 10 </u64values>
  </distances2>
</topology>
"#;

const NCCL: &str = r#"<system version="1">
  <cpu numaid="0" affinity="00000000,0000000f" arch="x86_64">
    <pci busid="0000:10:1c.0" class="0x060400" vendor="0x1000" device="0xc010">
      <pci busid="0000:11:00.0" class="0x030200" vendor="0x10de" device="0x20b5"
        link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="0"/></pci>
      <nic><net name="mlx5_0" dev="0"/></nic>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="000000f0"/>
</system>
"#;

fn source(text: &str) -> Source {
    let tree = read(text.as_bytes()).unwrap();
    Source::new(SourceKind::FileTree(tree), "x.xml", true)
}

#[test]
fn a_machine_of_hwloc_has_what_its_file_has() {
    let source = source(HWLOC);
    let topology = Topology::read(&source).unwrap();
    assert_eq!(topology.cpus.len(), 4);
    let nodes: Vec<String> =
        topology.nodes.iter().map(|node| format!("{}: {}", node.id, node.cpus)).collect();
    assert_eq!(nodes, ["0: 0-1", "1: 2-3"]);
    let distances = topology.distances.as_ref().unwrap();
    assert_eq!(distances.between(NodeId(0), NodeId(1)), Some(21));
    let inventory = Inventory::read(&source, InventoryScope::Usual);
    let eth0 = inventory
        .devices
        .iter()
        .find(|device| device.names.iter().any(|named| named.name == "eth0"))
        .unwrap();
    assert_eq!(eth0.node, KernelNode::Node(NodeId(0)), "{eth0:?}");
}

/// Of versions 2 and 3, whose types of devices differ.
#[test]
fn devices_of_hwloc_have_their_sizes_and_nodes() {
    let device = |name: &str, subtype: &str, kind: u32, info: &str| {
        format!(
            r#"<object type="OSDev" name="{name}" subtype="{subtype}" osdev_type="{kind}">{info}
            </object>"#
        )
    };
    for (version, [disk, memory]) in [("2.0", [0, 0]), ("3.0", [1, 2])] {
        let size = r#"<info name="Size" value="4KiB"/>"#;
        let cxl = r#"<info name="CXLRAMSize" value="2"/><info name="CXLPMEMSize" value="3KiB"/>"#;
        let pci = |address: &str, class: &str, inner: &str| {
            format!(
                r#"<object type="PCIDev" pci_busid="{address}" pci_type="{class} [8086:1]">{inner}
                </object>"#
            )
        };
        let text = format!(
            r#"<topology version="{version}"><object type="Machine" nodeset="0x3">
            <object type="PU" os_index="0" cpuset="0x1"/>
            <object type="NUMANode" os_index="0" cpuset="0x1" nodeset="0x1"/>
            <object type="NUMANode" os_index="1" cpuset="0x1" nodeset="0x2"/>{}{}
            <object type="Group" nodeset="0x2">{}{}{}</object></object></topology>"#,
            pci("0000:01:00.0", "0106", &device("sda", "Disk", disk, size)),
            pci("0000:02:00.0", "0502", &device("mem0", "CXLMem", memory, cxl)),
            device("dax0.0", "SPM", memory, size),
            device("pmem0", "NVM", disk, size),
            device("../sdb", "Disk", disk, size),
        );
        let inventory = Inventory::read(&source(&text), InventoryScope::Usual);
        let found: Vec<String> = inventory
            .devices
            .iter()
            .map(|one| {
                let bytes = one.bytes.map_or(0, |bytes| bytes.0);
                format!("{} {bytes} {:?}", one.names[0].name, one.node)
            })
            .collect();
        let expected = [
            "sda 4096 Unknown",
            "mem0 5120 Unknown",
            "dax0.0 4096 Node(NodeId(1))",
            "pmem0 4096 Node(NodeId(1))",
        ];
        assert_eq!(found, expected, "{version}");
    }
}

#[test]
fn kinds_of_cpus_are_the_kernels() {
    let kinds = |infos: [&str; 2]| {
        let pus = r#"<object type="PU" os_index="0" cpuset="0x1"/>
            <object type="PU" os_index="1" cpuset="0x2"/>"#;
        let kinds = format!(
            r#"<cpukind cpuset="0x1">{}</cpukind><cpukind cpuset="0xff02">{}</cpukind>"#,
            infos[0], infos[1]
        );
        let text = format!(
            r#"<topology version="2.0"><object type="Machine">{pus}</object>{kinds}</topology>"#
        );
        let kinds = Topology::read(&source(&text)).unwrap().cpu_kinds;
        kinds.iter().map(|kind| format!("{} {}", kind.name, kind.cpus)).collect::<Vec<_>>()
    };
    let both = kinds([
        r#"<info name="CoreType" value="IntelCore"/>"#,
        r#"<info name="CoreType" value="IntelAtom"/>"#,
    ]);
    assert_eq!(both, ["P-cores 0", "E-cores 1"]);
    let capacities = kinds([
        r#"<info name="LinuxCapacity" value="446"/>"#,
        r#"<info name="LinuxCapacity" value="1024"/>"#,
    ]);
    assert_eq!(capacities, ["capacity 1024 1", "capacity 446 0"]);
}

/// hwloc 1 names no node of a machine with one, and synthetic machines have no packages.
#[test]
fn what_a_file_lacks_is_unknown() {
    let cpus = r#"<object type="PU" os_index="0" cpuset="0x1"/>"#;
    let topology = |inner: &str| {
        let text = format!(r#"<topology><object type="Machine">{inner}</object></topology>"#);
        Topology::read(&source(&text)).unwrap()
    };
    let without = topology(cpus);
    assert!(without.is_partial && without.are_nodes_unknown() && without.packages().is_empty());
    let node = r#"<object type="NUMANode" os_index="0" cpuset="0x1"/>"#;
    assert!(!topology(&format!("{node}{cpus}")).are_nodes_unknown());
    let kernel = Source::from_files([("/sys/devices/system/cpu/online", "0")]);
    assert!(!Topology::read(&kernel).unwrap().are_nodes_unknown());
}

#[test]
fn a_byte_order_mark_and_white_space_may_stand_before_it() {
    for start in ["\u{feff}", "\n  ", "\u{feff}\r\n"] {
        let text = format!("{start}{HWLOC}");
        assert!(is_begun_by(text.as_bytes()), "{start:?}");
        assert_eq!(Topology::read(&source(&text)).unwrap().cpus.len(), 4, "{start:?}");
    }
    assert!(!is_begun_by(b"ustar") && !is_begun_by(b" \n"));
}

#[test]
fn a_machine_of_nccl_has_nodes_and_devices() {
    let source = source(NCCL);
    let topology = Topology::read(&source).unwrap();
    let nodes: Vec<String> =
        topology.nodes.iter().map(|node| format!("{}: {}", node.id, node.cpus)).collect();
    assert_eq!(nodes, ["0: 0-3", "1: 4-7"]);
    let inventory = Inventory::read(&source, InventoryScope::Usual);
    assert!(
        inventory
            .devices
            .iter()
            .any(|device| device.names.iter().any(|named| named.name == "mlx5_0")),
        "{inventory:?}"
    );
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (text, why) in [
        ("<html/>", "its first element is 'html'"),
        ("<topology>", "it is cut off after line 1"),
        ("<topology x>", "it is no XML"),
        ("<topology", "it is cut off"),
        ("<topology/>", "it has no CPU and no node"),
        ("<system><cpu affinity='zz' numaid='x'><pci busid='../..'/></cpu></system>", "no CPU"),
    ] {
        let Err(NoTopology::NotUnderstood(found)) = read(text.as_bytes()) else { panic!("{text}") };
        assert!(found.contains(why), "{text}: {found}");
    }
    let deep = "<object type='Group'>".repeat(5_000) + &"</object>".repeat(5_000);
    assert!(read(format!("<topology>{deep}</topology>").as_bytes()).is_err());
}

/// A small text that describes more than any machine ends in a refusal, soon.
#[test]
fn a_machine_beyond_all_limits_is_refused() {
    let mask = vec!["0x55555555"; 2048].join(",");
    let cache = format!("<object type='L3Cache' depth='3' cpuset='{mask}'/>");
    let text = format!("<topology>{}</topology>", cache.repeat(8));
    assert!(matches!(read(text.as_bytes()), Err(NoTopology::TooLarge)));
    let pci = "<pci busid='0000:00:01.0'/>".repeat(20_000);
    let text = format!("<system><cpu numaid='0' affinity='{mask}'>{pci}</cpu></system>");
    assert!(matches!(read(text.as_bytes()), Err(NoTopology::TooLarge)));
}

#[test]
fn masks_have_words_of_32_bits() {
    for (mask, wanted) in [
        ("0x0000f06f", "0-3,5-6,12-15"),
        ("00000000,0000ffff,ff000000", "24-47"),
        ("0x1,0x0", "32"),
        ("0x1,,", "64"),
        ("zz", ""),
    ] {
        assert_eq!(set::<nearfar_model::CpuId>(mask).to_string(), wanted, "{mask}");
    }
}

/// Machines of the corpus that hwloc describes in both forms agree in nodes, CPUs and memory.
#[test]
fn snapshots_and_their_xml_are_the_same_machine() {
    let Some(corpus) = std::env::var_os("NEARFAR_CORPUS") else { return };
    let folder = std::path::Path::new(&corpus);
    let mut read_all = 0;
    for kind in ["hwloc-xml", "pci/nccl", "sysfs/hwloc"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|end| end != "xml") {
                continue;
            }
            let source = Source::open(&path).unwrap();
            // NCCL's static files may have no CPUs: then their devices are known alone.
            if source.list("/sys/devices/system/cpu").len() <= 3 {
                assert!(!source.list("/sys/bus/pci/devices").is_empty(), "{}", path.display());
                continue;
            }
            let topology = Topology::read(&source);
            let topology = topology.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!topology.cpus.is_empty(), "{}", path.display());
            read_all += 1;
            let twin = path.with_extension("tar.bz2");
            // Nodes that share CPUs are of no kernel.
            if !twin.exists() || path.ends_with("fakeheterocpunuma.xml") {
                continue;
            }
            let snapshot = Topology::read(&Source::open(&twin).unwrap()).unwrap();
            // lstopo leaves out what its control group forbids.
            let there = topology.cpus.iter().fold(CpuSet::new(), |mut all, cpu| {
                all.insert(cpu.id);
                all
            });
            for node in &topology.nodes {
                let same = snapshot.nodes.iter().find(|one| one.id == node.id);
                let cpus = same.map(|one| one.cpus.intersection(&there));
                assert_eq!(cpus.as_ref(), Some(&node.cpus), "{}", path.display());
            }
        }
    }
    assert!(read_all > 20, "{read_all}");
}

/// Memory mode of persistent memory, by hwloc 2.1 and before.
#[test]
fn caches_of_memory_are_no_caches_of_cpus() {
    let node = r#"<object type="NUMANode" os_index="0" cpuset="0x3" nodeset="0x1"/>"#;
    for kind in [r#"type="MemCache" depth="1""#, r#"type="L3Cache" subtype="MemorySideCache""#] {
        let text = format!(
            r#"<topology version="2.1"><object type="Machine" cpuset="0x3" nodeset="0x1">
            <object {kind} cpuset="0x3" nodeset="0x1" cache_size="103079215104">{node}</object>
            <object type="PU" os_index="0" cpuset="0x1"/><object type="PU" os_index="1"
            cpuset="0x2"/></object></topology>"#
        );
        let topology = Topology::read(&source(&text)).unwrap();
        let sizes: Vec<String> = topology.nodes[0]
            .side_caches
            .iter()
            .filter_map(|cache| Some(cache.size?.to_string()))
            .collect();
        assert_eq!(sizes, ["96 GiB"], "{kind}");
        assert!(topology.caches.is_empty(), "{kind}: {:?}", topology.caches);
    }
}
