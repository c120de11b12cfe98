//! One line of `/proc/interrupts`.
//!
//! After the counters follow, by the kernel's `show_interrupts` (kernel/irq/proc.c): chip, number
//! of the chip's input, `Level` or `Edge` on some architectures, `-` and the name of the handler,
//! and the names of the actions after two blanks. Chips print more than one word.

use serde::Serialize;

/// Handlers that old kernels append to the chip's name: `PCI-MSI-edge`.
const HANDLERS: [&str; 9] = [
    "edge",
    "level",
    "fasteoi",
    "fasteoi-edge",
    "fasteoi-level",
    "percpu",
    "simple",
    "event",
    "noprobe",
];
/// Maximum number of actions of a line. Drivers that share a line are few.
const MAX_ACTIONS: usize = 64;

/// An interrupt, and how often each CPU served it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InterruptLine {
    /// The name before the colon: `24`, `LOC`, `IPI0`.
    pub name: String,
    /// The number of a device's interrupt; `None` for interrupts of the CPUs.
    pub number: Option<u32>,
    /// A counter for each CPU of the table; one for lines without CPUs (`ERR`, `MIS`).
    pub counts: Vec<u64>,
    /// What follows the counters, if it is a description and not a chip: `Local timer interrupts`.
    pub description: Option<String>,
    /// The interrupt controller: `IO-APIC`, `PCI-MSIX-0000:00:01.0`, `GICv3`.
    pub chip: Option<String>,
    /// The controller's input.
    pub input: Option<u64>,
    /// How it is triggered or handled, in lower case: `edge`, `level`, `fasteoi`.
    pub trigger: Option<String>,
    /// The names of the handlers, as drivers choose them: `eth0-rx-0`.
    pub actions: Vec<String>,
}

impl InterruptLine {
    /// All counters together.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Takes the text that follows the counters apart.
    pub(super) fn describe(&mut self, text: &str) {
        let text = text.trim_end();
        if text.trim_start().is_empty() {
            return;
        }
        if self.number.is_none() {
            self.description = Some(text.trim().to_owned());
            return;
        }
        let words: Vec<(usize, &str)> = words(text).collect();
        let Some(parts) = (0..words.len()).find_map(|at| ChipWords::at(text, &words, at)) else {
            self.description = Some(text.trim().to_owned());
            return;
        };
        self.chip = Some(parts.chip.trim().to_owned()).filter(|chip| !chip.is_empty());
        self.input = parts.input;
        self.trigger = parts.trigger.map(str::to_lowercase);
        self.actions = actions(parts.rest);
    }
}

/// The names of actions, separated by commas.
pub(super) fn actions(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.take(MAX_ACTIONS).map(str::to_owned).collect()
}

/// The parts of a line after its counters.
struct ChipWords<'t> {
    chip: &'t str,
    input: Option<u64>,
    trigger: Option<&'t str>,
    rest: &'t str,
}

impl<'t> ChipWords<'t> {
    /// The parts, if the word at an index ends the chip's name.
    fn at(text: &'t str, words: &[(usize, &'t str)], at: usize) -> Option<Self> {
        let (start, word) = words[at];
        let before = text[..start].trim();
        let after = |index: usize| words.get(index).map_or("", |&(start, _)| &text[start..]);
        // x86: `5-edge`.
        if let Some((digits, trigger)) = word.split_once('-') {
            if let (Ok(input), true) = (digits.parse(), !trigger.is_empty()) {
                let (input, trigger) = (Some(input), Some(trigger));
                return Some(Self { chip: before, input, trigger, rest: after(at + 1) });
            }
        }
        // Others put the flow apart, some nothing (`XT-PIC  0  timer`).
        if let Some(input) = word.parse().ok().filter(|_| at > 0) {
            let (trigger, length) = flow(&words[at + 1..]);
            let rest = after(at + 1 + length);
            return Some(Self { chip: before, input: Some(input), trigger, rest });
        }
        // Chips without an input: `xen-percpu  -virq`.
        let next = words.get(at + 1).and_then(|(_, word)| word.strip_prefix('-'));
        if let Some(trigger) = next {
            let chip = &text[..start + word.len()];
            return Some(Self { chip, input: None, trigger: Some(trigger), rest: after(at + 2) });
        }
        // Old x86 kernels: `IO-APIC-edge`.
        let (chip, trigger) = handler_of(word)?;
        let (chip, trigger) = (&text[..start + chip.len()], Some(trigger));
        Some(Self { chip, input: None, trigger, rest: after(at + 1) })
    }
}

/// How an interrupt is triggered or handled, and the number of words for it, after its input: on
/// Arm, POWER and RISC-V `Level`, with Dovetail `oob` for the pipeline's own, on all the handler.
fn flow<'t>(words: &[(usize, &'t str)]) -> (Option<&'t str>, usize) {
    let (mut trigger, mut length) = (None, 0);
    for (_, word) in words {
        let word = *word;
        let handler = word.strip_prefix("oob").unwrap_or(word).strip_prefix('-');
        match (word, handler) {
            ("Level" | "Edge", _) => trigger = Some(word),
            ("oob", _) => {}
            (_, Some(handler)) if !handler.is_empty() => trigger = trigger.or(Some(handler)),
            _ => break,
        }
        length += 1;
    }
    (trigger, length)
}

/// `IO-APIC-edge` as chip and handler. An action such as `eth0-edge` comes later in the line.
fn handler_of(word: &str) -> Option<(&str, &str)> {
    HANDLERS.iter().find_map(|handler| {
        let chip = word.strip_suffix(handler)?.strip_suffix('-')?;
        Some((chip, *handler))
    })
}

/// The words of a text, with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}
