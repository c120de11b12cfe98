//! Documents for surveys: what is active, in a bounded size.

use nearfar_devices::irq::{IrqDocument, IrqFolded, NodeCount};
use nearfar_model::{CpuId, NodeId};

use crate::document_by_hand::document;
use crate::made_machine::{MadeInterrupts, MadeIrq, on};

fn numbers(document: &IrqDocument) -> Vec<u32> {
    let device_interrupts = document.devices.iter().flat_map(|device| &device.interrupts);
    device_interrupts.chain(&document.others).map(|irq| irq.number).collect()
}

#[test]
fn idle_interrupts_are_left_out_and_sums_stay() {
    let machine = MadeInterrupts::two_nodes();
    machine.network_card(0, &[24, 25]);
    machine.disk(1, &[30, 31], &[]);
    machine.interrupts(&[
        MadeIrq { number: 24, handler: "eth0-rx-0", cpu: 5, counts: on(5, 40_000) },
        MadeIrq { number: 25, handler: "eth0-rx-1", cpu: 1, counts: on(1, 999) },
        MadeIrq { number: 30, handler: "nvme0q0", cpu: 1, counts: on(1, 900) },
        MadeIrq { number: 31, handler: "nvme0q1", cpu: 1, counts: on(1, 90) },
        MadeIrq { number: 4, handler: "timer", cpu: 1, counts: on(1, 1_000) },
        MadeIrq { number: 5, handler: "rtc", cpu: 1, counts: on(1, 3) },
    ]);
    let whole = machine.since_boot();
    let folded = whole.clone().into_folded();
    assert_eq!(numbers(&folded), [24, 4]);
    let [network] = folded.devices.as_slice() else { panic!("{folded:?}") };
    let node = |node, count| NodeCount { node: NodeId(node), count };
    assert_eq!((network.count, network.far), (40_999, Some(40_000)));
    assert_eq!(network.by_node, [node(0, 999), node(1, 40_000)]);
    assert_eq!(folded.folded, Some(IrqFolded { devices: 1, interrupts: 4, findings: 0 }));
    assert_eq!((&folded.totals, &folded.findings), (&whole.totals, &whole.findings));
    assert_eq!(folded.findings.len(), 1);
    assert!(whole.folded.is_none());
    let text = serde_json::to_string(&folded).unwrap();
    assert_eq!(serde_json::from_str::<IrqDocument>(&text).unwrap(), folded);
}

#[test]
fn idle_devices_with_findings_stay() {
    let folded = document().into_folded();
    let labels: Vec<&str> = folded.devices.iter().map(|device| device.label.as_str()).collect();
    assert_eq!(labels, ["NIC0", "DISK0", "USB0", "GPU0"]);
    assert!(folded.softirqs.is_empty() && folded.cpu_interrupts.is_empty());
    assert!(
        folded.devices.iter().all(|device| device.interfaces.is_empty() && device.disks.is_empty())
    );
}

/// 64 cards with 64 busy interrupts each, and 512 CPUs in 64 nodes.
fn large() -> IrqDocument {
    let mut large = document();
    let card = large.devices[0].clone();
    large.devices = (0..64).map(|_| card.clone()).collect();
    for (number, device) in (0..).zip(&mut large.devices) {
        device.label = format!("NIC{number}");
        let irq = device.interrupts[0].clone();
        device.interrupts = (0..64).map(|_| irq.clone()).collect();
        for (queue, irq) in (0..).zip(&mut device.interrupts) {
            irq.number = number * 64 + queue;
            irq.count = Some(1_000_000 + u64::from(irq.number));
            irq.per_second = Some(1e6);
            irq.by_cpu = (0..512)
                .map(|cpu| nearfar_devices::irq::CpuCount { cpu: CpuId(cpu), count: 1_234_567 })
                .collect();
            irq.by_node =
                (0..64).map(|node| NodeCount { node: NodeId(node), count: 1_234_567 }).collect();
        }
        device.by_node.clone_from(&device.interrupts[0].by_node);
    }
    large
}

#[test]
fn very_many_busy_interrupts_take_little_room() {
    let size = |document: &IrqDocument| serde_json::to_string(document).unwrap().len();
    let large = large();
    let folded = large.clone().into_folded();
    assert_eq!(folded.devices.len(), 64);
    assert_eq!(numbers(&folded)[..2], [4_095 - 63, 4_095 - 62]);
    let left_out = folded.folded.unwrap();
    assert_eq!((left_out.devices, left_out.interrupts), (0, 4_096 - 64 + large.others.len()));
    assert!(size(&large) > 40_000_000 && size(&folded) < 400_000, "{}", size(&folded));
}
