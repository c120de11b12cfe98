//! A machine for each finding, and machines that have none.

use nearfar_devices::irq::{Earlier, IrqControl, IrqDocument, IrqFinding, IrqPlace};
use nearfar_machine::interrupts::MessageSupport;

use crate::made_machine::{MadeInterrupts, MadeIrq, codes, on};

fn irq(number: u32, handler: &'static str, cpu: u32, counts: [u64; 8]) -> MadeIrq {
    MadeIrq { number, handler, cpu, counts }
}

/// The document of one second, in which the second counters replaced the first.
fn counted(machine: &MadeInterrupts, before: &[MadeIrq], after: &[MadeIrq]) -> IrqDocument {
    machine.interrupts(before);
    let earlier = machine.snapshot();
    machine.interrupts(after);
    let earlier = Earlier { snapshot: &earlier, seconds: Some(1.0) };
    machine.document(&machine.snapshot(), Some(earlier))
}

#[test]
fn far_interrupts_are_found_by_rate() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30]);
    let document = counted(
        &machine,
        &[irq(30, "eth0-rx-0", 5, on(1, 1_000_000))],
        &[irq(30, "eth0-rx-0", 5, {
            let mut counts = on(1, 1_000_000);
            counts[5] = 300;
            counts
        })],
    );
    let [IrqFinding::IrqFarFromDevice { device, interrupts, far, count, seconds, .. }] =
        document.findings.as_slice()
    else {
        panic!("{:?}", document.findings)
    };
    assert_eq!((device.as_str(), interrupts.as_slice()), ("NIC0", [30].as_slice()));
    assert_eq!((*far, *count, *seconds), (300, 300, Some(1.0)));
    assert_eq!(document.far_share, Some(1.0));
    assert_eq!(document.totals[1].far, 300);
    assert_eq!(document.devices[0].interrupts[0].per_second, Some(300.0));
}

/// Counts of before a move are no evidence against where it runs now.
#[test]
fn interrupts_that_were_moved_near_are_not_far() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30]);
    machine.interrupts(&[irq(30, "eth0-rx-0", 1, on(5, 9_000_000))]);
    let document = machine.since_boot();
    assert_eq!(codes(&document), [""; 0]);
    assert_eq!(document.devices[0].interrupts[0].place, IrqPlace::Near);
    assert_eq!(document.far_share, Some(1.0), "the count since boot stays");
}

#[test]
fn interrupts_that_move_near_while_they_are_counted_are_not_far() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30]);
    let document = counted(
        &machine,
        &[irq(30, "eth0-rx-0", 5, on(5, 1_000))],
        &[irq(30, "eth0-rx-0", 1, on(5, 9_000))],
    );
    assert_eq!(codes(&document), [""; 0]);
    assert_eq!(document.far_share, Some(1.0), "the counts stay");
}

/// Which device of a line signalled is unknown.
#[test]
fn shared_lines_are_far_where_they_are_far_from_all_their_devices() {
    let machine = MadeInterrupts::two_nodes().supporting(MessageSupport::Neither);
    machine.on_a_line("0000:00:1d.0", 16, 0);
    machine.interrupts(&[irq(16, "uhci_hcd:usb1", 5, on(5, 90_000_000))]);
    assert_eq!(codes(&machine.since_boot()), ["irq-far-from-device"]);
    machine.on_a_line("0000:00:1e.0", 16, 1);
    let document = machine.since_boot();
    assert_eq!(codes(&document), [""; 0]);
    let [device] = document.devices.as_slice() else { panic!("{:?}", document.devices) };
    assert_eq!((device.far, document.far_share, document.totals[1].far), (Some(0), Some(0.0), 0));
    machine.on_a_line("0000:00:1f.0", 16, -1);
    let document = machine.since_boot();
    assert_eq!((document.far_share, document.totals[1].unknown), (None, 90_000_000));
    assert_eq!(document.devices[0].interrupts[0].far, None);
}

#[test]
fn far_interrupts_are_found_since_boot() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30]);
    machine.interrupts(&[irq(30, "eth0-rx-0", 5, on(5, 9_000_000))]);
    assert_eq!(codes(&machine.since_boot()), ["irq-far-from-device"]);
}

