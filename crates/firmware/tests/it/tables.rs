//! Handmade tables, field by field, including types that iasl of 2020 does not know.

use nearfar_firmware::acpi::{
    Affinity, Cdit, Cedt, Crat, CratEntry, CxlStructure, Decoded, DeviceHandle, EntryBody,
    HexBytes, Hmat, HmatStructure, InterruptController, LocalityData, Madt, Msct, Pptt,
    PpttStructure, Slit, Srat, TableContent, decode,
};
use nearfar_model::ProximityDomain;

use super::make;

/// A valid handmade table by name.
fn good<T: TableContent>(name: &str) -> Decoded<T> {
    let (_, bytes) = make::good().into_iter().find(|(known, _)| *known == name).unwrap();
    let table = decode::<T>(&bytes).unwrap();
    assert_eq!(table.faults, [], "{name}");
    assert_eq!(table.header.checksum_holds, Some(true), "{name}");
    table
}

fn domain(number: u32) -> ProximityDomain {
    ProximityDomain(number)
}

#[test]
fn srat_entries_of_all_types_are_read() {
    let srat = good::<Srat>("srat").content;
    let known: Vec<&Affinity> = srat.entries.iter().filter_map(|entry| entry.known()).collect();
    let domains: Vec<u32> = known.iter().map(|entry| entry.domain().0).collect();
    assert_eq!(domains, [0x0302_0105, 4, 6, 7, 8, 9, 10, 0x0102_0304]);
    let enabled: Vec<bool> = known.iter().map(|entry| entry.enabled()).collect();
    assert_eq!(enabled, [true, true, false, true, true, true, true, true]);
    assert_eq!(known.iter().filter(|entry| entry.is_cpu()).count(), 4);
    let Affinity::GenericInitiator(initiator) = known[4] else { panic!("{:?}", known[4]) };
    assert_eq!(
        initiator.handle,
        DeviceHandle::Pci { segment: 0x1234, bus: 0xc1, device: 3, function: 2 }
    );
    assert!(initiator.architectural_transactions);
    let Affinity::GenericPort(port) = known[5] else { panic!("{:?}", known[5]) };
    assert_eq!(port.handle, DeviceHandle::Acpi { hid: "ACPI0016".to_owned(), uid: 0x40 });
    let Affinity::Rintc(hart) = known[6] else { panic!("{:?}", known[6]) };
    assert_eq!((hart.processor_uid, hart.clock_domain, hart.flags), (12, 4, 1));
    let Affinity::Memory(memory) = known[7] else { panic!("{:?}", known[7]) };
    assert_eq!(memory.last_address(), Some(0x1_7fff_ffff));
    assert!(memory.hot_pluggable && memory.non_volatile && memory.specific_purpose);
    let unknown = &srat.entries[7];
    assert_eq!((unknown.kind, unknown.offset, unknown.length), (0x42, 202, 6));
    assert_eq!(
        unknown.body,
        EntryBody::Unknown { bytes: HexBytes(make::hex("42 06 de ad be ef").into()) }
    );
}

#[test]
fn handles_of_generic_entries_are_read_by_their_type() {
    let entry = |kind: u8, handle_type: u8, handle: [u8; 16], flags: u32| {
        let mut entry = vec![kind, 32, 0, handle_type, 7, 0, 0, 0];
        entry.extend(handle);
        entry.extend(flags.to_le_bytes());
        entry.resize(32, 0);
        entry
    };
    let pci = *b"\x01\x00\x20\xff\0\0\0\0\0\0\0\0\0\0\0\0";
    let acpi = *b"PNP0A08\0\xff\xff\xff\xff\0\0\0\0";
    for (kind, handle_type, bytes, handle) in [
        (6, 1, pci, DeviceHandle::Pci { segment: 1, bus: 0x20, device: 31, function: 7 }),
        (5, 0, acpi, DeviceHandle::Acpi { hid: "PNP0A08".to_owned(), uid: u32::MAX }),
        (5, 2, acpi, DeviceHandle::Unknown { kind: 2, bytes: HexBytes(acpi.into()) }),
    ] {
        for (flags, enabled, architectural) in
            [(0, false, false), (1, true, false), (2, false, true)]
        {
            let srat = decode::<Srat>(&make::srat(3, &[&entry(kind, handle_type, bytes, flags)]));
            let entry = srat.unwrap().content.entries[0].known().cloned();
            let (Some(Affinity::GenericInitiator(generic)) | Some(Affinity::GenericPort(generic))) =
                entry
            else {
                panic!("{entry:?}")
            };
            assert_eq!((generic.domain, &generic.handle), (domain(7), &handle));
            assert_eq!(
                (generic.enabled, generic.architectural_transactions),
                (enabled, architectural)
            );
        }
    }
}

