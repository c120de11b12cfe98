use nearfar_machine::PciAddress;
use nearfar_model::{CpuId, NodeId};
use proptest::prelude::*;

use super::*;

fn set(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

/// Four cores with two threads each; cores 2 and 3 are near.
fn layout() -> CpuLayout {
    CpuLayout { cores: ["0,4", "1,5", "2,6", "3,7"].map(set).to_vec(), isolated: CpuSet::new() }
}

fn irq(number: u32, queue: Option<u32>, freedom: IrqFreedom) -> IrqFacts {
    let name = format!("x-{number}");
    IrqFacts { number, name, queue, freedom, shared_with: Vec::new() }
}

fn card(interrupts: Vec<IrqFacts>) -> DeviceFacts {
    let interface =
        SettableInterface { name: "eth0".to_owned(), receive: vec![0, 1], transmit: vec![0, 1] };
    DeviceFacts {
        label: "NIC0".to_owned(),
        address: PciAddress::parse("0:3.0").unwrap(),
        node: Some(NodeId(1)),
        near: set("2-3,6-7"),
        interrupts,
        interfaces: vec![interface],
    }
}

fn free_card() -> DeviceFacts {
    // rx-0, tx-0, rx-1, tx-1 and a vector without a queue.
    let queues = [None, Some(0), Some(0), Some(1), Some(1)];
    let irqs = queues.into_iter().zip(24..);
    card(irqs.map(|(queue, number)| irq(number, queue, IrqFreedom::Free)).collect())
}

fn irqs_to(target: IrqTarget) -> SetRequest {
    SetRequest { irqs: Some(target), ..SetRequest::default() }
}

fn planned(device: &DeviceFacts, request: &SetRequest) -> Result<Vec<String>, String> {
    let changes = plan(device, &layout(), request).map_err(|error| error.to_string())?;
    Ok(changes.iter().map(|change| change.cpus.to_string()).collect())
}

#[test]
fn near_is_every_cpu_of_the_node() {
    assert_eq!(planned(&free_card(), &irqs_to(IrqTarget::Near)).unwrap(), ["2-3,6-7"; 5]);
    let listed = irqs_to(IrqTarget::Cpus(set("0-1")));
    assert_eq!(planned(&free_card(), &listed).unwrap(), ["0-1"; 5]);
}

#[test]
fn spread_uses_a_cpu_of_each_core_first() {
    let near = planned(&free_card(), &irqs_to(IrqTarget::Spread(CpuReach::Near))).unwrap();
    assert_eq!(near, ["6", "2", "2", "3", "3"]);
    let all = planned(&free_card(), &irqs_to(IrqTarget::Spread(CpuReach::All))).unwrap();
    assert_eq!(all, ["2", "0", "0", "1", "1"]);
}

#[test]
fn isolated_cpus_are_avoided() {
    let layout = CpuLayout { isolated: set("3,7"), ..layout() };
    let changes = plan(&free_card(), &layout, &irqs_to(IrqTarget::Near)).unwrap();
    assert_eq!(changes[0].cpus, set("2,6"));
    let all = CpuLayout { isolated: set("0-7"), ..layout };
    let changes = plan(&free_card(), &all, &irqs_to(IrqTarget::Near)).unwrap();
    assert_eq!(changes[0].cpus, set("2-3,6-7"));
}

#[test]
fn queues_share_cpus_by_core() {
    let request = |reach| SetRequest { xps: Some(reach), ..SetRequest::default() };
    let xps = |reach| planned(&free_card(), &request(reach)).unwrap();
    assert_eq!(xps(Some(CpuReach::Near)), ["2,6", "3,7"]);
    assert_eq!(xps(Some(CpuReach::All)), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(xps(None), ["", ""]);
    let rps = SetRequest { rps: Some(Some(CpuReach::Near)), ..SetRequest::default() };
    assert_eq!(planned(&free_card(), &rps).unwrap(), ["2-3,6-7", "2-3,6-7"]);
    assert_eq!(
        shares(&[2, 3].map(CpuId), 5).iter().map(CpuSet::to_string).collect::<Vec<_>>(),
        ["2", "3", "2", "3", "2"]
    );
}

#[test]
fn managed_interrupts_are_refused_by_name() {
    let admin = irq(33, None, IrqFreedom::Free);
    let queues = [34, 35].map(|number| irq(number, Some(1), IrqFreedom::Managed));
    let disk = card([vec![admin], queues.to_vec()].concat());
    let mut request = irqs_to(IrqTarget::Near);
    assert_eq!(
        planned(&disk, &request).unwrap_err(),
        "NIC0: interrupts 34-35 are managed by the kernel: change the number of queues, or \
         isolcpus=managed_irq; --skip-managed sets the other 1"
    );
    request.skips_managed = true;
    assert_eq!(planned(&disk, &request).unwrap(), ["2-3,6-7"]);
    let only = card(queues.to_vec());
    assert!(planned(&only, &request).unwrap_err().ends_with("or isolcpus=managed_irq"));
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let error = |device: &DeviceFacts, request| planned(device, &request).unwrap_err();
    let near = || irqs_to(IrqTarget::Near);
    assert!(error(&card(Vec::new()), near()).contains("has no interrupts now"));
    let fixed = card(vec![irq(9, None, IrqFreedom::Fixed)]);
    assert!(error(&fixed, near()).contains("interrupt 9 is fixed"));
    let mut unknown = free_card();
    unknown.near = CpuSet::new();
    assert!(error(&unknown, near()).contains("the node of NIC0 is unknown"));
    let offline = irqs_to(IrqTarget::Cpus(set("7-9")));
    assert_eq!(error(&free_card(), offline), "CPU 8-9 is not online: CPUs 0-7 are");
    assert!(error(&free_card(), irqs_to(IrqTarget::Cpus(CpuSet::new()))).contains("empty"));
    let mut disk = free_card();
    disk.interfaces.clear();
    let xps = SetRequest { xps: Some(None), ..SetRequest::default() };
    assert!(error(&disk, xps).contains("no network interface"));
}

proptest! {
    /// Each CPU sends by exactly one queue, and no queue is without CPUs.
    #[test]
    fn shares_cover_all_cpus(cpus in 1_u32..70, queues in 1_usize..70) {
        let order: Vec<CpuId> = (0..cpus).map(CpuId).collect();
        let dealt = shares(&order, queues);
        prop_assert_eq!(dealt.len(), queues);
        prop_assert!(dealt.iter().all(|share| !share.is_empty()));
        let total: usize = dealt.iter().map(CpuSet::len).sum();
        let all: CpuSet = dealt.iter().flat_map(CpuSet::iter).collect();
        prop_assert_eq!(total, queues.max(order.len()));
        prop_assert_eq!(all.len(), order.len().min(total));
    }

    /// No CPU has two queues more than another.
    #[test]
    fn spreads_are_even(numbers in prop::collection::vec(prop::option::of(0_u32..20), 1..40)) {
        let irqs: Vec<IrqFacts> = numbers
            .iter()
            .zip(20..)
            .map(|(queue, number)| irq(number, *queue, IrqFreedom::Free))
            .collect();
        let order: Vec<CpuId> = (0..8).map(CpuId).collect();
        let each = one_each(&order, &irqs.iter().collect::<Vec<_>>());
        prop_assert_eq!(each.len(), irqs.len());
        let mut keys: Vec<(Option<u32>, &CpuSet)> = irqs
            .iter()
            .map(|irq| (irq.queue.or(Some(irq.number + 100)), &each[&irq.number]))
            .collect();
        keys.sort_by_key(|(key, cpus)| (*key, cpus.first()));
        keys.dedup();
        let on = |cpu: &CpuId| keys.iter().filter(|(_, cpus)| cpus.contains(*cpu)).count();
        let counts: Vec<usize> = order.iter().map(on).collect();
        prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
    }
}
