use super::*;

/// Names of drivers of Linux 3 to 6, with device, and direction and number of the queue.
#[test]
fn drivers_names_have_device_and_queue() {
    use QueueDirection::{Both, Receive, Transmit};
    let address = "0000:01:00.0";
    for (action, device, queue) in [
        ("eth0-rx-3", "eth0", Some((Receive, 3))),
        ("eth1-tx-0", "eth1", Some((Transmit, 0))),
        ("eth1-TxRx-11", "eth1", Some((Both, 11))),
        ("eth0-Tx-Rx-2", "eth0", Some((Both, 2))),
        ("eth4-Rx0", "eth4", Some((Receive, 0))),
        ("eth0:rx-1", "eth0", Some((Receive, 1))),
        ("eth0-q1-tx", "eth0", Some((Transmit, 1))),
        ("eth0-q1-rx", "eth0", Some((Receive, 1))),
        ("eth0-fp-1", "eth0", Some((Both, 1))),
        ("eth2-5", "eth2", Some((Both, 5))),
        ("p1p2[3]", "p1p2", Some((Both, 3))),
        ("eth0-ntfy-block.4", "eth0", Some((Both, 4))),
        ("i40e-ens1f0-TxRx-5", "ens1f0", Some((Both, 5))),
        ("enp5s0f4d1 (queue 6)", "enp5s0f4d1", Some((Both, 6))),
        ("storage0 (queue 12)", "storage0", Some((Both, 12))),
        ("eth3-1 (queue 1)", "eth3", Some((Both, 1))),
        ("backup-TxRx-2", "backup", Some((Both, 2))),
        ("nvme0q3", "nvme0", Some((Both, 3))),
        ("nvme10q128", "nvme10", Some((Both, 128))),
        ("virtio2-input.0", "virtio2", Some((Receive, 0))),
        ("virtio2-output.1", "virtio2", Some((Transmit, 1))),
        ("virtio1-req.0", "virtio1", Some((Both, 0))),
        ("virtio1-config", "virtio1", None),
        ("virtio3-request", "virtio3", None),
        ("hpsa6-msix12", "hpsa6", Some((Both, 12))),
        ("megasas0-msix7", "megasas0", Some((Both, 7))),
        ("qat1-bundle15", "qat1", Some((Both, 15))),
        ("lpfc0:fp2", "lpfc0", Some((Both, 2))),
        ("iwlwifi:queue_1", "iwlwifi", Some((Both, 1))),
        ("mlx5_comp3@pci:0000:01:00.0", address, Some((Both, 3))),
        ("mlx5_async0@pci:0000:01:00.0", address, None),
        ("mlx5_cmd_eq@pci:0000:01:00.0", address, None),
        ("mlx4-1@0000:01:00.0", address, Some((Both, 1))),
        ("mlx4-31@pci:0000:01:00.0", address, Some((Both, 31))),
        ("mlx4-async@pci:0000:01:00.0", address, None),
        ("mana_q5@pci:7870:00:00.0", "7870:00:00.0", Some((Both, 5))),
        ("gve-ntfy-blk3@pci:0000:01:00.0", address, Some((Both, 3))),
        ("ena-mgmnt@pci:0000:01:00.0", address, None),
        ("bnxt_re-nq-2@pci:0000:01:00.0", address, Some((Both, 2))),
        ("i40e-0000:01:00.0:misc", address, None),
        ("hns3-0000:01:00.0-TxRx-9", address, Some((Both, 9))),
        ("hclge-misc-0000:01:00.0", address, None),
        ("0000:01:00.0-FWeventq", address, None),
        ("vfio-msix[4](0000:01:00.0)", address, Some((Both, 4))),
        ("vfio-intx(0000:01:00.0)", address, None),
        ("ahci[0000:00:1f.2]", "0000:00:1f.2", None),
        ("ahci[10000:00:1F.2]", "10000:00:1f.2", None),
        ("eth0", "eth0", None),
        ("eno1", "eno1", None),
        ("end0", "end0", None),
        ("p4p1", "p4p1", None),
        ("enp0s31f6", "enp0s31f6", None),
        ("enP8p1s0", "enP8p1s0", None),
        ("enx000000000000", "enx000000000000", None),
        ("wlp2s0", "wlp2s0", None),
        ("ib0", "ib0", None),
        ("ens1-misc", "ens1", None),
        ("eth0:mac", "eth0", None),
    ] {
        let queue = queue.map(|(direction, number)| IrqQueue { direction, number });
        let expected = HandlerName { device: Some(device.to_owned()), queue };
        assert_eq!(HandlerName::parse(action), expected, "{action}");
    }
}

#[test]
fn drivers_alone_are_no_devices() {
    for action in [
        "",
        "xhci_hcd",
        "xhci_hcd:usb1",
        "ehci_hcd:usb2",
        "ahci",
        "ahci0",
        "ioat-msix",
        "i801_smbus",
        "i8042",
        "rtc0",
        "timer",
        "dmar0",
        "rx-0",
        "0",
        "enable1",
        "ethernet",
        "wlcore",
        "pcie1",
        "in-band irq work",
        "EVL reschedule",
        "qla2xxx (default)",
        "irq3",
        "é.0:",
        "1:2.3",
        "0000:01:00.9",
        "0000:01:00.0a",
    ] {
        assert_eq!(HandlerName::parse(action), HandlerName::default(), "{action}");
    }
}
