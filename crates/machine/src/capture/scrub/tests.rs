use std::collections::BTreeMap;

use nearfar_firmware::smbios::Smbios;

use super::*;

fn scrub_of(files: &[(&str, &str)]) -> Scrub {
    Scrub::for_machine(&Source::from_files(files.iter().copied()), &BTreeMap::new())
}

fn scrubbed(path: &str, text: &str) -> String {
    String::from_utf8(scrub_of(&[]).file(path, text.as_bytes().to_vec()).0).unwrap()
}

#[test]
fn log_keeps_the_messages_that_rules_read() {
    let log = "[    0.000000] Linux version 6.1.0-28-amd64 (me@apollo) (gcc 12)\n[    0.000000] \
               Command line: root=/dev/sda1 numa=off BOOTIF=01-52-54-00-ab-cd-ef\n[    0.000000] \
               SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n[    1.000000] e1000 0000:00:03.0 \
               eth0: (PCI:33MHz:32-bit) 52:54:00:12:34:56\n[    2.000000] usb 1-1: SerialNumber: \
               4C530001\n[    4.000000] [UFW BLOCK] IN=eth0 SRC=10.0.0.1 DST=10.0.0.2\n\
               [    0.000000] nodes only cover 1535MB of your 2047MB e820 RAM. Not used.\n";
    let expected = "[    0.000000] Linux version 6.1.0-28-amd64\n[    0.000000] Command line: \
                    numa=off\n[    0.000000] SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n\
                    \n\n\n[    0.000000] nodes only cover 1535MB of your 2047MB e820 RAM. Not \
                    used.\n";
    assert_eq!(scrubbed("/var/log/dmesg", log), expected);
    let (_, removed) = scrub_of(&[]).file("/var/log/dmesg", log.as_bytes().to_vec());
    assert_eq!((removed.what(), removed.messages), (&["3 other lines".to_owned()][..], 0));
}

#[test]
fn syslog_keeps_only_the_kernel() {
    let log = "Jan 31 10:00:00 zeus kernel: [    0.000000] Command line: root=UUID=1234 \
               quiet\nJan 31 10:00:01 zeus sshd[7]: Accepted publickey for me from \
               10.0.0.1\n2026-01-31T10:00:02.5+01:00 zeus kernel: NUMA turned \
               off\n2026-01-31T10:00:03.5+01:00 zeus systemd[1]: Hostname set to <zeus>.\n";
    let expected = "[    0.000000] Command line: \n\nNUMA turned off\n\n";
    assert_eq!(scrubbed("/var/log/syslog", log), expected);
}

#[test]
fn messages_of_another_shape_are_not_sent() {
    let log = b"Linux version 6.1.0\npci_bus apollo: Unknown NUMA node\nSECRET: [Firmware Bug]: \
                Overriding NUMA node to 7\n";
    let (kept, _) = scrub_of(&[]).file("/dmesg", log.to_vec());
    let kept = String::from_utf8(kept).unwrap();
    assert!(!kept.contains("apollo") && !kept.contains("SECRET"), "{kept}");
}

#[test]
fn command_line_keeps_the_parameters_that_rules_read() {
    let line = "BOOT_IMAGE=/vmlinuz root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da \
                numa=fake=4 acpi=apollo k3os.token=x isolcpus=1-3 mypassword=x -- numa=off\n";
    assert_eq!(scrubbed("/proc/cmdline", line), "numa=fake=4 isolcpus=1-3\n");
    let (_, removed) = scrub_of(&[]).file("/proc/cmdline", line.as_bytes().to_vec());
    assert_eq!(removed.what(), ["6 other parameters", "1 value of another shape"]);
    assert_eq!(removed.not_sent, ["acpi"]);
}

#[test]
fn files_of_proc_keep_what_readers_need() {
    assert_eq!(
        scrubbed(
            "/proc/mounts",
            "//nas/me /home cifs user=me 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
        ),
        "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
    );
    assert_eq!(
        scrubbed("/proc/self/status", "Name:\tbash\nUid:\t1000\nCpus_allowed_list:\t0-3\n"),
        "Cpus_allowed_list:\t0-3\n"
    );
    assert_eq!(
        scrubbed(
            "/proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E5-2697 v3 @ 2.60GHz\nSerial\t: \
             00000000abcdef\nflags\t: fpu lm secret hypervisor\n\n"
        ),
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E5-2697 v3 @ 2.60GHz\nflags\t: lm \
         hypervisor\n\n"
    );
    assert_eq!(
        scrubbed("/proc/self/cgroup", "3:cpuset:/kubepods/pod7\n0::/user.slice/user-1000.slice\n"),
        "3:cpuset:/kubepods/xxxx\n0::/user.slice/xxxxxxxxxxxxxxx\n"
    );
    assert_eq!(
        scrubbed("/etc/default/irqbalance", "# by apollo\nIRQBALANCE_BANNED_CPULIST=1-3\nA=zeus\n"),
        "IRQBALANCE_BANNED_CPULIST=1-3\nA=xxxx\n"
    );
}

