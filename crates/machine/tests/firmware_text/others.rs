use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::text::{device_tree, list, smbios};
use nearfar_firmware::{Firmware, ReadState, SkippedFile};
use nearfar_machine::physical_map::PhysicalMap;
use nearfar_machine::text::physical_map;
use nearfar_machine::{Source, firmware_tables};
use snapbox::{assert_data_eq, str};

use super::TABLES;
use super::make::{Node, TableBytes, blob, cpu, memory, structure, table};

const GIB: u64 = 1 << 30;

fn srat() -> Vec<u8> {
    let ranges =
        [memory(0, 0, GIB, 1), memory(1, GIB, GIB, 3), memory(1, 8 * GIB, GIB, 3), cpu(0, 0, true)];
    table("SRAT", 3, TableBytes::with_size(48), &ranges)
}

fn dmi() -> Vec<u8> {
    let socket = |handle, status: u8| {
        let fields = TableBytes::with_size(42)
            .put(4, [1])
            .put(16, [2])
            .put(22, 2500u16.to_le_bytes())
            .put(24, [status]);
        structure(4, handle, fields.put(35, [16, 12, 32]), &["CPU0", "Example 9000"])
    };
    let slot = |handle, mib: u16, locator| {
        let fields = TableBytes::with_size(40)
            .put(12, mib.to_le_bytes())
            .put(16, [1, 2, 26])
            .put(21, 3200u16.to_le_bytes());
        let fields = fields.put(23, [3]).put(26, [4, 2]).put(32, 2933u16.to_le_bytes());
        structure(17, handle, fields, &[locator, "P0 CHANNEL A", "Maker", "PART-1"])
    };
    let end = structure(127, 9, TableBytes::with_size(4), &[]);
    [socket(1, 0x41), socket(2, 0), slot(3, 16384, "DIMM 0"), slot(4, 0, "DIMM 1"), end].concat()
}

fn tree() -> Vec<u8> {
    let cells = |numbers: &[u32]| {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>()
    };
    let text = |text: &str| format!("{text}\0").into_bytes();
    let node = |id: u32| ("numa-node-id", cells(&[id]));
    let cpu = |name, id: u32, numa: u32| {
        Node(name, vec![("device_type", text("cpu")), ("reg", cells(&[id])), node(numa)], vec![])
    };
    blob(&Node(
        "",
        vec![
            ("model", text("Board")),
            ("compatible", text("maker,board")),
            ("#address-cells", cells(&[2])),
            ("#size-cells", cells(&[2])),
        ],
        vec![
            Node(
                "memory@0",
                vec![
                    ("device_type", text("memory")),
                    ("reg", cells(&[0, 0, 0, 0x4000_0000])),
                    node(0),
                ],
                vec![],
            ),
            Node(
                "memory@100000000",
                vec![("reg", cells(&[1, 0, 0, 0x4000_0000])), node(1)],
                vec![],
            ),
            Node(
                "cpus",
                vec![],
                vec![cpu("cpu@0", 0, 0), cpu("cpu@1", 1, 0), cpu("cpu@100", 0x100, 1)],
            ),
            Node("pcie@40000000", vec![node(1)], vec![]),
            Node(
                "distance-map",
                vec![
                    ("compatible", text("numa-distance-map-v1")),
                    ("distance-matrix", cells(&[0, 0, 10, 0, 1, 20, 1, 1, 10])),
                ],
                vec![],
            ),
        ],
    ))
}

fn machine() -> Source {
    let mut files = vec![
        (format!("{TABLES}/SRAT"), srat()),
        ("/sys/firmware/dmi/tables/DMI".to_owned(), dmi()),
        ("/sys/firmware/fdt".to_owned(), tree()),
    ];
    let mut add =
        |path: &str, content: &str| files.push((path.to_owned(), content.as_bytes().to_vec()));
    for (number, (first, last, kind)) in [
        ("0x0", "0x9fbff", "System RAM"),
        ("0x100000", "0x7fffffff", "System RAM"),
        ("0xfec00000", "0xffffffff", "Reserved"),
    ]
    .iter()
    .enumerate()
    {
        add(&format!("/sys/firmware/memmap/{number}/start"), first);
        add(&format!("/sys/firmware/memmap/{number}/end"), last);
        add(&format!("/sys/firmware/memmap/{number}/type"), kind);
    }
    add("/sys/devices/system/memory/block_size_bytes", "40000000");
    for block in 0..2 {
        add(&format!("/sys/devices/system/memory/memory{block}/state"), "online");
        add(&format!("/sys/devices/system/node/node{block}/memory{block}/state"), "online");
    }
    Source::from_files(files)
}