#[test]
fn idle_far_interrupts_are_no_finding() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[30]);
    machine.interrupts(&[irq(30, "eth0-rx-0", 5, on(5, 9_000))]);
    assert_eq!(codes(&machine.since_boot()), [""; 0]);
    let once = |count| [irq(30, "eth0-rx-0", 5, on(5, count))];
    assert_eq!(codes(&counted(&machine, &once(9_000_000), &once(9_000_005))), [""; 0]);
}

#[test]
fn one_node_has_no_far_interrupts() {
    let machine = MadeInterrupts::one_node();
    machine.network_card(-1, &[30]);
    machine.interrupts(&[irq(30, "eth0-rx-0", 5, on(5, 900_000))]);
    let document = machine.since_boot();
    assert_eq!((codes(&document), document.far_share), (Vec::new(), Some(0.0)));
}

#[test]
fn managed_interrupts_that_run_far_cannot_be_moved() {
    let machine = MadeInterrupts::two_nodes();
    machine.disk(0, &[40, 41], &["0-7"]);
    machine.interrupts(&[irq(40, "nvme0q0", 5, on(5, 20)), irq(41, "nvme0q1", 6, on(6, 800_000))]);
    machine.manage(41);
    let document = machine.since_boot();
    assert_eq!(codes(&document), ["irq-managed-far"]);
    let controls: Vec<IrqControl> =
        document.devices[0].interrupts.iter().map(|irq| irq.control).collect();
    assert_eq!(controls, [IrqControl::Free, IrqControl::Managed]);
}

/// A queue for each node: the far one serves programs of the far node.
#[test]
fn queues_of_far_programs_are_no_finding() {
    let machine = MadeInterrupts::two_nodes();
    machine.disk(0, &[40, 41, 42], &["0-3", "4-7"]);
    machine.interrupts(&[
        irq(40, "nvme0q0", 0, on(0, 20)),
        irq(41, "nvme0q1", 1, on(1, 800_000)),
        irq(42, "nvme0q2", 6, on(6, 800_000)),
    ]);
    machine.manage(41);
    machine.manage(42);
    assert_eq!(codes(&machine.since_boot()), ["irq-fewer-queues"]);
}

#[test]
fn old_kernels_do_not_show_control() {
    let machine = MadeInterrupts::two_nodes();
    machine.file("proc/version", "Linux version 5.10.0 (x)");
    machine.file("proc/sys/kernel/osrelease", "5.10.0");
    machine.disk(0, &[40], &["0-7"]);
    machine.interrupts(&[irq(40, "nvme0q0", 0, on(0, 20))]);
    assert_eq!(machine.since_boot().devices[0].interrupts[0].control, IrqControl::Unknown);
}

#[test]
fn all_queues_on_one_cpu_are_found() {
    for machine in [MadeInterrupts::one_node(), MadeInterrupts::two_nodes()] {
        machine.network_card(0, &[30, 31]);
        let both = |second: u32| {
            let counts = on(second as usize, 90_000);
            machine.interrupts(&[
                irq(30, "eth0-rx-0", 1, on(1, 70_000)),
                irq(31, "eth0-rx-1", second, counts),
            ]);
            codes(&machine.since_boot())
        };
        assert_eq!(both(1), ["irq-queues-on-one-cpu"]);
        assert_eq!(both(2), [""; 0]);
        // Both directions of one queue.
        machine.interrupts(&[
            irq(30, "eth0-rx-0", 1, on(1, 70_000)),
            irq(31, "eth0-tx-0", 1, on(1, 70_000)),
        ]);
        assert_eq!(codes(&machine.since_boot()), [""; 0]);
    }
}

#[test]
fn busy_devices_with_few_queues_are_found() {
    let machine = MadeInterrupts::one_node();
    let interface = machine.network_card(0, &[30]);
    machine.file(&format!("{interface}/queues/rx-0/rps_cpus"), "00");
    let once = |count| [irq(30, "eth0-input-0", 1, on(1, count))];
    assert_eq!(codes(&counted(&machine, &once(5), &once(90_005))), ["irq-fewer-queues"]);
    assert_eq!(codes(&counted(&machine, &once(5), &once(505))), [""; 0]);
    for queue in 1..8 {
        machine.file(&format!("{interface}/queues/rx-{queue}/rps_cpus"), "00");
    }
    assert_eq!(codes(&counted(&machine, &once(5), &once(90_005))), [""; 0]);
}

