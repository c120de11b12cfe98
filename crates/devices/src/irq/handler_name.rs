//! Devices and queues by the names that drivers give to interrupts: `eth0-TxRx-3`, `nvme0q3`,
//! `virtio2-input.0`, `mlx5_comp3@pci:0000:01:00.0`, `ahci[0000:00:1f.2]`.

use nearfar_machine::PciAddress;

use crate::irq::document::{IrqQueue, QueueDirection};

/// What the name of a handler has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HandlerName {
    /// The device: `eth0`, `0000:01:00.0`. Names of drivers (`ahci`, `xhci_hcd`) are none.
    pub(crate) device: Option<String>,
    pub(crate) queue: Option<IrqQueue>,
}

/// Words before a queue's number, as drivers of the kernel have them; longer ones first.
const WORDS: [(&str, QueueDirection); 19] = [
    ("ntfy-block", QueueDirection::Both),
    ("ntfy-blk", QueueDirection::Both),
    ("bundle", QueueDirection::Both),
    ("output", QueueDirection::Transmit),
    ("tx-rx", QueueDirection::Both),
    ("rx-tx", QueueDirection::Both),
    ("input", QueueDirection::Receive),
    ("queue", QueueDirection::Both),
    ("txrx", QueueDirection::Both),
    ("rxtx", QueueDirection::Both),
    ("comp", QueueDirection::Both),
    ("msix", QueueDirection::Both),
    ("req", QueueDirection::Both),
    ("ceq", QueueDirection::Both),
    ("nq", QueueDirection::Both),
    ("rx", QueueDirection::Receive),
    ("tx", QueueDirection::Transmit),
    ("fp", QueueDirection::Both),
    ("q", QueueDirection::Both),
];

/// What drivers put between the parts of a name.
const SEPARATORS: [char; 10] = ['-', '.', '_', ':', '@', '[', ']', '(', ')', ' '];

impl HandlerName {
    /// The device and the queue of a name.
    pub(crate) fn parse(action: &str) -> Self {
        // cxgb4.
        if let Some((name, number)) = action.split_once(" (queue ") {
            let device = Self::parse(name).device.unwrap_or_else(|| name.to_owned());
            let queue = number.strip_suffix(')').and_then(both);
            return Self { device: Some(device), queue };
        }
        if let Some((address, name)) = without_address(action) {
            let queue = queue_of(&name).map(|(_, queue)| queue);
            // mlx4.
            let queue = queue.or_else(|| both(name.rsplit_once('-')?.1));
            return Self { device: Some(address.to_string()), queue };
        }
        if let Some((device, queue)) = queue_of(action).filter(|(device, _)| !device.is_empty()) {
            let device = Some(without_driver(device).to_owned());
            return Self { device, queue: Some(queue) };
        }
        let first = first_part(action);
        let device = is_device(first).then(|| first.to_owned());
        // Drivers without a word: eth2-0, eth2[0].
        let rest = action[first.len()..].trim_matches(SEPARATORS);
        let queue = if is_interface(first) { both(rest) } else { None };
        Self { device, queue }
    }
}

/// The name before the first separator: of a device, or of a driver.
pub(crate) fn first_part(action: &str) -> &str {
    action.split(['-', ':', '@', '[', '(', '.', ' ']).next().unwrap_or_default()
}

/// A PCI address as the kernel writes it (`0000:01:00.0`), with its place in a text.
pub(crate) fn address_in(text: &str) -> Option<(PciAddress, [usize; 2])> {
    const BUS_AND_DEVICE: usize = "01:00".len();
    let hex = |c: char| c.is_ascii_hexdigit();
    text.match_indices('.').find_map(|(dot, _)| {
        let end = dot + 2;
        let after = text.get(end..)?;
        let domain = text.get(..dot.checked_sub(BUS_AND_DEVICE)?)?.strip_suffix(':')?;
        let start = domain.trim_end_matches(hex).len();
        let is_domain = (4..=8).contains(&(domain.len() - start));
        let is_apart = is_domain && !after.starts_with(|c: char| c.is_ascii_alphanumeric());
        let address = is_apart.then(|| PciAddress::parse(&text[start..end]).ok())??;
        Some((address, [start, end]))
    })
}

