use nearfar_infer::claims::{DistanceClaim, check};
use nearfar_infer::links::links;
use nearfar_infer::{NumaVerdict, THRESHOLD};

use super::hidden::kinds_put_in;
use super::*;

fn machine(name: &str) -> LabMachine {
    LabMachine::load(name).unwrap()
}

/// A machine of the lab with other words for the kernel.
fn with_numa_off(name: &str) -> LabMachine {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("off.toml");
    std::fs::write(&path, format!("kernel_args = \"numa=off\"\n{}", machine(name).text)).unwrap();
    machine(path.to_str().unwrap())
}

fn verdict(numa: Numa, ci95: Option<[f64; 2]>) -> NumaVerdict {
    NumaVerdict { numa, ci95, threshold: THRESHOLD, ..NumaVerdict::default() }
}

fn only(verdict: &NumaVerdict) -> Statements<'_> {
    Statements { verdict, classes: &[], links: None, claims: &[], search: None }
}

/// (right, wrong, missed) of the verdict.
fn judged_verdict(name: &str, numa: Numa) -> (usize, usize, usize) {
    let verdict = verdict(numa, None);
    let judged = &only(&verdict).judged(&machine(name))[0];
    (judged.right, judged.wrong.len(), judged.missed.len())
}

#[test]
fn a_verdict_is_right_wrong_or_missed() {
    for differs in ["epyc-7451-2p", "hidden-2n", "tests/machines/xeon-10-percent.toml"] {
        assert_eq!(judged_verdict(differs, Numa::Yes), (1, 0, 0), "{differs}");
        assert_eq!(judged_verdict(differs, Numa::No), (0, 1, 0), "{differs}");
        assert_eq!(judged_verdict(differs, Numa::Undetermined), (0, 0, 1), "{differs}");
    }
    for uniform in
        ["uma-claims-8-nodes", "firmware-interleaved", "tests/machines/xeon-3-percent.toml"]
    {
        assert_eq!(judged_verdict(uniform, Numa::Yes), (0, 1, 0), "{uniform}");
        assert_eq!(judged_verdict(uniform, Numa::No), (1, 0, 0), "{uniform}");
        assert_eq!(judged_verdict(uniform, Numa::Undetermined), (0, 0, 0), "{uniform}");
    }
}

#[test]
fn the_effects_interval_has_to_hold_the_truth() {
    let held = |ci95| {
        let verdict = verdict(Numa::Yes, Some(ci95));
        only(&verdict).judged(&machine("epyc-7451-2p"))[0].intervals
    };
    assert_eq!((held([2.3, 2.5]), held([1.9, 2.1])), ([1, 1], [0, 1]));
}

#[test]
fn kinds_of_pages_are_what_cpus_distinguish() {
    assert_eq!(kinds_put_in(&machine("hidden-2n")).len(), 2);
    assert_eq!(kinds_put_in(&machine("firmware-interleaved")).len(), 1);
    assert_eq!(kinds_put_in(&machine("xeon-2s")).len(), 1, "the kernel shows these");
    assert_eq!(kinds_put_in(&with_numa_off("xeon-2s")).len(), 2);
    // Three nodes with CPUs and one that is as far from all: four.
    assert_eq!(kinds_put_in(&with_numa_off("tests/machines/four-nodes.toml")).len(), 4);
}

/// Statements about hidden nodes in four-nodes.
fn judged_search(finding: HiddenFinding, kinds: usize, times: f64) -> Judged {
    let machine = with_numa_off("tests/machines/four-nodes.toml");
    let groups: Vec<CpuSet> = machine.cpu_nodes().map(|node| node.cpus.clone()).collect();
    let kind = |truth: &Vec<f64>| FoundKind {
        costs: groups.iter().cloned().zip(truth.iter().map(|cost| cost * times)).collect(),
    };
    let kinds = kinds_put_in(&machine).iter().take(kinds).map(kind).collect();
    hidden::judge(
        Some(&HiddenSearch { finding, down_to: Some(0.05), kinds, is_least: false }),
        &machine,
    )
}

#[test]
fn none_is_never_right_where_nodes_are_hidden() {
    let judged = |down_to| {
        let search =
            HiddenSearch { finding: HiddenFinding::None, down_to, kinds: vec![], is_least: false };
        objections(&[hidden::judge(Some(&search), &machine("hidden-2n"))])
    };
    assert_eq!(judged(None).len(), 1);
    assert_eq!(judged(Some(0.9)), ["hidden nodes were not found: there are 2 kinds of pages"]);
    let uniform = HiddenSearch {
        finding: HiddenFinding::None,
        down_to: None,
        kinds: vec![],
        is_least: false,
    };
    assert_eq!(hidden::judge(Some(&uniform), &machine("uma-claims-8-nodes")).right, 1);
}

