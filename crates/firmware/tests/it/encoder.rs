//! Tables made by another encoder: rust-vmm's acpi_tables 0.2.1.
//!
//! The bytes are copied here, because it needs a newer Rust than nearfar. Structures that it
//! encodes wrongly are left out: its RINTC affinity (SRAT 7) lacks the domain, its CHBS (CEDT 0) is
//! five bytes short, its RDPAS (CEDT 3) claims 16 bytes and has 17, and its HMAT claims revision 1
//! with the units of revision 2 and is right for square matrices only.

use nearfar_firmware::acpi::{
    Affinity, Cedt, CxlStructure, Decoded, DeviceHandle, Hmat, InterruptController, LocalityData,
    Madt, Pptt, PpttStructure, Slit, Srat, TableContent, decode,
};
use nearfar_model::ProximityDomain;

use super::make::hex;

/// A table without faults.
fn read<T: TableContent>(text: &str) -> Decoded<T> {
    let table = decode::<T>(&hex(text)).unwrap();
    assert_eq!((table.faults.as_slice(), table.header.oem_id.as_str()), (&[][..], "FOOBAR"));
    table
}

/// A window over three bridges, with its XOR masks.
const CEDT: &str = "
    43 45 44 54 64 00 00 00 01 4a 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 01 00 30 00 00 00 00 00 00 00 00 00
    10 00 00 00 00 00 00 30 00 00 00 00 08 01 00 00 02 00 00 00 04 00 09 00
    01 00 00 00 02 00 00 00 03 00 00 00 02 00 10 00 00 00 02 01 bc 9a 78 56
    34 12 00 00
";

/// An initiator on PCI: 0001:af:1f.7.
const SRAT: &str = "
    53 52 41 54 50 00 00 00 01 76 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 01 00 00 00 00 00 00 00 00 00 00 00
    05 20 00 01 05 00 00 00 01 00 af ff 00 00 00 00 00 00 00 00 00 00 00 00
    01 00 00 00 00 00 00 00
";

/// Hart 77, processor 12.
const MADT: &str = "
    41 50 49 43 50 00 00 00 01 9d 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 00 00 00 00 00 00 00 00 18 24 01 00
    01 00 00 00 4d 00 00 00 00 00 00 00 0c 00 00 00 03 00 00 00 00 00 00 28
    00 00 00 00 00 10 00 00
";

/// A cache of 1 MiB with an id, a package, a processor.
const PPTT: &str = "
    50 50 54 54 6c 00 00 00 03 ce 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 01 1c 00 00 81 00 00 00 00 00 00 00
    00 00 10 00 00 00 00 00 00 00 00 00 04 00 00 00 00 18 00 00 01 00 00 00
    00 00 00 00 01 00 00 00 01 00 00 00 24 00 00 00 00 14 00 00 0a 00 00 00
    40 00 00 00 09 00 00 00 00 00 00 00
";

/// Read latencies of two domains.
const HMAT: &str = "
    48 4d 41 54 60 00 00 00 01 33 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 00 00 00 00 01 00 00 00 38 00 00 00
    00 01 01 00 02 00 00 00 02 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00
    00 00 00 00 01 00 00 00 04 00 00 00 05 00 00 00 50 00 8c 00 96 00 5a 00
";

/// Three domains; 31 between the first and the last.
const SLIT: &str = "
    53 4c 49 54 35 00 00 00 01 e4 46 4f 4f 42 41 52 44 45 43 41 46 43 4f 46
    01 00 00 00 52 56 41 54 00 00 00 01 03 00 00 00 00 00 00 00 0a 0a 1f 0a
    0a 0a 1f 0a 0a
";

#[test]
fn windows_and_devices_of_another_encoder_are_decoded() {
    let cedt = read::<Cedt>(CEDT).content;
    let Some(CxlStructure::FixedMemoryWindow(window)) = cedt.entries[0].known() else {
        panic!("{cedt:?}")
    };
    assert_eq!((window.base_address, window.size_bytes), (0x10_0000_0000, 0x3000_0000));
    assert_eq!((window.interleave_ways, window.granularity_bytes), (Some(3), Some(1024)));
    assert_eq!(
        (window.targets.as_slice(), window.qos_group, window.restrictions),
        (&[1, 2, 3][..], 9, 4)
    );
    let Some(CxlStructure::XorMath(math)) = cedt.entries[1].known() else { panic!("{cedt:?}") };
    assert_eq!(math.masks, [0x1234_5678_9abc]);

    let srat = read::<Srat>(SRAT).content;
    let Some(Affinity::GenericInitiator(initiator)) = srat.entries[0].known() else {
        panic!("{srat:?}")
    };
    assert_eq!(
        initiator.handle,
        DeviceHandle::Pci { segment: 1, bus: 0xaf, device: 31, function: 7 }
    );
    assert_eq!((initiator.domain, initiator.enabled), (ProximityDomain(5), true));
}

#[test]
fn cpus_and_caches_of_another_encoder_are_decoded() {
    let madt = read::<Madt>(MADT).content;
    let Some(InterruptController::Rintc(hart)) = madt.entries[0].known() else {
        panic!("{madt:?}")
    };
    assert_eq!((hart.hart_id, hart.processor_uid, hart.enabled), (77, 12, true));
    let imsic = (hart.external_controller, hart.imsic_address, hart.imsic_bytes);
    assert_eq!(imsic, (Some(3), Some(0x2800_0000), Some(4096)));

    let pptt = read::<Pptt>(PPTT).content;
    let Some(PpttStructure::Cache(cache)) = pptt.entries[0].known() else { panic!("{pptt:?}") };
    assert_eq!((cache.size_bytes, cache.cache_id), (1 << 20, Some(4)));
    let Some(PpttStructure::Processor(package)) = pptt.entries[1].known() else {
        panic!("{pptt:?}")
    };
    assert_eq!((package.is_package, package.resources.as_slice()), (true, &[36][..]));
    let Some(PpttStructure::Processor(core)) = pptt.entries[2].known() else { panic!("{pptt:?}") };
    assert_eq!((core.parent as usize, core.processor_uid), (pptt.entries[1].offset, 9));
}

#[test]
fn latencies_and_distances_of_another_encoder_are_decoded() {
    let hmat = read::<Hmat>(HMAT);
    let matrix = hmat.content.localities().next().unwrap();
    assert_eq!((hmat.header.revision, matrix.data()), (1, LocalityData::ReadLatency));
    assert_eq!(
        (matrix.value(0, 1), matrix.value(1, 0), matrix.value(1, 1)),
        (Some(140), Some(150), Some(90))
    );
    assert_eq!((matrix.initiators[1], matrix.targets[1]), (ProximityDomain(1), ProximityDomain(5)));

    let slit = read::<Slit>(SLIT).content;
    assert_eq!(
        (slit.distance(2, 0), slit.distance(0, 2), slit.distance(1, 1)),
        (Some(31), Some(31), Some(10))
    );
}
