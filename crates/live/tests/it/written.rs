//! Ticks are read as they were written.

use nearfar_live::{
    GroupRow, GroupWhy, Interval, MovingMemory, NodeBytes, NodeRow, NodeThreads, PmuState,
    ProcessRow, ProcessWhy, SCHEMA, SurveyBasis, Tick,
};
use nearfar_machine::pmu::PmuRefusal;
use nearfar_model::{Bytes, CpuSet, NodeId};

/// A tick with every part.
fn tick() -> Tick {
    let interval = Interval { value: 0.5, ci95: [0.4, 0.6] };
    let (from, to) = (NodeId(0), NodeId(1));
    let moving = Some(MovingMemory { from, to, bytes_per_s: 1e6 });
    let by_node = vec![NodeBytes { node: to, bytes: Bytes::gib(1) }];
    let node = NodeRow {
        node: from,
        cpus: CpuSet::parse_list("0-3").unwrap(),
        total_bytes: Some(Bytes::gib(4)),
        hit_pages_per_s: Some(1.0),
        dram_read_bytes_per_s: Some(1e9),
        local_fills_per_s: Some(1e6),
        remote_fills_per_s: Some(1e5),
        near_memory_ns: Some(118.0),
        ..NodeRow::default()
    };
    let process = ProcessRow {
        pid: 7,
        name: "db".to_owned(),
        cpus: Some(1.0),
        memory_bytes: Bytes::gib(1),
        by_node: by_node.clone(),
        threads: Some(2),
        threads_by_node: vec![NodeThreads { node: from, threads: 2 }],
        remote_share: Some(interval),
        remote_cost: Some(interval),
        moving,
        sampled_pages: 400,
        sample_age_s: Some(0.5),
        why: Some(ProcessWhy::NodesUnknown),
        ..ProcessRow::default()
    };
    let group = GroupRow {
        name: "/box".to_owned(),
        cpus: None,
        memory_bytes: Bytes::gib(1),
        anonymous_bytes: Bytes::gib(1),
        file_bytes: Bytes(0),
        by_node,
        tasks: Some(1),
        remote_share: Some(1.0),
        moving,
        memory_wait_some: Some(0.0),
        why: Some(GroupWhy::SeveralNodes),
    };
    Tick {
        schema: SCHEMA.to_owned(),
        nodes: vec![node],
        processes: vec![process],
        cgroups: Some(vec![group]),
        pmu: Some(PmuState {
            events: None,
            refusal: Some(PmuRefusal::Paranoid { level: 2, needed: 0 }),
            dram_refusal: Some(PmuRefusal::Sandbox),
        }),
        survey: Some(SurveyBasis { started: "2026-11-26".to_owned(), remote_ratio: 1.8 }),
        ..Tick::default()
    }
}

#[test]
fn documents_are_read_as_they_were_written() {
    let text = serde_json::to_string(&tick()).unwrap();
    assert_eq!(serde_json::from_str::<Tick>(&text).unwrap(), tick());
}
