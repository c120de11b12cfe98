//! Queues by the names that drivers give to interrupts: `eth0-TxRx-3`, `nvme0q3`,
//! `virtio2-input.0`, `mlx5_comp3@pci:0000:01:00.0`.

use crate::irq::document::{IrqQueue, QueueDirection};

/// A device's name, and its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueName {
    /// The device: `eth0`, `0000:01:00.0`.
    pub(crate) device: String,
    pub(crate) queue: IrqQueue,
}

/// Words before a queue's number, as drivers of the kernel have them; longer ones first.
const WORDS: [(&str, QueueDirection); 14] = [
    ("tx-rx", QueueDirection::Both),
    ("rx-tx", QueueDirection::Both),
    ("txrx", QueueDirection::Both),
    ("rxtx", QueueDirection::Both),
    ("output", QueueDirection::Transmit),
    ("input", QueueDirection::Receive),
    ("queue", QueueDirection::Both),
    ("comp", QueueDirection::Both),
    ("msix", QueueDirection::Both),
    ("req", QueueDirection::Both),
    ("rx", QueueDirection::Receive),
    ("tx", QueueDirection::Transmit),
    ("fp", QueueDirection::Both),
    ("q", QueueDirection::Both),
];

impl QueueName {
    /// The queue of an interrupt's name; `None` for other names.
    pub(crate) fn parse(action: &str) -> Option<Self> {
        let (name, address) = match action.split_once("@pci:") {
            Some((name, address)) => (name, Some(address)),
            None => (action, None),
        };
        // Xen: eth0-q0-tx.
        let (name, after) = match name.rsplit_once('-') {
            Some((before, "rx")) if ends_in_digit(before) => (before, QueueDirection::Receive),
            Some((before, "tx")) if ends_in_digit(before) => (before, QueueDirection::Transmit),
            _ => (name, QueueDirection::Both),
        };
        let head = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = name[head.len()..].parse().ok()?;
        let head = head.trim_end_matches(['-', '.', '_']);
        let lower = head.to_ascii_lowercase();
        let (word, direction) = WORDS.iter().find(|(word, _)| lower.ends_with(word))?;
        let device = head[..head.len() - word.len()].trim_end_matches(['-', '.', '_']);
        // `nvme0q1`: the letter follows a digit. Other names may end in these letters.
        let is_apart = device.len() + word.len() < head.len() || ends_in_digit(device);
        if device.is_empty() || !is_apart {
            return None;
        }
        let direction = if *direction == QueueDirection::Both { after } else { *direction };
        let device = address.unwrap_or_else(|| without_driver(device)).to_owned();
        Some(Self { device, queue: IrqQueue { direction, number } })
    }
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|letter: char| letter.is_ascii_digit())
}

/// Intel's drivers put their name before the interface: `i40e-eth0`.
fn without_driver(device: &str) -> &str {
    const DRIVERS: [&str; 4] = ["i40e-", "ice-", "iavf-", "idpf-"];
    DRIVERS.iter().find_map(|driver| device.strip_prefix(driver)).unwrap_or(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_names_have_their_queue() {
        use QueueDirection::{Both, Receive, Transmit};
        for (action, device, direction, number) in [
            ("eth0-rx-3", "eth0", Receive, 3),
            ("eth1-tx-0", "eth1", Transmit, 0),
            ("eth1-TxRx-11", "eth1", Both, 11),
            ("eth0-Tx-Rx-2", "eth0", Both, 2),
            ("i40e-ens1f0-TxRx-5", "ens1f0", Both, 5),
            ("nvme0q3", "nvme0", Both, 3),
            ("virtio2-input.0", "virtio2", Receive, 0),
            ("virtio2-output.1", "virtio2", Transmit, 1),
            ("virtio1-req.0", "virtio1", Both, 0),
            ("mlx5_comp3@pci:0000:01:00.0", "0000:01:00.0", Both, 3),
            ("hpsa6-msix12", "hpsa6", Both, 12),
            ("eth0-q1-tx", "eth0", Transmit, 1),
            ("eth0-q1-rx", "eth0", Receive, 1),
            ("eth0-fp-1", "eth0", Both, 1),
        ] {
            let queue = IrqQueue { direction, number };
            let expected = QueueName { device: device.to_owned(), queue };
            assert_eq!(QueueName::parse(action), Some(expected), "{action}");
        }
    }

    #[test]
    fn other_names_have_none() {
        for action in [
            "",
            "eth0",
            "xhci_hcd:usb1",
            "ioat-msix",
            "mlx5_async_eq@pci:0000:01:00.0",
            "rx-0",
            "0",
        ] {
            assert_eq!(QueueName::parse(action), None, "{action}");
        }
    }
}
