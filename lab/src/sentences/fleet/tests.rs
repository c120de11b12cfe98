use super::*;
use crate::sentences::SentenceTable;

#[test]
fn sentences_of_drawn_fleets_are_true() {
    let mut table = SentenceTable::default();
    let mut batches = [0; 2];
    let mut false_alarms = 0;
    for seed in 1..=200 {
        let drawn = DrawnFleet::new(seed);
        let judged = judged(&drawn.text().unwrap(), &drawn);
        for sentence in &judged.sentences {
            assert_eq!(sentence.unjudged, Vec::<String>::new(), "seed {seed}");
            if sentence.what == BATCHES {
                batches = [batches[0] + sentence.right, batches[1] + sentence.wrong.len()];
            }
        }
        false_alarms += usize::from(judged.false_alarms[0] > 0);
        table.add(&judged.sentences);
    }
    assert!(table.wrong_share() < 0.005, "{}", table.text());
    // 3 of 178 are wrong in 1,000 fleets.
    assert!(batches[0] >= 25 && batches[1] <= 2, "{batches:?}");
    assert!(false_alarms <= 20, "{false_alarms} of 200");
}

/// The same text of another fleet: its machines have other faults.
#[test]
fn what_is_untrue_is_wrong() {
    let mut table = SentenceTable::default();
    for seed in 1..=40 {
        let (drawn, other) = (DrawnFleet::new(seed), DrawnFleet::new(seed + 1));
        table.add(&judged(&other.text().unwrap(), &drawn).sentences);
    }
    assert!(table.wrong_share() > 0.3, "{}", table.text());
}

/// A verdict that names another machine than the sentences, or counts otherwise.
#[test]
fn a_verdict_that_the_sentences_do_not_have_is_wrong() {
    let (drawn, text) = (1..)
        .map(DrawnFleet::new)
        .map(|drawn| {
            let text = drawn.text().unwrap();
            (drawn, text)
        })
        .find(|(_, text)| text.contains("machine is slower than the others: host"))
        .unwrap();
    let wrong = |text: &str| {
        let judged = judged(text, &drawn);
        let all = judged.sentences.iter();
        all.map(|one| one.wrong.len() + one.unjudged.len()).sum::<usize>()
    };
    let right = wrong(&text);
    for (stated, other) in [
        ("machine is slower than the others: host", "machine is slower than the others: hast"),
        ("1 machine is slower", "2 machines are slower"),
        (
            "Fleet: 1 machine is slower than the others: ",
            "Fleet: no machine is slower; only faster: ",
        ),
    ] {
        assert!(text.contains(stated), "{text}");
        assert!(wrong(&text.replace(stated, other)) > right, "{other}");
    }
    let end = text.trim_end().rfind("\n\n").unwrap();
    assert!(wrong(&text[..end]) > right, "the last line is missing");
}

#[test]
fn sentences_are_taken_apart() {
    let text = "host02: memory of node 2 is slower: latency 1.1 to 1.6 % higher in 2 of 3 cells, \
                its other cells 3.8 % lower (beside them, 95 %: 3.1 to 7.7 %; q 0.0029); bandwidth \
                5.0 % lower in 2 of 3 cells (95 %: 0.5 to 8.9 %; q 0.0443).";
    let FleetSentence::Machine { name, statements } = FleetSentence::parse(text) else {
        panic!("{text}");
    };
    assert_eq!(name, "host02");
    let [latency, bandwidth] = statements[..] else { panic!("{statements:?}") };
    assert_eq!((latency.subject, latency.is_slower), (Subject::Memory(2), true));
    assert!((latency.figures[0] - 1.011_f64.ln()).abs() < 1e-9 && latency.is_relative);
    assert!((bandwidth.figures[1] + 0.95_f64.ln()).abs() < 1e-9 && !bandwidth.is_relative);
    let text = "at least two batches: host01-host02, host05 (3 machines); host03 (1 machine). The \
                batch of host04 is unknown. It is compared with the nearest one, every other \
                machine with its own.";
    let FleetSentence::Batches(stated) = FleetSentence::parse(text) else { panic!("{text}") };
    assert_eq!((stated.batches[0].size, stated.unsure), (3, vec!["host04".to_owned()]));
    let text = "host03: not clear: bandwidth from node 0 to node 1, beside its other cells, is \
                7.0 % lower than the median of 9 machines (95 %: 2.0 to 12.0 %; q 0.0101).";
    let FleetSentence::Unclear { statements, .. } = FleetSentence::parse(text) else {
        panic!("{text}");
    };
    let [one] = statements[..] else { panic!("{statements:?}") };
    assert!(one.is_relative && one.is_slower);
    assert!((one.figures[0] + 0.93_f64.ln()).abs() < 1e-9);
    let text = "No outlier: none of 9 machines differs by 3 %, beyond chance. A cell slower \
                by 5 % or more would be one, or a machine slower by 10 % in all cells.";
    let would = Some([0.05_f64.ln_1p(), 0.1_f64.ln_1p()]);
    assert_eq!(FleetSentence::parse(text), FleetSentence::NoOutlier { would });
}