#[test]
fn each_kind_is_held_against_a_memory_of_its_own() {
    let machine = machine("hidden-2n");
    let truth = kinds_put_in(&machine);
    let groups: Vec<CpuSet> = machine.cpu_nodes().map(|node| node.cpus.clone()).collect();
    let first = FoundKind { costs: groups.into_iter().zip(truth[0].iter().copied()).collect() };
    let twice = HiddenSearch {
        finding: HiddenFinding::Found,
        down_to: None,
        kinds: vec![first.clone(), first],
        is_least: false,
    };
    assert_eq!(hidden::judge(Some(&twice), &machine).wrong.len(), 1);
    let unmeasured = HiddenSearch {
        finding: HiddenFinding::Found,
        down_to: None,
        kinds: vec![FoundKind { costs: vec![] }; 2],
        is_least: false,
    };
    assert_eq!(hidden::judge(Some(&unmeasured), &machine).wrong.len(), 2);
}

#[test]
fn few_intervals_that_hold_are_an_objection() {
    let with = |held| [Judged { intervals: [held, 40], ..Judged::new("claims") }];
    assert_eq!(objections(&with(20)), ["20 of 40 intervals of ratios contain the truth"]);
    assert_eq!(objections(&with(38)), Vec::<String>::new());
}

#[test]
fn partly_found_hidden_nodes_are_an_objection() {
    let found = judged_search(HiddenFinding::Found, 4, 1.01);
    assert_eq!((found.right, found.wrong.len(), found.missed.len()), (5, 0, 0));
    let too_few = judged_search(HiddenFinding::Found, 2, 1.0);
    assert_eq!(too_few.wrong, ["2 kinds of pages were found, and there are 4 kinds of pages"]);
    assert_eq!(judged_search(HiddenFinding::Found, 4, 1.1).wrong.len(), 4);
    let none = judged_search(HiddenFinding::None, 0, 1.0).wrong;
    assert_eq!(none, ["nothing hidden is reported down to 5.0 %, and there are 4 kinds of pages"]);
    assert_eq!(judged_search(HiddenFinding::Interleaved, 0, 1.0).wrong.len(), 1);
    let open = [judged_search(HiddenFinding::Undetermined, 0, 1.0)];
    assert_eq!(objections(&open), ["hidden nodes were not found: there are 4 kinds of pages"]);
}

#[test]
fn classes_links_and_claims_of_the_truth_itself_are_right() {
    let machine = machine("opteron-4p-8n");
    let truth = truth(&machine);
    let classes = nearfar_infer::classes::classes(&truth).unwrap();
    let links = links(&truth).unwrap();
    let nodes: Vec<u32> = machine.nodes().iter().map(|node| node.id.0).collect();
    let slit: Vec<Vec<u32>> = machine
        .description
        .firmware
        .slit
        .iter()
        .flatten()
        .map(|row| row.iter().map(|&at| u32::from(at)).collect())
        .collect();
    let claims = [check(&DistanceClaim::slit(&nodes, &slit), &truth, &classes, 1)];
    let verdict = verdict(Numa::Yes, None);
    let statements =
        Statements { links: Some(&links), classes: &classes, claims: &claims, ..only(&verdict) };
    let judged = statements.judged(&machine);
    assert_eq!(objections(&judged), Vec::<String>::new());
    let right: Vec<bool> = judged.iter().map(|judged| judged.right > 0).collect();
    assert_eq!(right, [true, false, true, true, true], "{judged:?}");
}

#[test]
fn false_classes_links_and_claims_are_named() {
    let machine = machine("opteron-4p-8n");
    let truth = truth(&machine);
    let mut all = nearfar_infer::classes::classes(&truth).unwrap();
    let joined: Vec<[u32; 2]> = all.iter().flat_map(|class| class.cells.clone()).collect();
    all.truncate(1);
    all[0].cells = joined;
    assert_eq!(classes::judge(&all, &truth).wrong.len(), 1);
    let mut swapped = links(&truth).unwrap();
    let path = swapped.paths[0];
    swapped.edges[0].a = path.a;
    swapped.edges[0].b = path.b;
    assert_eq!(
        links::judge(&swapped, &truth).wrong,
        [format!("nodes {} and {} are not linked", path.a, path.b)]
    );
    let nodes: Vec<u32> = machine.nodes().iter().map(|node| node.id.0).collect();
    let far = vec![vec![50; 8]; 8];
    let mut claims = check(&DistanceClaim::slit(&nodes, &far), &truth, &[], 1);
    claims.cells.iter_mut().for_each(|cell| cell.agrees = Some(true));
    let judged = super::claims::judge(&[claims], &machine);
    assert_eq!((judged.right, judged.wrong.len()), (0, 56));
}
