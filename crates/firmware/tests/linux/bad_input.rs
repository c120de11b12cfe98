//! Any bytes give a prediction in bounded time.

use nearfar_firmware::Firmware;
use nearfar_firmware::device_tree::{
    DeviceTree, DistanceMap, MapEntry, TreeCpu, TreeMemory, TreeRange,
};
use nearfar_firmware::linux::{
    Architecture, CommandLine, KernelVersion, MemoryMap, PredictionInput, predict,
};
use nearfar_firmware::{FirmwareFile, ReadState};
use nearfar_model::NodeId;
use proptest::prelude::*;

use super::board::file;
use super::table::{
    cedt, hmat, hmat_memory, initiator, locality, memory, slit, srat, srat_with_cpus, two_nodes,
};

const ARCHITECTURES: [Architecture; 4] =
    [Architecture::X86, Architecture::Arm64, Architecture::Riscv, Architecture::Other];

/// Predicts on every architecture with an old and a new kernel. The result must be serialisable.
fn predict_all(firmware: &Firmware, map: Option<&MemoryMap>, line: &str) {
    for architecture in ARCHITECTURES {
        for kernel in [KernelVersion::new(6, 1), KernelVersion::new(7, 0)] {
            let prediction = predict(&PredictionInput {
                kernel,
                memory_map: map,
                command_line: CommandLine::parse(line),
                ..PredictionInput::new(firmware, architecture)
            });
            serde_json::to_string(&prediction).unwrap();
        }
    }
}

fn of(tables: Vec<Vec<u8>>) -> Firmware {
    Firmware { tables: tables.into_iter().map(file).collect(), ..Firmware::default() }
}

fn good() -> Vec<Vec<u8>> {
    let latencies = locality(0, 1000, &[0, 1], &[0, 1], &[80, 140, 140, 80]);
    vec![
        srat_with_cpus(&[memory(0, 0, 1 << 30), memory(1, 1 << 30, 1 << 30), initiator(2, true)]),
        slit(3, &[10, 21, 21, 21, 10, 21, 21, 21, 10]),
        hmat(2, &[hmat_memory(0, 0, 1), latencies]),
        cedt(1 << 36, 1 << 30),
    ]
}

fn tree() -> impl Strategy<Value = DeviceTree> {
    let node = || prop::option::of(prop_oneof![0u32..4, any::<u32>()].prop_map(NodeId));
    let range = (any::<u64>(), any::<u64>())
        .prop_map(|(base_address, size_bytes)| TreeRange { base_address, size_bytes });
    let memory = (node(), prop::collection::vec(range, 0..3), any::<bool>()).prop_map(
        |(node, ranges, typed)| TreeMemory {
            path: "/memory@0".to_owned(),
            typed,
            node,
            ranges,
            status: None,
        },
    );
    let cpu = (node(), prop::option::of(any::<u64>())).prop_map(|(node, hardware_id)| TreeCpu {
        path: "/cpus/cpu@0".to_owned(),
        hardware_id,
        node,
        status: None,
    });
    let entry = (0u32..5, 0u32..5, prop_oneof![8u32..40, any::<u32>()])
        .prop_map(|(from, to, distance)| MapEntry { from: NodeId(from), to: NodeId(to), distance });
    let map = prop::option::of(prop::collection::vec(entry, 0..8));
    (prop::collection::vec(memory, 0..4), prop::collection::vec(cpu, 0..4), map).prop_map(
        |(memory, cpus, map)| {
            let distance_map =
                map.map(|entries| DistanceMap { path: "/distance-map".to_owned(), entries });
            let (model, compatible, others, faults) = (None, Vec::new(), Vec::new(), Vec::new());
            DeviceTree { model, compatible, memory, cpus, others, distance_map, faults }
        },
    )
}

proptest! {
    #[test]
    fn damaged_tables_never_panic(
        which in 0usize..4,
        at in 0usize..300,
        byte: u8,
        cut in 0usize..300,
        line in "(numa=(off|fake=[0-9]{1,3}[UMG]?|noacpi) ?){0,2}",
    ) {
        let mut tables = good();
        let table = &mut tables[which];
        let at = at % table.len();
        table[at] = byte;
        if cut % 3 == 0 {
            table.truncate(cut.max(4));
        }
        let firmware = of(tables);
        let map = MemoryMap::from_ram(&[(0, 0x9_fbff), (0x10_0000, 0x7ffd_ffff)]);
        predict_all(&firmware, Some(&map), &line);
        predict_all(&firmware, None, &line);
    }

    #[test]
    fn arbitrary_entries_never_panic(
        body in prop::collection::vec(any::<u8>(), 0..300),
        ram in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
    ) {
        let srat = srat(std::slice::from_ref(&body));
        let firmware = of(vec![srat, slit(2, &body), hmat(2, &[body])]);
        predict_all(&firmware, Some(&MemoryMap::from_ram(&ram)), "");
    }

    #[test]
    fn arbitrary_trees_never_panic(
        tree in tree(),
        ram in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
    ) {
        let state = ReadState::Decoded(tree);
        let device_tree = Some(FirmwareFile { path: "/sys/firmware/fdt".to_owned(), state });
        let firmware = Firmware { device_tree, ..Firmware::default() };
        predict_all(&firmware, Some(&MemoryMap::from_ram(&ram)), "acpi=off");
    }
}

#[test]
fn thousands_of_ranges_are_compared_quickly() {
    let turns = |nodes: u64| {
        let ranges = (0..2000u64).map(|turn| memory((turn % nodes) as u32, turn << 20, 1 << 20));
        srat(&ranges.collect::<Vec<_>>())
    };
    for nodes in [2, 1000] {
        predict_all(
            &of(vec![turns(nodes)]),
            Some(&MemoryMap::from_ram(&[(0, (2000 << 20) - 1)])),
            "",
        );
    }
    predict_all(&of(vec![two_nodes(), slit(900, &[10; 810_000])]), None, "");
}
