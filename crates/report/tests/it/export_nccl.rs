//! Topology files: what they contain, and that any name leaves them readable.

use nearfar_devices::{DeviceNode, NodeVerdict};
use nearfar_machine::{CpuFamily, Inventory, InventoryScope, Topology};
use nearfar_model::NodeId;
use nearfar_report::export::nccl::{self, NcclFlavour, NcclInput};
use nearfar_survey::Survey;
use proptest::prelude::*;
use roxmltree::Document;

use crate::export_hwloc::survey_with_bandwidth;
use crate::made_machine::{MadeMachine, MadeNode, document};

/// The longest value that NCCL reads.
const LONGEST: usize = 254;

/// A GPU and a network card behind a switch of node 0, a GPU on a root port of node 1.
fn machine(net: &str) -> MadeMachine {
    let machine = MadeMachine::two_nodes();
    let switch = "pci0000:10/0000:10:01.0/0000:11:00.0";
    machine.function("pci0000:10/0000:10:01.0", "60400", "8086:2030", 0);
    machine.function(switch, "60400", "10B5:8749", 0);
    for (port, device, class, id) in
        [("08", "0000:13:00.0", "30200", "10DE:2330"), ("10", "0000:14:00.0", "20000", "15B3:1021")]
    {
        let port = format!("{switch}/0000:12:{port}.0");
        machine.function(&port, "60400", "10B5:8749", 0);
        machine.pcie_link(&port, ("16.0", 8), ("16.0", 8));
        let device = format!("{port}/{device}");
        machine.function(&device, class, id, 0);
        machine.pcie_link(&device, ("2.5", 8), ("32.0", 16));
    }
    let folder = format!("{switch}/0000:12:10.0/0000:14:00.0/net/{net}");
    machine.attribute(&folder, "uevent", "");
    machine.link(&format!("sys/class/net/{net}"), &format!("sys/devices/{folder}"));
    machine.function("pci0000:80/0000:80:01.0", "60400", "8086:2030", 1);
    machine.function("pci0000:80/0000:80:01.0/0000:81:00.0", "30200", "10DE:2330", 1);
    machine
}

fn exported(
    machine: &MadeMachine,
    survey: Option<&Survey>,
    change: impl FnOnce(&mut nearfar_devices::DevicesDocument),
) -> Option<String> {
    let source = machine.source();
    let mut document = document(&source, InventoryScope::Usual);
    change(&mut document);
    let (topology, cpu) = (Topology::read(&source).ok(), CpuFamily::read(&source));
    let input = NcclInput {
        document: &document,
        inventory: &Inventory::read(&source, InventoryScope::All),
        topology: topology.as_ref(),
        cpu: cpu.as_ref(),
        survey,
    };
    nccl::text(&input, NcclFlavour::Nccl)
}

/// What NCCL's own parser demands beyond XML: no declaration, elements and comments on lines of
/// their own, one blank before each attribute, short values.
fn assert_nccl_reads(text: &str) {
    for line in text.lines().map(|line| line.trim_start_matches(' ')) {
        if line.starts_with("<!--") {
            assert!(line.starts_with("<!-- ") && line.ends_with("-->"), "{line:?}");
            continue;
        }
        let tag = line.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let tag = tag.strip_prefix('/').unwrap_or(tag);
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{line:?}");
        let mut attributes = 0;
        while !rest.is_empty() {
            let (_, value) = rest.split_once("=\"").unwrap();
            let (value, more) = value.split_once('"').unwrap();
            assert!(value.len() <= LONGEST, "{line:?}");
            assert!(more.is_empty() || more.starts_with(' '), "{line:?}");
            rest = more.strip_prefix(' ').unwrap_or(more);
            attributes += 1;
        }
        assert!(attributes <= 16, "{line:?}");
    }
}

/// A network card without a node, and GPUs of these nodes.
fn card_without_node(gpus: i32) -> MadeMachine {
    let machine = MadeMachine::two_nodes();
    for (bus, class, id, node) in
        [("10", "30200", "10DE:2330", gpus), ("80", "20000", "15B3:1021", -1)]
    {
        let port = format!("pci0000:{bus}/0000:{bus}:01.0");
        machine.function(&port, "60400", "8086:2030", node);
        machine.function(&format!("{port}/0000:{bus}:02.0"), class, id, node);
    }
    machine
}