#[test]
fn the_list_has_all_tables_and_unreadable_ones() {
    let mut firmware = firmware_tables::read(&machine());
    let mut denied = firmware.tables[0].clone();
    (denied.name, denied.path, denied.state) =
        ("SLIT".to_owned(), format!("{TABLES}/SLIT"), ReadState::Denied);
    let mut nonsense = denied.clone();
    (nonsense.name, nonsense.state) =
        ("x.dat".to_owned(), ReadState::Malformed { why: "7 bytes are no ACPI table".to_owned() });
    firmware.tables.extend([denied, nonsense]);
    firmware.skipped.push(SkippedFile {
        path: "notes.txt".to_owned(),
        why: "it has no known firmware format".to_owned(),
        may_be_a_table: false,
    });
    assert_data_eq!(
        list(&firmware).plain(),
        str![[r#"
Firmware: 3 ACPI tables, 2 not read, no fault.
About NUMA: SRAT (nodes), SLIT (distances).
Missing: HMAT (costs).

What to do
  sudo nearfar firmware  # the tables that only root may read
  nearfar firmware srat  # shows it; also device-tree, smbios
  nearfar diagnose       # the nodes that the kernel makes of these tables

ACPI tables of a handwritten machine
table  revision  bytes  checksum  maker      where
SRAT          3    184  good      HAND MADE  /sys/firmware/acpi/tables/SRAT
SLIT          -      -  -                    /sys/firmware/acpi/tables/SLIT: unreadable: not root
x.dat         -      -  -                    /sys/firmware/acpi/tables/SLIT: 7 bytes are no ACPI
                                             table

device tree: 2 memory nodes, 3 CPUs, names NUMA nodes (/sys/firmware/fdt)
SMBIOS: 2 sockets, 2 slots of memory (/sys/firmware/dmi/tables/DMI)

Looked at, and left out
  notes.txt: it has no known firmware format

Firmware: 3 ACPI tables, 2 not read, no fault

"#]]
    );
}

#[test]
fn a_machine_without_firmware_is_reported() {
    assert_data_eq!(
        list(&firmware_tables::read(&Source::from_files([("/sys/x", "")]))).plain(),
        str![[r#"
Firmware: no tables.
a handwritten machine holds none, so what its firmware describes is unknown. 'sudo nearfar capture'
on that machine includes its tables.

Firmware: no tables

"#]]
    );
}

#[test]
fn smbios_shows_sockets_channels_and_slots() {
    let firmware = firmware_tables::read(&machine());
    assert_data_eq!(
        smbios(firmware.smbios.as_ref().unwrap()).plain(),
        str![[r#"
SMBIOS of unknown version, 5 structures: 1 of 2 sockets filled, 1 of 2 slots of memory filled with
16 GiB
/sys/firmware/dmi/tables/DMI
SMBIOS: no fault.

Sockets
socket  processor     cores  enabled  threads   MHz  state
CPU0    Example 9000     16       12       32  2500  enabled
CPU0    Example 9000     16       12       32  2500  empty

Channels, from the names of slots
socket  channel  slots  filled  memory
0       A            2       1  16 GiB

Slots of memory
slot    bank          socket  channel  memory  kind  MT/s  ranks  maker  part
DIMM 0  P0 CHANNEL A  0       A        16 GiB  DDR4  2933      2  Maker  PART-1
DIMM 1  P0 CHANNEL A  0       A         empty

SMBIOS: no fault

"#]]
    );
}

#[test]
fn a_device_tree_shows_nodes_and_distances() {
    let firmware = firmware_tables::read(&machine());
    assert_data_eq!(
        device_tree(firmware.device_tree.as_ref().unwrap()).plain(),
        str![[r#"
Device tree of Board (maker,board)
/sys/firmware/fdt
Device tree: no fault.

Memory
node  first address  last address   size  where              remarks
   0            0x0    0x3fffffff  1 GiB  /memory@0
   1    0x100000000   0x13fffffff  1 GiB  /memory@100000000  no device_type: Linux does not see it

CPUs
node  CPUs  ids (MPIDR or hart)
   0     2  0x0-0x1
   1     1  0x100

Other parts that name a node
node  where
   1  /pcie@40000000

Distances between nodes, from row to column (10 is local; /distance-map)
node   0   1
   0  10  20
   1  20  10

Device tree: no fault

"#]]
    );
}

#[test]
fn the_map_joins_tables_and_kernel() {
    let source = machine();
    let firmware = firmware_tables::read(&source);
    assert_data_eq!(
        physical_map(&PhysicalMap::read(&firmware, Some(&source), &KernelLog::default())).plain(),
        str![[r#"
Address map: 7 ranges, 2 GiB of RAM.

Physical addresses
first address  last address      size  what      domain  node  blocks  remarks
          0x0       0x9fbff   639 KiB  RAM            0     0  0
      0x9fc00       0xfffff   385 KiB                 0     0  0       not in firmware's map
     0x100000    0x3fffffff  1023 MiB  RAM            0     0  0
   0x40000000    0x7fffffff     1 GiB  RAM            1     1  1       hot-pluggable
   0xfec00000    0xffffffff    20 MiB  Reserved
  0x100000000   0x13fffffff     1 GiB                       1
  0x200000000   0x23fffffff     1 GiB                 1                not in firmware's map,
                                                                       hot-pluggable

The kernel adds and removes memory in blocks of 1 GiB.

Address map: 7 ranges, 2 GiB of RAM

"#]]
    );
    let tables = Firmware { device_tree: None, ..firmware };
    assert_data_eq!(
        physical_map(&PhysicalMap::read(&tables, None, &KernelLog::default())).plain(),
        str![[r#"
Address map: 3 ranges, 3 GiB in 2 domains, RAM unknown.

Unknown
  there are only tables: the kernel's nodes are unknown

Physical addresses
first address  last address   size  domain  remarks
          0x0    0x3fffffff  1 GiB       0
   0x40000000    0x7fffffff  1 GiB       1  hot-pluggable
  0x200000000   0x23fffffff  1 GiB       1  hot-pluggable

Address map: 3 ranges, 3 GiB in 2 domains, RAM unknown

"#]]
    );
    let nothing = Source::from_files([("/sys/x", "")]);
    let nothing = PhysicalMap::read(&Firmware::default(), Some(&nothing), &KernelLog::default());
    assert_data_eq!(
        physical_map(&nothing).plain(),
        str![[r#"
Address map: none is available.

Unknown
  the kernel has no memory map: /sys/firmware/memmap exists only on x86
  the kernel has no memory blocks: it lacks memory hotplug, or they were not captured

Address map: none is available

"#]]
    );
}