#[test]
fn groups_keep_their_folders_without_names() {
    let mounts = ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    let group = "/user.slice/user-1000.slice/session-2.scope";
    let folder = format!("/sys/fs/cgroup{group}/cpu.max");
    let source = Source::from_files([mounts, (&folder, "max")]);
    let seen = BTreeMap::from([(folder.clone(), RecordedPath::File(b"max".to_vec()))]);
    let scrub = Scrub::for_machine(&source, &seen);
    assert_eq!(scrub.path(&folder), "/sys/fs/cgroup/user.slice/x1/x2/cpu.max");
    let (kept, _) = scrub.file("/proc/self/cgroup", format!("0::{group}\n").into_bytes());
    assert_eq!(kept, b"0::/user.slice/x1/x2\n");
}

#[test]
fn identifying_attributes_are_removed() {
    assert_eq!(scrubbed("/sys/class/dmi/id/board_serial", "ZM1234567\n"), "0000000000");
    assert_eq!(
        scrubbed("/sys/firmware/devicetree/base/ethernet/local-mac-address", "RT\0\u{1}"),
        "\0\0\0\0"
    );
    assert_eq!(scrubbed("/sys/devices/system/cpu/online", "0-3\n"), "0-3\n");
}

/// A structure: type, length, handle, fixed bytes and strings.
fn structure(kind: u8, handle: u16, fields: &[u8], texts: &[&str]) -> Vec<u8> {
    let mut bytes = vec![kind, u8::try_from(fields.len() + 4).unwrap()];
    bytes.extend(handle.to_le_bytes());
    bytes.extend(fields);
    for text in texts {
        bytes.extend(text.bytes().chain([0]));
    }
    bytes.extend(if texts.is_empty() { &[0, 0][..] } else { &[0] });
    bytes
}

/// A system with serial number and UUID, a memory module, OEM strings, END.
fn smbios_table() -> Vec<u8> {
    let mut system = vec![1, 2, 3, 4];
    system.extend([0xab; 16]);
    system.extend([6, 0, 0]);
    let mut module = vec![0; 24];
    module[8..10].copy_from_slice(&4096u16.to_le_bytes());
    (module[12], module[13], module[19], module[20], module[22]) = (1, 2, 3, 4, 5);
    module[21] = 6;
    [
        structure(1, 1, &system, &["Vendor", "Product", "Version", "SERIAL-77"]),
        structure(
            17,
            2,
            &module,
            &["DIMM A1", "BANK 0", "Maker", "MODULE-SERIAL-1", "PART-1", "TAG-123456"],
        ),
        structure(11, 3, &[1], &["Service tag ABC"]),
        structure(127, 4, &[], &[]),
    ]
    .concat()
}

#[test]
fn smbios_keeps_its_layout_without_serials() {
    let table = smbios_table();
    let (scrubbed, removed) = scrub_of(&[]).file("/sys/firmware/dmi/tables/DMI", table.clone());
    assert_eq!(scrubbed.len(), table.len());
    assert_eq!(removed.what().len(), 4, "{removed:?}");
    let text = String::from_utf8_lossy(&scrubbed);
    for private in
        ["SERIAL-77", "MODULE-SERIAL-1", "TAG-123456", "Service tag", "Maker", "\u{fffd}"]
    {
        assert!(!text.contains(private), "{private} in {text:?}");
    }
    assert!(text.contains("Product") && text.contains("DIMM A1"));
    let (before, after) = (Smbios::decode(&table), Smbios::decode(&scrubbed));
    assert_eq!(after.devices[0].size_bytes, before.devices[0].size_bytes);
    assert_eq!(after.devices[0].locator, before.devices[0].locator);
}

#[test]
fn bytes_after_the_end_structure_are_erased() {
    let stale = structure(3, 5, &[0, 0, 0, 1], &["STALE-0815"]);
    let table = [smbios_table(), stale].concat();
    let mut removed = Removed::default();
    let scrubbed = smbios::scrub(table, &mut removed);
    assert!(!String::from_utf8_lossy(&scrubbed).contains("STALE-0815"));
    assert!(removed.what().iter().any(|what| what == "what follows its structures"));
}

