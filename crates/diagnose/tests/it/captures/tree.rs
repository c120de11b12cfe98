//! A machine with each kind of file that a capture reads; '@' is a place for a secret.

/// Links from paths to targets.
pub(super) const LINKS: [(&str, &str); 6] = [
    ("sys/bus/pci/devices/0000:00:03.0", "../../../devices/pci0000:00/0000:00:03.0"),
    ("sys/class/net/eth-a", "../../devices/pci0000:00/0000:00:03.0/net/eth-a"),
    ("sys/devices/pci0000:00/0000:00:03.0/net/eth-a/device", "../.."),
    ("sys/devices/pci0000:00/0000:00:03.0/driver", "../../../bus/pci/drivers/@"),
    ("sys/class/infiniband/ib-@", "../../devices/pci0000:00/0000:00:03.0/infiniband/ib-a"),
    ("sys/block/sda", "../devices/pci0000:00/0000:00:04.0/block/sda"),
];

/// Files whose absence hides others.
pub(super) fn is_structure(path: &str) -> bool {
    ["online", "possible", "present", "mounts", "self/cgroup", "core_cpus_list", "comm"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The files with text.
const TEXTS: [(&str, &str); 84] = [
    (
        "proc/cmdline",
        "root=@ numa=off ignition.config.url=https://@/?token=@ numa=@ mem=@ acpi=@ \
                      isolcpus=@ \"dyndbg=file @ +p\" quiet -- numa=@\n",
    ),
    ("proc/version", "Linux version 6.1.0-@ (@@@) (gcc) #1 @\n"),
    (
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: @\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) \
         Xeon(R) @ @ 2.0GHz\nmicrocode\t: @\napicid\t\t: 0\nflags\t\t: fpu lm @\nSerial\t: \
         @\n@\n",
    ),
    ("proc/meminfo", "MemTotal: 1024 kB\nMemFree: 512 kB\n@: 7 kB\n"),
    (
        "proc/mounts",
        "cgroup2 /sys/fs/cgroup cgroup2 rw,@ 0 0\n//@/@ /home/@ cifs user=@ 0 0\n\
                     nodev /mnt/@ hugetlbfs rw 0 0\n",
    ),
    ("proc/self/cgroup", "0::/user.slice/user-1000.slice/@\n1:name=@:/@\n"),
    ("proc/self/status", "Name:\t@\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0\n"),
    ("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 @\nbtime @\n"),
    ("proc/vmstat", "numa_hit 5\n@ 7\n"),
    ("proc/loadavg", "0.1 0.2 0.3 1/@ 77\n"),
    (
        "proc/interrupts",
        "           CPU0       CPU1\n  5:  1  2  PCI-MSI-0000:00:03.0 0-edge  eth-@\n \
                         6: 1 2 @ 7-edge @, @\n",
    ),
    ("proc/softirqs", "          CPU0 CPU1\n  HI: 0 0\n  @: 1 2\n"),
    ("proc/irq/5/smp_affinity_list", "0-1\n@"),
    ("proc/irq/5/effective_affinity_list", "0\n@"),
    ("proc/irq/5/node", "0\n@"),
    ("proc/irq/5/affinity_hint", "3\n@"),
    ("proc/77/comm", "irqbalance\n"),
    ("proc/77/cmdline", "/usr/sbin/irqbalance\0--foreground\0--policyscript=/opt/@/p.sh\0@\0"),
    ("proc/sys/kernel/osrelease", "6.1.0-@\n"),
    ("proc/sys/kernel/arch", "x86_64\n@"),
    ("proc/sys/kernel/hostname", "@\n"),
    ("proc/sys/kernel/numa_balancing", "1\n@"),
    ("proc/sys/vm/zone_reclaim_mode", "0 @\n"),
    ("proc/sys/net/core/rps_sock_flow_entries", "0\n@"),
    ("proc/device-tree/model", "@ Board\0"),
    ("proc/device-tree/hypervisor/compatible", "linux,kvm @\0"),
    ("etc/default/irqbalance", "# by @\nIRQBALANCE_ARGS=\"--banirq=5 @\"\n@=1\n"),
    ("nearfar/acpi-claims", "\\_SB_.PC00 0\n\\_SB_.@ 1\n"),
    ("nearfar/hypervisor", "@\n"),
    ("nearfar/kept", "parameter @\nwithheld parameter @\n"),
    ("sys/hypervisor/type", "xen @\n"),
    ("sys/class/dmi/id/sys_vendor", "Dell @\n"),
    ("sys/class/dmi/id/product_name", "PowerEdge @ R910\n"),
    ("sys/class/dmi/id/bios_version", "2.1.@\n"),
    ("sys/class/dmi/id/bios_date", "01/02/2020 @\n"),
    ("sys/class/dmi/id/product_serial", "@\n"),
    ("sys/devices/virtual/dmi/id/product_name", "@\n"),
    ("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 4\nunique_id @\n@ 1\n"),
    ("sys/class/kfd/kfd/topology/nodes/0/io_links/0/properties", "type 2\nnode_to 0\n@ 1\n"),
    ("sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "5 @\n"),
    ("sys/fs/resctrl/mon_data/mon_L3_00/mbm_local_bytes", "@\n"),
    ("sys/fs/resctrl/mon_data/mon_L3_@/mbm_total_bytes", "5\n"),
    ("sys/fs/cgroup/user.slice/user-1000.slice/cpu.stat", "nr_throttled 5\n@ 4\n"),
    ("sys/fs/cgroup/user.slice/user-1000.slice/memory.max", "max\n@"),
    ("sys/fs/cgroup/user.slice/user-1000.slice/cpu.max", "max 100000 @\n"),
    ("sys/fs/cgroup/cpuset.cpus.effective", "0-1\n"),
    ("sys/firmware/memmap/0/start", "0x0\n@"),
    ("sys/firmware/memmap/0/end", "0xfffff @\n"),
    ("sys/firmware/memmap/0/type", "System RAM @\n"),
    ("sys/firmware/devicetree/base/name", "\0"),
    ("sys/firmware/devicetree/base/model", "@\0"),
    ("sys/firmware/devicetree/base/compatible", "@,board\0linux,dummy\0"),
    ("sys/firmware/devicetree/base/serial-number", "@\0"),
    ("sys/firmware/devicetree/base/memory@0/name", "memory\0"),
    ("sys/firmware/devicetree/base/memory@0/device_type", "memory\0@"),
    ("sys/firmware/devicetree/base/memory@0/reg", "@"),
    ("sys/kernel/irq/5/actions", "eth-@\n"),
    ("sys/kernel/irq/5/chip_name", "PCI-MSI-@\n"),
    ("sys/kernel/irq/5/hwirq", "@\n"),
    ("sys/kernel/irq/5/type", "edge @\n"),
    ("sys/kernel/irq/5/per_cpu_count", "1,2,@\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never @\n"),
    ("sys/kernel/mm/transparent_hugepage/defrag", "always [@]\n"),
    ("sys/kernel/mm/ksm/run", "0 @\n"),
    ("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n@"),
    ("sys/kernel/mm/hugepages/hugepages-@/nr_hugepages", "0\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/possible", "0-1\n"),
    ("sys/devices/system/cpu/@", ""),
    ("sys/devices/system/cpu/isolated", "@\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0-1\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_id", "0 @\n"),
    ("sys/devices/system/cpu/cpu0/cache/index0/type", "Data @\n"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state0/name", "POLL @\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "@\n"),
    ("sys/devices/system/cpu/cpuidle/current_driver", "@\n"),
    ("sys/devices/system/node/online", "0\n"),
    ("sys/devices/system/node/node0/distance", "10 @\n"),
    ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1024 kB\nNode 0 @: 3 kB\n"),
    ("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0 @\n"),
    ("sys/devices/pci0000:00/0000:00:03.0/uevent", "DRIVER=@\nPCI_ID=8086:1572\nMODALIAS=@\n"),
    ("sys/devices/pci0000:00/0000:00:03.0/numa_node", "0\n@"),
    ("sys/devices/pci0000:00/0000:00:03.0/firmware_node/path", "\\_SB_.PC00.@\n"),
    ("sys/devices/pci0000:00/0000:00:03.0/net/eth-a/queues/rx-@/rps_cpus", "3 @\n"),
];

/// The kernel's log: every kind of line that a capture meets.
const LOG: &str = "\
[    0.000000] Linux version 6.1.0-@ (@@@) (gcc) #1 SMP @
[    0.000000] Command line: root=@ numa=off k3os.token=@ numa=@
[    0.000000] Kernel command line: root=@ mem=4G password=@
[    0.000000] Hypervisor detected: @
[    0.000000] Booting paravirtualized kernel on @
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009ffff] usable @
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x00000000001fffff] @
[    0.000000] efi: mem00: [@|@] range=[0x0-0xfff] (0MB) @
[    0.000000] ACPI: SRAT 0x000000007FFE2650 0000C0 (v03 @ @ 00000001 @ 1)
[    0.000000] SRAT: PXM 0 -> @ 0x00 -> Node 0 @
[    0.000000] No NUMA configuration found @
[    0.000000] NUMA turned off @
[    0.100000] acpi/hmat: Ignoring: @
[    0.100000] acpi/hmat: Unexpected @ header length: 8 @
[    0.200000] pci_bus @: Unknown NUMA node; @
[    0.200000] pci_bus @: on NUMA node 1 (pxm 2) @
[    0.200000] @: [Firmware Bug]: Overriding NUMA node to 7. Contact @
[    0.300000] sched: CPU #2's @-sibling CPU #0 is not on the same node! [node: 1 != 0]. @
[    0.300000] [@:0x01] Invalid zero length @
[    1.000000] systemd[1]: Hostname set to <@>.
[    1.000000] usb 1-1: SerialNumber: @
[    2.000000] audit: uid=1000 comm=\"@\" exe=\"/home/@/x\"
[    2.000000] nfs: server @ not responding
[    2.000000] wlan0: associated with SSID @
Jan 31 10:00:00 @ kernel: NUMA turned off
Jan 31 10:00:01 @ sshd[7]: Accepted publickey for @
2026-01-31T10:00:02.5+01:00 @ kernel: [    3.000000] iscsi: iqn.2026-01.com.@
@
";

