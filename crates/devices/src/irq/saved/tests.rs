use proptest::prelude::*;

use super::*;
use crate::irq::text::{Folding, text};
use crate::irq::{IrqDocument, IrqFinding, assess_saved};

const HEAD: &str = "            CPU0       CPU1\n";

/// A table with these counts on CPU 1.
fn table(counts: [u64; 3]) -> String {
    let line = |(at, count): (usize, &u64)| {
        format!(" 4{at}:  7  {count}  PCI-MSI {at}-edge  eth0-rx-{at}\n")
    };
    let lines: String = counts.iter().enumerate().map(line).collect();
    format!("{HEAD}{lines}LOC:  3  4  Local timer interrupts\n")
}

fn document(text: &str) -> IrqDocument {
    assess_saved(&SavedInterrupts::parse(text.as_bytes()).unwrap(), &[])
}

/// Counts by interrupt, which each is listed once.
fn counts(text: &str) -> Vec<Option<u64>> {
    let document = document(text);
    let irqs = document.devices.iter().flat_map(|device| &device.interrupts);
    irqs.chain(&document.others).map(|irq| irq.count).collect()
}

fn error(text: &str) -> NotSaved {
    SavedInterrupts::parse(text.as_bytes()).unwrap_err()
}

#[test]
fn two_tables_are_counted_between() {
    let (before, after) = (table([10, 20, 30]), table([15, 20, 31]));
    let later = after.strip_prefix(HEAD).unwrap();
    for text in [
        format!("{before}{after}"),
        format!("{before}\n\n{after}"),
        format!("$ cat /proc/interrupts\n{before}Sat Nov 28 08:18:43 UTC 2026\n{after}$ exit\n"),
        format!("```\n{before}```\nlater:\n```\n{after}```\n"),
        // Without the second line of CPUs, and three of them.
        format!("{before}{later}"),
        format!("{before}{}{after}", table([12, 20, 30])),
        format!("{before}{after}").replace('\n', "\r\n"),
        format!("> {}", format!("{before}{after}").replace('\n', "\n> ")),
    ] {
        assert_eq!(counts(&text), [Some(5), Some(0), Some(1)], "{text}");
        assert!(document(&text).saved.is_some_and(|file| file.tables > 1), "{text}");
    }
}

#[test]
fn one_table_counts_since_boot() {
    let one = table([10, 20, 30]);
    for text in [
        one.clone(),
        format!("root@host:~# cat /proc/interrupts\n{one}root@host:~#\n"),
        format!("| {}", one.replace('\n', "\n| ")),
        format!("~~~\n{one}~~~\n"),
        format!("{HEAD}{one}"),
    ] {
        assert_eq!(counts(&text), [Some(17), Some(27), Some(37)], "{text}");
    }
}

#[test]
fn lines_of_other_text_are_counted() {
    let text = format!("uname -a\n{}hello\n 9: 5\n", table([1, 2, 3]));
    let file = SavedFile { tables: 1, lines: 8, ignored: 3 };
    assert_eq!(document(&text).saved, Some(file));
    let file = SavedFile { tables: 1, lines: 5, ignored: 0 };
    assert_eq!(document(&table([1, 2, 3])).saved, Some(file));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let (one, other) = (table([10, 20, 30]), table([15, 20, 31]));
    let wider =
        other.replace("CPU1\n", "CPU1 CPU2\n").replace("PCI", "8 PCI").replace("Lo", "8 Lo");
    assert_eq!(error(""), NotSaved::NoCpus);
    assert_eq!(error("MemTotal: 5 kB\n"), NotSaved::NoCpus);
    assert_eq!(error(HEAD), NotSaved::NoInterrupts(2));
    assert_eq!(error(&format!("{HEAD} 5: 1\nhello\n")), NotSaved::NoInterrupts(2));
    assert_eq!(error(&format!("{HEAD} CPU2 CPU3\n 5: 1 2\n 3 4 X 5-edge a\n")), NotSaved::Folded);
    assert_eq!(error(&format!("{one}{wider}")), NotSaved::OtherCpus(2));
    assert_eq!(error(&format!("{one}{one}{wider}")), NotSaved::OtherCpus(3));
    let renamed = other.replace("eth0", "eth1");
    assert_eq!(error(&format!("{one}{renamed}")), NotSaved::OtherInterrupts(2));
    assert_eq!(error(&format!("{other}{one}")), NotSaved::Lower(2));
}

#[test]
fn findings_between_tables_have_no_time() {
    let text = format!("{}{}", table([0, 0, 0]), table([50_000, 60_000, 0]));
    let [IrqFinding::IrqQueuesOnOneCpu { count, seconds: None, between_tables: true, .. }] =
        document(&text).findings[..]
    else {
        panic!("{:?}", document(&text).findings)
    };
    assert_eq!(count, 110_000);
}

/// A CPU with over 99 % of each queue since boot serves them, wherever the rest was served.
#[test]
fn nearly_all_since_boot_is_a_finding_and_the_answer() {
    let queues = |[first, second]: [u64; 2]| {
        format!(
            "{HEAD} 40:  {first}  1000000  PCI-MSI 0-edge  eth0-rx-0\n 41:  {second}  2000000  \
             PCI-MSI 1-edge  eth0-rx-1\n"
        )
    };
    let shown = |counts| text(&document(&queues(counts)), Folding::Idle).plain();
    let mostly = shown([0, 9_000]);
    let words = mostly.split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = "Interrupts: CPU 1 served nearly all queues of eth0 since boot.\n";
    assert!(mostly.starts_with(answer), "{mostly}");
    assert!(
        words.contains("CPU 1 served at least 99 % of the 3009000 interrupts of all active"),
        "{mostly}"
    );
    assert!(mostly.contains("sudo nearfar irq set eth0 --spread near"), "{mostly}");
    let shared = shown([0, 90_000]);
    assert!(shared.starts_with("Interrupts: near or far is unknown"), "{shared}");
}

#[test]
fn idle_interrupts_of_no_device_are_a_sentence() {
    let idle =
        format!("{HEAD}  0:  0  0  IO-APIC 2-edge  timer\n  8:  0  0  IO-APIC 8-edge  rtc0\n");
    let idle = text(&document(&idle), Folding::Idle).plain();
    assert!(idle.contains("2 interrupts of no device are idle.\n"), "{idle}");
    assert!(!idle.contains("(none)"), "{idle}");
}

proptest! {
    #[test]
    fn no_text_panics(text in "[CPU0-9: \n>|-]{0,200}") {
        let _ = SavedInterrupts::parse(text.as_bytes());
        let _ = SavedInterrupts::parse(format!("{HEAD}{text}").as_bytes());
    }
}
