//! Can the judge fail? Sentences that are true, and sentences that are not.

use super::*;
use crate::random::{Claimed, Family, described, replayed_survey, shown_claims};

/// A machine of these costs, with a SLIT where there is one.
fn machine(ns: &[&[f64]], slit: &str) -> LabMachine {
    let with_cpus = ns.len();
    let mut text = format!("summary = \"by hand\"\narch = \"x86_64\"\n[latency]\nns = {ns:?}\n");
    for node in 0..ns[0].len() {
        let cpus = if node < with_cpus { format!("cpus = \"{node}\"\n") } else { String::new() };
        text += &format!("[[node]]\nid = {node}\n{cpus}memory = \"256M\"\n");
    }
    if !slit.is_empty() {
        text += &format!("[firmware]\nslit = {slit}\n");
    }
    LabMachine::parse("by-hand", "by-hand", &text).unwrap()
}

fn own_is_slower() -> LabMachine {
    machine(&[&[150.0, 100.0], &[100.0, 150.0]], "")
}

/// One direction of one link is slow.
fn one_direction() -> LabMachine {
    machine(&[&[900.0, 1800.0, 1800.0], &[1800.0, 900.0, 2410.0], &[1800.0, 1800.0, 900.0]], "")
}

/// Memory of node 0 is slow for everybody.
fn slow_memory() -> LabMachine {
    machine(&[&[180.0, 150.0], &[170.0, 100.0]], "")
}

fn cxl() -> LabMachine {
    machine(&[&[100.0, 160.0, 250.0], &[160.0, 100.0, 400.0]], "[[10,30,25],[16,10,25],[20,20,10]]")
}

/// What becomes of a machine's sentences and screen.
fn judged(machine: &LabMachine, sentences: &[&str], screen: &str) -> Vec<Judged> {
    let survey = Survey { claims: shown_claims(machine), ..Survey::default() };
    let sentences: Vec<String> = sentences.iter().map(|text| (*text).to_owned()).collect();
    let truth = &MemoryTruth::new(machine);
    SurveyText { survey: &survey, truth, slack: Slack::REPLAY }.judged(&sentences, screen)
}

/// What is wrong with one sentence; panics where it is not judged.
fn wrong(machine: &LabMachine, sentence: &str) -> Vec<String> {
    let judged = judged(machine, &[sentence], "");
    let unjudged: Vec<&String> = judged.iter().flat_map(|judged| &judged.unjudged).collect();
    assert!(unjudged.is_empty(), "{unjudged:?}");
    judged.into_iter().flat_map(|judged| judged.wrong).collect()
}

#[track_caller]
fn is_wrong(machine: &LabMachine, sentence: &str) {
    assert_eq!(wrong(machine, sentence).len(), 1, "{sentence}");
}

#[track_caller]
fn is_right(machine: &LabMachine, sentence: &str) {
    assert_eq!(wrong(machine, sentence), Vec::<String>::new());
}

/// What 0.2.0 printed of three machines that had no description.
#[test]
fn sentences_that_their_own_matrix_contradicts_are_wrong() {
    is_wrong(
        &own_is_slower(),
        "Run a program that fits into 256 MiB on the CPUs and memory of one node: 'nearfar run -N \
         0 -m 0 PROGRAM'. Its slowest accesses would cost 49 to 51 % more elsewhere.",
    );
    is_wrong(
        &own_is_slower(),
        "Interleave memory that all CPUs use: 'nearfar run -i 0-1 PROGRAM'. On one node, the \
         farthest CPUs access it in 100 ns on average.",
    );
    is_wrong(
        &one_direction(),
        "Interleave memory that all CPUs use: 'nearfar run -i 0-2 PROGRAM'. On one node, the \
         farthest CPUs access it in 2410 ns on average.",
    );
    is_wrong(
        &slow_memory(),
        "Run a program that fits into 256 MiB on the CPUs and memory of one node: 'nearfar run -N \
         0 -m 0 PROGRAM'. Its slowest accesses would cost 69 to 71 % more elsewhere.",
    );
    is_wrong(
        &slow_memory(),
        "Interleave memory that all CPUs use: 'nearfar run -i 0-1 PROGRAM'. On one node, the \
         farthest CPUs access it in 170 ns on average.",
    );
    is_wrong(
        &machine(&[&[180.0, 150.0], &[170.0, 100.0]], "[[10,20],[20,10]]"),
        "For node 1 from node 0, SLIT claims 2.00 times the local latency. Measured: 0.83 times. \
         Let programs use it when local memory is full: 'nearfar run -N 0 -p 0 PROGRAM'.",
    );
}