#[test]
fn revision_1_of_the_srat_has_domains_of_one_byte() {
    let srat = good::<Srat>("srat-revision-1").content;
    let Some(Affinity::Memory(memory)) = srat.entries[1].known() else { panic!("{srat:?}") };
    assert_eq!((memory.domain, memory.domain_raw), (domain(4), 0x0102_0304));
}

#[test]
fn distances_are_indexed_by_row_and_column() {
    let slit = good::<Slit>("slit").content;
    assert_eq!(
        (slit.distance(0, 2), slit.distance(2, 0), slit.distance(3, 0), slit.distance(0, 3)),
        (Some(28), Some(29), None, None)
    );
    let cdit = good::<Cdit>("cdit").content;
    assert_eq!(
        (cdit.claimed, cdit.distances.get(0, 1), cdit.distances.get(1, 0)),
        (Some(2), Some(16), Some(20))
    );
}

#[test]
fn hmat_units_follow_its_revision() {
    let first = good::<Hmat>("hmat-revision-1").content;
    let latency = first.localities().next().unwrap();
    assert_eq!(
        (latency.data(), latency.raw(1, 0), latency.value(1, 0)),
        (LocalityData::AccessLatency, Some(20), Some(20))
    );
    assert_eq!(
        (latency.value(0, 2), latency.value(1, 2), latency.raw(1, 2)),
        (None, None, Some(0xffff))
    );
    assert_eq!((latency.raw(2, 0), latency.raw(0, 3)), (None, None));
    let second = good::<Hmat>("hmat-revision-2").content;
    let bandwidth = second.localities().next().unwrap();
    assert_eq!(
        (bandwidth.data(), bandwidth.value(0, 0), bandwidth.value(0, 1)),
        (LocalityData::AccessBandwidth, Some(1000), Some(500))
    );
    let json = serde_json::to_value(bandwidth).unwrap();
    assert_eq!(json["bandwidth_bytes_per_s"][0][1], 500_000_000u64);
    assert_eq!(json["raw"][1][0], 5);
    let Some(HmatStructure::Cache(cache)) = first.entries[1].known() else { panic!("{first:?}") };
    assert_eq!((cache.levels, cache.level, cache.associativity, cache.write_policy), (1, 2, 1, 1));
    assert_eq!((cache.line_bytes, cache.smbios_handles.as_slice()), (64, &[0x1234, 0x5678][..]));
}

#[test]
fn madt_lists_cpus_of_three_architectures() {
    let madt = good::<Madt>("madt").content;
    let known: Vec<&InterruptController> =
        madt.entries.iter().filter_map(|entry| entry.known()).collect();
    let InterruptController::LocalX2Apic(x86) = known[6] else { panic!("{:?}", known[6]) };
    assert_eq!(
        (x86.apic_id, x86.processor_uid, x86.enabled, x86.online_capable),
        (256, 300, false, true)
    );
    let InterruptController::Gicc(arm) = known[8] else { panic!("{:?}", known[8]) };
    assert_eq!(
        (arm.processor_uid, arm.mpidr, arm.enabled, arm.online_capable),
        (2, 0x101, true, true)
    );
    assert_eq!((arm.efficiency_class, arm.profiler_interrupt), (Some(2), Some(21)));
    let InterruptController::GicIts(its) = known[12] else { panic!("{:?}", known[12]) };
    assert_eq!((its.its_id, its.base_address), (42, 0x0808_0000));
    let InterruptController::Rintc(riscv) = known[13] else { panic!("{:?}", known[13]) };
    assert_eq!(
        (riscv.hart_id, riscv.processor_uid, riscv.external_controller),
        (5, 12, Some(0x0100_0003))
    );
    assert_eq!((riscv.imsic_address, riscv.imsic_bytes), (Some(0x2800_0000), Some(0x1000)));
    assert_eq!((madt.entries[14].kind, madt.entries.len()), (0x7f, 15));
}

