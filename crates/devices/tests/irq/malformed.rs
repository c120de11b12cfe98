//! Files of any content give a document.

use nearfar_devices::irq::{SavedInterrupts, assess_saved};
use proptest::prelude::*;

use crate::made_machine::{MadeInterrupts, MadeIrq, on};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_content_panics(
        content in "[ 0-9a-f,\\-:x\n]{0,40}",
        file in prop::sample::select(vec![
            "proc/irq/30/smp_affinity_list",
            "proc/irq/30/effective_affinity_list",
            "proc/irq/30/affinity_hint",
            "proc/irq/30/node",
            "proc/softirqs",
            "proc/sys/net/core/rps_sock_flow_entries",
            "sys/devices/pci0000:00/0000:01:00.0/net/eth0/queues/rx-0/rps_cpus",
            "sys/devices/pci0000:00/0000:01:00.0/net/eth0/queues/tx-0/xps_cpus",
            "sys/devices/pci0000:00/0000:01:00.0/msi_irqs/31",
            "proc/cmdline",
        ]),
    ) {
        let machine = MadeInterrupts::two_nodes();
        machine.network_card(0, &[30]);
        let counts = on(5, 70_000);
        machine.interrupts(&[MadeIrq { number: 30, handler: "eth0-tx-0", cpu: 5, counts }]);
        machine.file(file, &content);
        let document = machine.since_boot();
        prop_assert_eq!(document.devices[0].count, 70_000);
    }

    #[test]
    fn saved_tables_of_any_handler_give_a_document(rest in "[ -~é]{0,60}") {
        let text = format!(" CPU0 CPU1\n 5: 1 2 {rest}\n");
        let saved = SavedInterrupts::parse(text.as_bytes()).unwrap();
        let document = assess_saved(&saved, &[]);
        let of_devices: usize = document.devices.iter().map(|one| one.interrupts.len()).sum();
        prop_assert_eq!(of_devices + document.others.len(), 1);
    }
}

/// Counters of 64 bits, whose sums have more.
#[test]
fn sums_beyond_64_bits_saturate() {
    let most = u64::MAX;
    let text = format!(" CPU0 CPU1\n 5: {most} {most} X 5-edge a\nLOC: {most} {most} timer\n");
    let document = assess_saved(&SavedInterrupts::parse(text.as_bytes()).unwrap(), &[]);
    assert_eq!(document.others[0].count, Some(most));
    assert_eq!(document.cpu_interrupts[0].count, Some(most));
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30, 31]);
    let made = |number, handler| MadeIrq { number, handler, cpu: 5, counts: [most; 8] };
    machine.interrupts(&[made(30, "eth0-rx-0"), made(31, "eth0-rx-1")]);
    machine.file("proc/softirqs", &format!(" CPU0 CPU1\nNET_RX: {most} {most}\n"));
    let document = machine.since_boot();
    assert_eq!((document.devices[0].far, document.softirqs[0].count), (Some(most), Some(most)));
}