#[test]
fn placements_that_win_are_right() {
    is_right(
        &slow_memory(),
        "Run a program that fits into 256 MiB on one node: 'nearfar run -N 1 -m 1 PROGRAM' (100 \
         ns). Memory of node 0 costs these CPUs 70.0 % more (95 % interval 69.0 to 71.0).",
    );
    is_right(
        &slow_memory(),
        "The fastest memory of the CPUs of node 0 is node 1's: 'nearfar run -N 0 -m 1 PROGRAM' \
         (150 ns). Their own memory costs them 20.0 % more (95 % interval 19.0 to 21.0).",
    );
    is_right(
        &slow_memory(),
        "Put memory that all CPUs use on node 1: 'nearfar run -m 1 PROGRAM'. Its latency is 125 ns \
         on average and 150 ns at most, that of interleaved memory 150 and 165 ns. Bandwidth was \
         not compared.",
    );
    is_right(
        &cxl(),
        "Run a program that fits into 256 MiB on one node: 'nearfar run -N 0 -m 0 PROGRAM' (100 \
         ns). Memory of node 1 costs these CPUs 60.0 % more (95 % interval 59.0 to 61.0). Memory \
         of node 2 costs them 150.0 % more (149.0 to 151.0).",
    );
    is_right(
        &cxl(),
        "Node 2 has memory but no CPUs: 250 ns from node 0, 400 ns from node 1. Use it for rarely \
         used data of the nearest CPUs: 'nearfar run -N 0 -m 0,2 PROGRAM' overflows into it.",
    );
    is_right(
        &cxl(),
        "Interleave memory that all CPUs use: 'nearfar run -i 0-1 PROGRAM'. The CPUs of each node \
         access it in at most 130 ns on average. On any one node, some CPUs need 160 ns or more.",
    );
}

/// Each of its numbers and nodes is judged.
#[test]
fn one_wrong_figure_makes_a_sentence_wrong() {
    let right = "Run a program that fits into 256 MiB on one node: 'nearfar run -N 1 -m 1 PROGRAM' \
                 (100 ns). Memory of node 0 costs these CPUs 70.0 % more (95 % interval 69.0 to \
                 71.0).";
    let replaced = [
        ("256 MiB", "512 MiB"),
        ("(100 ns)", "(104 ns)"),
        ("70.0 % more (95 % interval 69.0 to 71.0)", "60.0 % more (95 % interval 59.0 to 61.0)"),
        ("-N 1 -m 1", "-N 0 -m 0"),
        ("-N 1 -m 1", "-N 0-1 -m 0-1"),
    ];
    replaced.iter().for_each(|(old, new)| is_wrong(&slow_memory(), &right.replace(old, new)));
}

#[test]
fn nodes_near_to_each_other_beat_every_exchange() {
    let [near, far] = [120.0, 200.0];
    let four: [&[f64]; 4] = [
        &[100.0, near, far, far],
        &[near, 100.0, far, far],
        &[far, far, 100.0, near],
        &[far, far, near, 100.0],
    ];
    let four = machine(&four, "");
    let right = "Run a program that needs 2 nodes on nodes 0-1, or on nodes 2-3: 'nearfar run -N \
                 0-1 -m 0-1 PROGRAM'. Memory of these nodes costs their CPUs 110 ns on average. \
                 With any of them exchanged for another node, it costs 150 ns or more.";
    is_right(&four, right);
    is_wrong(&four, &right.replace("nodes 2-3", "nodes 1-2"));
    is_wrong(&four, &right.replace("150 ns", "200 ns"));
    is_wrong(&four, &right.replace("0-1", "0,2"));
    let older = "Run a program that needs several nodes on nodes 0-1, or on 2-3: 'nearfar run -N \
                 0-1 -m 0-1 PROGRAM'. They are 120 ns apart, other nodes 200 ns or more.";
    is_right(&four, older);
}

