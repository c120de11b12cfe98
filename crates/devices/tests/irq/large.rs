//! A machine of 512 CPUs with 4,096 interrupts.

use std::fmt::Write as _;
use std::time::Instant;

use nearfar_devices::irq::{SavedInterrupts, assess_saved};

const CPUS: u32 = 512;
const INTERRUPTS: u32 = 4_096;

/// `/proc/interrupts` of it: 24 MB.
fn text() -> String {
    let mut text = "     ".to_owned();
    (0..CPUS).for_each(|cpu| {
        let _ = write!(text, "CPU{cpu:<8}");
    });
    text.push('\n');
    for number in 0..INTERRUPTS {
        let _ = write!(text, "{number:>4}:");
        for cpu in 0..CPUS {
            let count = if cpu == number % CPUS { 1_234_567_890 } else { 0 };
            let _ = write!(text, " {count:>10}");
        }
        let (card, queue) = (number / 64, number % 64);
        let _ = writeln!(text, "  IR-PCI-MSI {number}-edge      eth{card}-TxRx-{queue}");
    }
    text
}

/// The time is printed, not asserted: `cargo test --release -p nearfar-devices large --
/// --nocapture`.
#[test]
fn thousands_of_interrupts_of_hundreds_of_cpus_are_read() {
    let text = text();
    let start = Instant::now();
    let saved = SavedInterrupts::parse(text.as_bytes()).unwrap();
    let parsed = start.elapsed();
    let document = assess_saved(&saved, &[]);
    println!(
        "{} MB: parsed in {parsed:.0?}, with the document {:.0?}",
        text.len() / 1_000_000,
        start.elapsed()
    );
    assert_eq!(document.devices.len(), 64);
    let count: u64 = document.devices.iter().map(|device| device.count).sum();
    assert_eq!(count, 1_234_567_890 * u64::from(INTERRUPTS));
}