/// An ACPI table: length with its secrets, no checksum, texts of its maker, and content.
fn table(signature: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(60 + content.len()).unwrap();
    [&signature[..], &length.to_le_bytes(), &[3, 0], b"ZQVK00hostwx@@", &[0; 4], b"ZQVK", &[0; 4]]
        .concat()
        .into_iter()
        .chain(content.iter().copied())
        .collect()
}

/// SMBIOS: a system with five texts, a memory module, and OEM strings.
fn smbios() -> Vec<u8> {
    let mut system = vec![1, 27, 1, 0, 1, 2, 3, 4];
    system.extend([b'z'; 16]);
    system.extend([6, 0, 5]);
    system.extend(b"Dell @\0PowerEdge @\0@\0@\0@\0\0");
    let mut module = vec![17, 28, 2, 0];
    module.extend([0; 24]);
    (module[16], module[17], module[23], module[24], module[26]) = (1, 2, 3, 4, 5);
    module.extend(b"DIMM @\0@\0@\0@\0@\0\0");
    let oem = [&[11, 5, 3, 0, 1][..], b"Service tag @\0\0"].concat();
    [system, module, oem, vec![127, 4, 4, 0, 0, 0], b"@".to_vec()].concat()
}

pub(super) fn files() -> Vec<(&'static str, Vec<u8>)> {
    let texts = TEXTS.iter().map(|(path, text)| (*path, text.as_bytes().to_vec()));
    let entries = [&[0; 12][..], &[200, 8], b"@secret"].concat();
    let binary = [
        ("var/log/dmesg", LOG.as_bytes().to_vec()),
        ("sys/firmware/acpi/tables/SRAT", table(b"SRAT", &entries)),
        ("sys/firmware/acpi/tables/MSDM", table(b"MSDM", b"@")),
        ("sys/firmware/acpi/tables/FACP", table(b"FACP", &[b"\0\0".as_slice(), b"@"].concat())),
        ("sys/firmware/acpi/tables/dynamic/SSDT1", table(b"SSDT", b"@")),
        ("sys/firmware/dmi/tables/DMI", smbios()),
        ("sys/firmware/dmi/tables/smbios_entry_point", [&b"_SM3_"[..], &[0; 19], b"@"].concat()),
    ];
    texts.chain(binary).collect()
}