#[test]
fn unreadable_smbios_is_overwritten() {
    let table = smbios_table();
    for length in 0..table.len() {
        let scrubbed = smbios::scrub(table[..length].to_vec(), &mut Removed::default());
        assert_eq!(scrubbed.len(), length);
        assert!(!String::from_utf8_lossy(&scrubbed).contains("SERIAL-77"), "cut at {length}");
    }
}

/// A flattened tree with one node and these properties.
fn blob(properties: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut tokens, mut strings) = ([1u32.to_be_bytes(), [0; 4]].concat(), Vec::new());
    for (name, value) in properties {
        let length = u32::try_from(value.len()).unwrap();
        let name_at = u32::try_from(strings.len()).unwrap();
        tokens.extend([3u32.to_be_bytes(), length.to_be_bytes(), name_at.to_be_bytes()].concat());
        tokens.extend(*value);
        tokens.resize(tokens.len().next_multiple_of(4), 0);
        strings.extend(name.bytes().chain([0]));
    }
    tokens.extend([2u32.to_be_bytes(), 9u32.to_be_bytes()].concat());
    let size = |bytes: usize| u32::try_from(bytes).unwrap().to_be_bytes();
    let total = 40 + tokens.len() + strings.len();
    let head =
        [0xd00d_feedu32.to_be_bytes(), size(total), size(40), size(40 + tokens.len())].concat();
    [head, vec![0; 24], tokens, strings].concat()
}

#[test]
fn device_tree_keeps_its_layout() {
    let tree = blob(&[
        ("model", b"Board\0"),
        ("serial-number", b"SN-4711\0"),
        ("bootargs", b"root=/dev/secret numa=off\0"),
        ("local-mac-address", &[1, 2, 3, 4, 5, 6]),
    ]);
    let (scrubbed, removed) = scrub_of(&[]).file("/sys/firmware/fdt", tree.clone());
    assert_eq!(scrubbed.len(), tree.len());
    assert_eq!(removed.what(), ["properties that are not read"]);
    let text = String::from_utf8_lossy(&scrubbed);
    assert!(text.contains("Board"), "{text:?}");
    assert!(
        !text.contains("4711")
            && !text.contains("secret")
            && !scrubbed.windows(3).any(|w| w == [4, 5, 6])
    );
}

#[test]
fn unreadable_device_tree_is_overwritten() {
    let tree =
        blob(&[("model", b"Board\0"), ("status", b"okay\0"), ("serial-number", b"SN-4711\0")]);
    let scrub = |tree: Vec<u8>| scrub_of(&[]).file("/sys/firmware/fdt", tree);
    // The tag of the second property.
    let at = tree.windows(5).position(|five| five == b"okay\0").unwrap() - 12;
    let damaged = [&tree[..at], &[0, 0, 0, 7], &tree[at + 4..]].concat();
    let (scrubbed, removed) = scrub(damaged);
    assert_eq!(scrubbed.len(), tree.len());
    assert_eq!(removed.what(), ["what follows its damage"]);
    let text = String::from_utf8_lossy(&scrubbed);
    assert!(text.contains("Board") && !text.contains("4711"), "{text:?}");
    for length in 40..tree.len() {
        let (scrubbed, _) = scrub(tree[..length].to_vec());
        assert!(!String::from_utf8_lossy(&scrubbed).contains("4711"), "cut at {length}");
    }
}

mod any_bytes {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_panic_and_keep_their_length(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            cut in 0usize..400,
        ) {
            let scrub = scrub_of(&[("/proc/sys/kernel/hostname", "apollo")]);
            let mut damaged = blob(&[("model", b"Board\0"), ("bootargs", b"ip=1\0")]);
            let at = cut % damaged.len();
            damaged.splice(at.., bytes.iter().copied());
            for path in ["/sys/firmware/dmi/tables/DMI", "/sys/firmware/acpi/tables/MSDM"] {
                prop_assert_eq!(scrub.file(path, bytes.clone()).0.len(), bytes.len());
            }
            scrub.file("/sys/firmware/fdt", damaged);
            scrub.file("/var/log/dmesg", bytes.clone());
            scrub.file("/proc/cmdline", bytes);
        }

        #[test]
        fn text_never_panics(
            text in "[ -~é\n]{0,200}( kernel:|command line: |SerialNumber:)[a-f0-9:é \n-]{0,60}"
        ) {
            let scrub = scrub_of(&[("/proc/sys/kernel/hostname", "é")]);
            scrub.file("/var/log/syslog", text.clone().into_bytes());
            scrub.path(&text);
        }
    }
}