#[test]
fn claims_have_to_be_there_and_false() {
    let figure = "For node 1 from node 0, SLIT claims 3.00 times the local latency. Measured: 1.60 \
                  times (95 % interval 1.58 to 1.62). Use the measured figure.";
    is_right(&cxl(), figure);
    is_wrong(&cxl(), &figure.replace("3.00", "2.00"));
    is_wrong(&cxl(), &figure.replace("1.60", "1.90").replace("1.58 to 1.62", "1.88 to 1.92"));
    let holds = "For node 2 from node 0, SLIT claims 2.50 times the local latency. Measured: 2.50 \
                 times. Use the measured figure.";
    is_wrong(&cxl(), holds);
    let inverted = "SLIT claims that node 2 is nearer to node 0 than node 1. Measured, node 2 \
                    costs 56.0 % (95 % interval 55.0 to 57.0) more. When memory is short, the \
                    kernel uses the wrong node; use 'nearfar run -N 0 -m 0,1 PROGRAM'.";
    is_right(&cxl(), inverted);
    is_wrong(&cxl(), &inverted.replace("-m 0,1", "-m 0,2"));
    is_wrong(&cxl(), &inverted.replace("56.0", "66.0").replace("55.0 to 57.0", "65.0 to 67.0"));
    let equal = "SLIT claims that nodes 1 and 2 are equally far from node 0. Measured, node 2 \
                 costs 56.0 % (95 % interval 55.0 to 57.0) more. Avoid it: 'nearfar run -N 0 -m \
                 0,1 PROGRAM'.";
    is_wrong(&cxl(), equal);
}

#[test]
fn what_no_judge_knows_is_listed() {
    let sentence = "Sell the machine.";
    let judged = judged(&slow_memory(), &[sentence], "A new section\n  with 3 numbers");
    let unjudged: Vec<&str> =
        judged.iter().flat_map(|judged| &judged.unjudged).map(String::as_str).collect();
    assert_eq!(unjudged, [sentence, "A new section\n  with 3 numbers"]);
}

#[test]
fn clear_gains_and_clear_lies_are_missed() {
    let judged = judged(&cxl(), &[], "");
    let missed: Vec<&str> = judged
        .iter()
        .filter(|judged| !judged.missed.is_empty())
        .map(|judged| judged.what)
        .collect();
    let expected = [
        "advice: memory without CPUs",
        "advice: one node",
        "advice: shared memory",
        "claims: figure",
    ];
    assert_eq!(missed, expected);
}

/// Sentences of these kinds about machines of a family; where claims are to be true, about those
/// where they are by the rules that judge them.
fn printed(family: Family, claimed: Claimed, machines: usize, kinds: &[&str]) -> Vec<String> {
    let mut printed = Vec::new();
    let mut left = machines;
    for seed in 0.. {
        let text = described(seed, family, claimed);
        let machine = LabMachine::parse("drawn", "drawn", &text).unwrap();
        let truth = MemoryTruth::new(&machine);
        if claimed == Claimed::Truth && !claims::all_hold(&shown_claims(&machine), &truth) {
            continue;
        }
        let survey = replayed_survey(&machine, seed).unwrap();
        let is_meant = |text: &String| {
            let known = SurveySentence::parse(text);
            known.is_none_or(|known| kinds.iter().any(|kind| known.what().starts_with(kind)))
        };
        let sentences = meaning::sentences(&survey).into_iter().filter(is_meant);
        printed.extend(sentences.map(|sentence| format!("{seed}: {sentence}")));
        left -= 1;
        if left == 0 {
            break;
        }
    }
    printed
}

/// 30 machines of a family with true claims. Where own memory is not the nearest, no SLIT can show
/// so: that family has none.
#[track_caller]
fn gets_no_finding(family: Family) {
    let found = printed(family, Claimed::Truth, 30, &["claims"]);
    assert_eq!(found, Vec::<String>::new(), "{family:?}");
}

#[test]
fn true_claims_get_no_finding() {
    gets_no_finding(Family::TrueClaims);
    gets_no_finding(Family::Memoryless);
}

#[test]
fn true_claims_about_one_direction_get_no_finding() {
    gets_no_finding(Family::OneDirection);
    gets_no_finding(Family::SlowNode);
}

#[test]
fn true_claims_about_sub_numa_get_no_finding() {
    gets_no_finding(Family::SubNuma);
}

#[test]
fn true_claims_about_memory_without_cpus_get_no_finding() {
    gets_no_finding(Family::Cxl);
    gets_no_finding(Family::Hbm);
}

#[test]
fn uniform_memory_gets_no_placement() {
    let placements = [
        "advice: one node",
        "advice: nearest is another's",
        "advice: several nodes",
        "advice: memory without CPUs",
        "advice: shared memory",
    ];
    let found = printed(Family::AllEqual, Claimed::Lie, 30, &placements);
    assert_eq!(found, Vec::<String>::new());
    let healthy = printed(Family::TrueClaims, Claimed::Nothing, 5, &placements);
    assert!(healthy.len() >= 5, "{healthy:?}");
}