#[test]
fn cedt_structures_are_read() {
    let cedt = good::<Cedt>("cedt").content;
    let known: Vec<&CxlStructure> = cedt.entries.iter().filter_map(|entry| entry.known()).collect();
    let CxlStructure::HostBridge(bridge) = known[0] else { panic!("{:?}", known[0]) };
    assert_eq!(
        (bridge.uid, bridge.cxl_version, bridge.base_address, bridge.size_bytes),
        (7, 1, 1 << 32, 0x1_0000)
    );
    let CxlStructure::FixedMemoryWindow(window) = known[1] else { panic!("{:?}", known[1]) };
    assert_eq!(
        (window.base_address, window.size_bytes, window.targets.as_slice()),
        (0x1_1000_0000, 2 << 32, &[7, 8][..])
    );
    assert_eq!(
        (window.interleave_ways, window.interleave_arithmetic, window.granularity_bytes),
        (Some(2), 1, Some(8192))
    );
    assert_eq!((window.restrictions, window.qos_group), (6, 3));
    let CxlStructure::XorMath(math) = known[2] else { panic!("{:?}", known[2]) };
    assert_eq!(
        (math.granularity_encoded, math.masks.as_slice()),
        (5, &[0x4000, 0x1_0000_8000][..])
    );
    let CxlStructure::PortAssociation(port) = known[3] else { panic!("{:?}", known[3]) };
    assert_eq!(
        (port.segment, port.bus_device_function, port.protocol, port.base_address),
        (1, 0x3408, 1, 0xfef0_0000)
    );
    assert_eq!(cedt.entries[4].kind, 9);
}

#[test]
fn crat_entries_are_read() {
    let crat = good::<Crat>("crat").content;
    assert_eq!(
        (crat.claimed_entries, crat.claimed_domains, crat.entries.len()),
        (Some(6), Some(2), 6)
    );
    let known: Vec<&CratEntry> = crat.entries.iter().filter_map(|entry| entry.known()).collect();
    let CratEntry::ComputeUnit(unit) = known[0] else { panic!("{:?}", known[0]) };
    assert_eq!(
        (unit.domain, unit.processor_id_low, unit.cpus, unit.simd_cores, unit.enabled),
        (domain(1), 16, 8, 2, true)
    );
    let CratEntry::Memory(memory) = known[1] else { panic!("{:?}", known[1]) };
    assert_eq!(
        (memory.base_address, memory.size_bytes, memory.width_bits),
        (0xf_8000_0000, 0x1_4000_0000, 64)
    );
    let CratEntry::Cache(cache) = known[2] else { panic!("{:?}", known[2]) };
    assert_eq!(
        (cache.size_kib, cache.level, cache.line_bytes, cache.associativity, cache.latency),
        (512, 2, 64, 8, 12)
    );
    assert!(cache.sharers.to_string().starts_with("0c0000"));
    let CratEntry::IoLink(link) = known[3] else { panic!("{:?}", known[3]) };
    assert_eq!((link.from, link.to, link.interface), (domain(0), domain(1), 11));
    assert_eq!((link.min_latency_ns, link.max_latency_ns), (50, 100));
    assert_eq!((link.min_bandwidth_mb_per_s, link.max_bandwidth_mb_per_s), (10_000, 20_000));
}

#[test]
fn msct_and_pptt_entries_are_read() {
    let msct = good::<Msct>("msct").content;
    assert_eq!((msct.max_domain, msct.entries.len()), (Some(3), 2));
    let last = msct.entries[1].known().unwrap();
    assert_eq!(
        (last.first, last.last, last.max_processors, last.max_memory_bytes),
        (domain(2), domain(3), 0, 32 << 32)
    );
    let pptt = good::<Pptt>("pptt").content;
    let Some(PpttStructure::Processor(core)) = pptt.entries[3].known() else { panic!("{pptt:?}") };
    assert_eq!((core.parent, core.processor_uid, core.resources.as_slice()), (84, 7, &[60][..]));
    assert!(core.is_leaf && core.is_thread && core.processor_uid_valid && !core.is_package);
    let Some(PpttStructure::Cache(cache)) = pptt.entries[1].known() else { panic!("{pptt:?}") };
    assert_eq!(
        (cache.size_bytes, cache.sets, cache.ways, cache.line_bytes, cache.next_level),
        (65536, 256, 4, 64, 36)
    );
}