#[test]
fn cards_without_node_are_warned_of_beside_gpus_with_one() {
    let warning = "<!-- warning: no node is known for NIC0 (numa_node is -1), and GPUs have one";
    let with = exported(&card_without_node(0), None, |_| {}).unwrap();
    assert!(with.contains(warning) && with.contains("numaid=\"-1\""), "{with}");
    assert_nccl_reads(&with);
    // Without a node of any, there is none to be far from.
    let without = exported(&card_without_node(-1), None, |_| {}).unwrap();
    let other = exported(&machine("eth0"), None, |_| {}).unwrap();
    assert!(!without.contains("warning") && !other.contains("warning"), "{without}{other}");
}

#[test]
fn switches_contain_their_devices() {
    let text = exported(&machine("eth0"), None, |_| ()).unwrap();
    let expected = r#"<!-- Topology of an unknown machine for NCCL: set NCCL_TOPO_FILE to this file -->
<!-- NCCL adds numbers and links of GPUs, and speeds of networks -->
<system version="1">
  <cpu numaid="0" affinity="0000000f">
    <pci busid="0000:11:00.0" class="0x060400" vendor="0x10b5" device="0x8749" link_speed="" link_width="0">
      <!-- GPU0: NVIDIA -->
      <!-- its link has 8 of 16 lanes now -->
      <pci busid="0000:13:00.0" class="0x030200" vendor="0x10de" device="0x2330" link_speed="16.0 GT/s PCIe" link_width="8"/>
      <!-- NIC0: Mellanox -->
      <!-- its link has 8 of 16 lanes now -->
      <pci busid="0000:14:00.0" class="0x020000" vendor="0x15b3" device="0x1021" link_speed="16.0 GT/s PCIe" link_width="8">
        <nic>
          <net name="eth0"/>
        </nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="000000f0">
    <!-- GPU1: NVIDIA -->
    <pci busid="0000:81:00.0" class="0x030200" vendor="0x10de" device="0x2330" link_speed="" link_width="0"/>
  </cpu>
</system>
"#;
    assert_eq!(text, expected);
    assert_nccl_reads(&text);
}

#[test]
fn nodes_that_only_firmware_names_are_exported() {
    let text = exported(&machine("eth0"), None, |document| {
        let gpu = &mut document.devices.iter_mut().find(|one| one.label == "GPU1").unwrap().node;
        (gpu.node, gpu.verdict) = (Some(NodeId(0)), NodeVerdict::FirmwareOnly);
    });
    let text = text.unwrap();
    assert!(!text.contains("numaid=\"1\""), "{text}");
    assert!(text.contains("<!-- the kernel knows no node of it; firmware names node 0 -->"));
}

#[test]
fn unknown_nodes_are_minus_one() {
    let machine = machine("eth0");
    machine.function("pci0000:80/0000:80:01.0/0000:81:00.0", "30200", "10DE:2330", -1);
    let text = exported(&machine, None, |_| ()).unwrap();
    assert!(text.contains("<cpu numaid=\"-1\">\n"), "{text}");
    assert!(text.contains("<!-- the node of the devices below is unknown -->"), "{text}");
}

#[test]
fn the_only_node_is_named_as_such() {
    let machine = MadeMachine::new(&[MadeNode { id: 0, package: 0, cpus: "0-3" }]);
    machine.function("pci0000:10/0000:10:01.0", "30200", "10DE:2330", -1);
    let text = exported(&machine, None, |_| ()).unwrap();
    let why = "<!-- the kernel has -1 for the devices below; the machine has one node -->\n  \
               <cpu numaid=\"-1\">\n";
    assert!(text.contains(why), "{text}");
}

/// What the file has about the network card, if its node is changed like this.
fn remarks_of_network(change: impl FnOnce(&mut DeviceNode)) -> String {
    let text = exported(&machine("eth0"), None, |document| {
        change(&mut document.devices.iter_mut().find(|one| one.label == "NIC0").unwrap().node);
    });
    let text = text.unwrap();
    assert_nccl_reads(&text);
    let (_, network) = text.split_once("<!-- NIC0").unwrap();
    network.split_once("<pci").unwrap().0.to_owned()
}