#[test]
fn active_devices_without_a_node_are_found() {
    let active = [irq(30, "eth0-rx-0", 1, on(1, 70_000))];
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(-1, &[30]);
    machine.interrupts(&active);
    let document = machine.since_boot();
    assert_eq!(codes(&document), ["irq-device-node-unknown"]);
    assert_eq!((document.far_share, document.totals[0].unknown), (None, 70_000));
    machine.interrupts(&[irq(30, "eth0-rx-0", 1, on(1, 70))]);
    assert_eq!(codes(&machine.since_boot()), [""; 0]);
}

#[test]
fn shared_lines_are_found_where_messages_are_offered() {
    let shared = |support: MessageSupport, count: u64, functions: &[&str]| {
        let machine = MadeInterrupts::one_node().supporting(support);
        functions.iter().for_each(|address| machine.on_a_line(address, 16, 0));
        machine.interrupts(&[irq(16, "xhci_hcd:usb1, ehci_hcd:usb2", 1, on(1, count))]);
        codes(&machine.since_boot())
    };
    let two = ["0000:00:14.0", "0000:00:1a.0"];
    assert_eq!(shared(MessageSupport::Msi, 70_000, &two), ["irq-line-shared"]);
    assert_eq!(shared(MessageSupport::NotReadable, 70_000, &two), ["irq-line-shared-unknown"]);
    for silent in [MessageSupport::Neither, MessageSupport::Absent] {
        assert_eq!(shared(silent, 70_000, &two), [""; 0]);
    }
    assert_eq!(shared(MessageSupport::Msi, 70, &two), [""; 0]);
    assert_eq!(shared(MessageSupport::Msi, 70_000, &two[..1]), [""; 0]);
}

#[test]
fn packets_that_cross_nodes_are_found() {
    let steered = |rps: &str, xps: &str, cpu: u32, machine: MadeInterrupts| {
        let interface = machine.network_card(0, &[30, 31]);
        machine.file(&format!("{interface}/queues/rx-0/rps_cpus"), rps);
        machine.file(&format!("{interface}/queues/tx-0/xps_cpus"), xps);
        machine.interrupts(&[
            irq(30, "eth0-rx-0", 1, on(1, 70_000)),
            irq(31, "eth0-tx-0", cpu, on(cpu as usize, 7_000)),
        ]);
        codes(&machine.since_boot())
    };
    let two = MadeInterrupts::two_nodes;
    assert_eq!(steered("ff", "00", 1, two()), ["rps-across-nodes"]);
    assert_eq!(steered("0f", "0f", 1, two()), [""; 0]);
    assert_eq!(steered("00", "f0", 1, two()), ["xps-across-nodes"]);
    assert_eq!(steered("00", "ff", 1, two()), [""; 0]);
    assert_eq!(steered("ff", "f0", 1, MadeInterrupts::one_node()), [""; 0]);
}

#[test]
fn changes_under_irqbalance_are_found() {
    let changed = |machine: MadeInterrupts| {
        machine.network_card(0, &[30]);
        let quiet = [irq(30, "eth0-rx-0", 1, on(1, 5))];
        machine.interrupts(&quiet);
        let earlier = machine.snapshot();
        machine.file("proc/irq/30/smp_affinity_list", "3");
        let earlier = Earlier { snapshot: &earlier, seconds: Some(1.0) };
        codes(&machine.document(&machine.snapshot(), Some(earlier)))
    };
    assert_eq!(changed(MadeInterrupts::two_nodes().balanced()), ["irq-changed-under-irqbalance"]);
    assert_eq!(changed(MadeInterrupts::two_nodes()), [""; 0]);
    assert_eq!(changed(MadeInterrupts::two_nodes().balanced_without(30)), [""; 0]);
    assert_eq!(changed(MadeInterrupts::two_nodes().balanced().only("DISK0")), [""; 0]);
    let codes = changed(MadeInterrupts::two_nodes().balanced().only("NIC0"));
    assert_eq!(codes, ["irq-changed-under-irqbalance"]);
}

#[test]
fn platform_interrupts_have_no_device() {
    let machine = MadeInterrupts::two_nodes();
    machine.interrupts(&[irq(8, "rtc0", 1, on(1, 70_000))]);
    let document = machine.since_boot();
    assert!(document.devices.is_empty() && document.findings.is_empty());
    assert_eq!((document.others[0].number, document.totals[0].unknown), (8, 70_000));
}