/// A name's address, and the name without it.
fn without_address(action: &str) -> Option<(PciAddress, String)> {
    let (address, [start, end]) = address_in(action)?;
    let before = action[..start].trim_end_matches("pci:").trim_end_matches(SEPARATORS);
    let after = action[end..].trim_matches(SEPARATORS);
    Some((address, if after.is_empty() { before.to_owned() } else { format!("{before}-{after}") }))
}

/// The device and the queue of a name that ends in a word for queues and a number.
fn queue_of(name: &str) -> Option<(&str, IrqQueue)> {
    // Xen: eth0-q0-tx.
    let (name, after) = match name.rsplit_once('-') {
        Some((before, "rx")) if ends_in_digit(before) => (before, QueueDirection::Receive),
        Some((before, "tx")) if ends_in_digit(before) => (before, QueueDirection::Transmit),
        _ => (name, QueueDirection::Both),
    };
    let head = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = name[head.len()..].parse().ok()?;
    let head = head.trim_end_matches(SEPARATORS);
    let lower = head.to_ascii_lowercase();
    let (word, direction) = WORDS.iter().find(|(word, _)| lower.ends_with(word))?;
    let device = head[..head.len() - word.len()].trim_end_matches(SEPARATORS);
    // `nvme0q1`: the letter follows a digit. Other names may end in these letters.
    let is_apart = device.len() + word.len() < head.len() || ends_in_digit(device);
    let direction = if *direction == QueueDirection::Both { after } else { *direction };
    is_apart.then_some((device, IrqQueue { direction, number }))
}

fn both(number: &str) -> Option<IrqQueue> {
    number.parse().ok().map(|number| IrqQueue { direction: QueueDirection::Both, number })
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|letter: char| letter.is_ascii_digit())
}

/// Some drivers put their name before the interface: `i40e-eth0`.
fn without_driver(device: &str) -> &str {
    const DRIVERS: [&str; 6] = ["i40e-", "ice-", "iavf-", "idpf-", "ionic-", "fm10k-"];
    DRIVERS.iter().find_map(|driver| device.strip_prefix(driver)).unwrap_or(device)
}

/// Whether a name is that of a device in every kernel, and not of a driver.
fn is_device(name: &str) -> bool {
    is_interface(name) || is_numbered(name, &["virtio", "nvme"])
}

/// Whether the kernel, udev or biosdevname names interfaces so: `eth0`, `enp5s0f1`, `p1p1`.
fn is_interface(name: &str) -> bool {
    const KERNEL: [&str; 8] = ["eth", "ib", "wlan", "wwan", "lan", "wan", "em", "end"];
    let starts_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // systemd.net-naming-scheme(7): a letter for the place, and its number.
    let by_udev = ["en", "ib", "wl", "ww"].iter().find_map(|kind| name.strip_prefix(kind));
    let is_by_udev = by_udev.is_some_and(|place| match place.strip_prefix('x') {
        Some(address) => address.len() == 12 && address.bytes().all(|b| b.is_ascii_hexdigit()),
        None => place.strip_prefix(['o', 's', 'p', 'P', 'c', 'v']).is_some_and(starts_with_digit),
    });
    let slot_and_port = name.strip_prefix('p').and_then(|rest| rest.split_once('p'));
    let is_by_slot = slot_and_port
        .is_some_and(|(slot, port)| slot.parse::<u32>().is_ok() && starts_with_digit(port));
    is_numbered(name, &KERNEL) || is_by_udev || is_by_slot
}

fn is_numbered(name: &str, kinds: &[&str]) -> bool {
    let rests = kinds.iter().filter_map(|kind| name.strip_prefix(kind));
    rests.into_iter().any(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
