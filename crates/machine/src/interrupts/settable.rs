//! What can be set of a function: its interrupts, and the queues of its interfaces.

use super::InterruptSetting;
use crate::pci::PciAddress;
use crate::source::Source;

/// A network interface, by its exact name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettableInterface {
    /// The name; it may contain a hardware address.
    pub name: String,
    /// Its receive queues.
    pub receive: Vec<u32>,
    /// Its transmit queues.
    pub transmit: Vec<u32>,
}

/// The interrupts and interfaces of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettableInterrupts {
    /// The numbers: messages, else the line.
    pub numbers: Vec<u32>,
    /// The interfaces.
    pub interfaces: Vec<SettableInterface>,
}

impl SettableInterrupts {
    /// Lists what the kernel has of a function now: a driver may allocate interrupts late.
    pub fn read(source: &Source, address: PciAddress) -> Self {
        let folder = format!("/sys/bus/pci/devices/{address}");
        let mut numbers = source.numbered(&format!("{folder}/msi_irqs"), "");
        // Without a driver the line's number is what firmware wrote.
        if numbers.is_empty() && source.exists(&format!("{folder}/driver")) {
            let line = source.text(&format!("{folder}/irq"));
            let line = line.and_then(|text| text.parse::<u32>().ok());
            numbers.extend(line.filter(|line| *line > 0));
        }
        // Interfaces of virtio are one level below.
        let below = source.list(&folder).into_iter().filter(|name| name.starts_with("virtio"));
        let folders = below.map(|name| format!("{folder}/{name}/net"));
        let folders = [format!("{folder}/net")].into_iter().chain(folders);
        let interfaces = folders.flat_map(|folder| source.list(&folder));
        let interfaces = interfaces.map(|name| {
            let queues = format!("/sys/class/net/{name}/queues");
            SettableInterface {
                receive: source.numbered(&queues, "rx-"),
                transmit: source.numbered(&queues, "tx-"),
                name,
            }
        });
        Self { interfaces: interfaces.collect(), numbers }
    }

    /// Whether the function has this interrupt or interface.
    pub fn contains(&self, setting: &InterruptSetting) -> bool {
        match setting {
            InterruptSetting::Irq(number) => self.numbers.contains(number),
            InterruptSetting::Xps { interface, .. } | InterruptSetting::Rps { interface, .. } => {
                self.interfaces.iter().any(|one| one.name == *interface)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_win_over_the_line() {
        let folder = "/sys/bus/pci/devices/0000:00:03.0";
        let source = Source::from_files([
            (format!("{folder}/irq"), "11"),
            (format!("{folder}/driver/x"), ""),
            (format!("{folder}/msi_irqs/25"), "msix"),
            (format!("{folder}/msi_irqs/24"), "msix"),
            (format!("{folder}/virtio1/net/eth0/mtu"), "1500"),
            ("/sys/class/net/eth0/queues/tx-1/xps_cpus".to_owned(), "0"),
            ("/sys/class/net/eth0/queues/rx-0/rps_cpus".to_owned(), "0"),
            ("/sys/bus/pci/devices/0000:00:04.0/irq".to_owned(), "11"),
            ("/sys/bus/pci/devices/0000:00:05.0/irq".to_owned(), "11"),
            ("/sys/bus/pci/devices/0000:00:05.0/driver/x".to_owned(), ""),
        ]);
        let read = |address| SettableInterrupts::read(&source, PciAddress::parse(address).unwrap());
        let card = read("0:3.0");
        assert_eq!(card.numbers, [24, 25]);
        let [interface] = card.interfaces.as_slice() else { panic!("{card:?}") };
        assert_eq!((interface.name.as_str(), interface.transmit.as_slice()), ("eth0", &[1][..]));
        assert_eq!(interface.receive, [0]);
        assert!(card.contains(&InterruptSetting::Irq(24)));
        assert!(!card.contains(&InterruptSetting::Irq(11)));
        let queue =
            |interface: &str| InterruptSetting::Rps { interface: interface.into(), queue: 0 };
        assert!(card.contains(&queue("eth0")) && !card.contains(&queue("eth1")));
        assert_eq!(read("0:4.0").numbers, [0_u32; 0]);
        assert_eq!(read("0:5.0").numbers, [11]);
    }
}