#[test]
fn other_nodes_below_a_switch_are_comments() {
    let unknown = remarks_of_network(|of| {
        (of.node, of.verdict, of.claims) = (None, NodeVerdict::Unknown, Vec::new());
    });
    let why = "<!-- its node is unknown; another device of its switch has node 0 -->";
    assert!(unknown.contains(why), "{unknown}");
    let other = remarks_of_network(|of| of.node = Some(NodeId(1)));
    let why = "<!-- its node is 1; another device of its switch has node 0 -->";
    assert!(other.contains(why), "{other}");
}

#[test]
fn disputed_nodes_have_a_comment() {
    let remarks = remarks_of_network(|of| of.verdict = NodeVerdict::Disputed);
    let why = "<!-- witnesses name different nodes of it; the kernel has node 0 -->";
    assert!(remarks.contains(why), "{remarks}");
    assert!(!remarks.contains("another device"), "{remarks}");
}

#[test]
fn narrow_links_of_switches_have_a_comment() {
    let machine = machine("eth0");
    for path in ["pci0000:10/0000:10:01.0", "pci0000:10/0000:10:01.0/0000:11:00.0"] {
        machine.pcie_link(path, ("16.0", 4), ("16.0", 16));
    }
    let text = exported(&machine, None, |_| ()).unwrap();
    let why = "    <!-- its link has 4 of 16 lanes now -->\n    <pci busid=\"0000:11:00.0\"";
    assert!(text.contains(why), "{text}");
}

#[test]
fn machines_without_devices_have_no_topology() {
    assert_eq!(exported(&MadeMachine::two_nodes(), None, |_| ()), None);
}

#[test]
fn long_domains_are_left_out() {
    let machine = machine("eth0");
    machine.function("pci10000:00/10000:00:02.0/10000:01:00.0", "20000", "15B3:1021", 0);
    let text = exported(&machine, None, |_| ()).unwrap();
    let why = "<!-- 10000:01:00.0 is left out: NCCL reads domains of four digits -->";
    assert!(text.contains(why) && !text.contains("busid=\"10000"), "{text}");
}

#[test]
fn bandwidths_are_comments() {
    let text = exported(&machine("eth0"), Some(&survey_with_bandwidth()), |_| ()).unwrap();
    assert!(text.contains(
        "<!-- CPUs 0 from node 1: 20.0 GB/s (95 % interval 19.0 to 21.0) -->\n\
         <!-- CPUs 1 from node 0: undetermined, its memory was full -->"
    ));
    Document::parse(&text).unwrap();
    assert_nccl_reads(&text);
}

#[test]
fn long_masks_are_left_to_nccl() {
    let many = MadeNode { id: 0, package: 0, cpus: "0,900" };
    let machine = MadeMachine::new(&[many]);
    machine.function("pci0000:10/0000:10:01.0", "30200", "10DE:2330", 0);
    let text = exported(&machine, None, |_| ()).unwrap();
    assert!(text.contains("<cpu numaid=\"0\">\n"), "{text}");
    assert_nccl_reads(&text);
}

#[test]
fn characters_that_xml_forbids_are_replaced() {
    let text = exported(&machine("e\u{ffff}<\u{7}"), None, |document| {
        document.machine = Some("a\u{fffe}--\u{1b}[31m".to_owned());
    });
    let text = text.unwrap();
    let xml = Document::parse(&text).unwrap();
    assert!(xml.descendants().any(|node| node.attribute("name") == Some("e\u{fffd}<\u{fffd}")));
    assert!(text.starts_with("<!-- Topology of a\u{fffd}- -\u{fffd}[31m for NCCL"), "{text}");
}

proptest! {
    #[test]
    fn any_name_leaves_the_file_readable(
        net in "[^/\0]{1,15}".prop_filter("no folder", |name| !name.starts_with('.')),
        vendor in any::<String>(),
        model in "[-<>&\"' a]{0,20}",
    ) {
        let text = exported(&machine(&net), None, |document| {
            document.machine = Some(model.clone());
            for device in &mut document.devices {
                (device.vendor, device.model) = (Some(vendor.clone()), Some(model.clone()));
            }
        });
        let text = text.unwrap();
        let xml = Document::parse(&text).unwrap();
        assert_nccl_reads(&text);
        let name = xml.descendants().find_map(|node| {
            node.has_tag_name("net").then(|| node.attribute("name").unwrap())
        });
        if net.bytes().all(|byte| byte.is_ascii_graphic()) {
            prop_assert_eq!(name, Some(net.as_str()));
        }
        prop_assert_eq!(xml.descendants().filter(|node| node.has_tag_name("pci")).count(), 4);
    }
}
