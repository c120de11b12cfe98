//! Memory of the host that is registered with the driver.

use std::collections::BTreeMap;

use crate::codes::{Answer, Code};
use crate::description::Registration;
use crate::host_memory;

/// A registered range, by its first address.
#[derive(Debug)]
struct Range {
    bytes: usize,
    /// The GPU in whose context it was registered.
    gpu: usize,
    /// The node of each part that was copied: registered memory stays where it is.
    nodes: BTreeMap<(usize, usize), usize>,
}

/// All registered ranges, and what becomes of registering.
#[derive(Debug)]
pub(crate) struct Registrations {
    rule: Registration,
    ranges: BTreeMap<usize, Range>,
}

impl Registrations {
    pub(crate) fn new(rule: Registration) -> Self {
        Self { rule, ranges: BTreeMap::new() }
    }

    pub(crate) fn register(&mut self, address: usize, bytes: usize, gpu: usize) -> Answer<()> {
        let end = address.checked_add(bytes).filter(|_| address != 0 && bytes > 0);
        let end = end.ok_or(Code::INVALID_VALUE)?;
        let before = self.ranges.range(..end).next_back();
        if before.is_some_and(|(start, range)| start + range.bytes > address) {
            return Err(Code::ALREADY_REGISTERED);
        }
        match self.rule {
            Registration::Allowed => {}
            Registration::NotSupported => return Err(Code::NOT_SUPPORTED),
            Registration::NotPermitted => return Err(Code::NOT_PERMITTED),
            Registration::Memlock if host_memory::lock(address, bytes) => {}
            Registration::Memlock => return Err(Code::OPERATING_SYSTEM),
        }
        self.ranges.insert(address, Range { bytes, gpu, nodes: BTreeMap::new() });
        Ok(())
    }

    pub(crate) fn unregister(&mut self, address: usize) -> Answer<()> {
        let range = self.ranges.remove(&address).ok_or(Code::NOT_REGISTERED)?;
        if self.rule == Registration::Memlock {
            host_memory::unlock(address, range.bytes);
        }
        Ok(())
    }

    /// Unregisters what a GPU's context registered.
    pub(crate) fn forget_gpu(&mut self, gpu: usize) {
        let of_gpu = self.ranges.iter().filter(|(_, range)| range.gpu == gpu);
        let addresses: Vec<usize> = of_gpu.map(|(address, _)| *address).collect();
        for address in addresses {
            // Each of them is there.
            let _ = self.unregister(address);
        }
    }

    /// Whether a range is registered, and its node, where the kernel reports it.
    pub(crate) fn locate(&mut self, address: usize, bytes: usize) -> (bool, Option<usize>) {
        let before = self.ranges.range_mut(..=address).next_back();
        let within = before.filter(|(start, range)| address + bytes <= **start + range.bytes);
        let Some((_, range)) = within else {
            return (false, host_memory::node_of(address, bytes));
        };
        let known = range.nodes.get(&(address, bytes)).copied();
        let node = known.or_else(|| host_memory::node_of(address, bytes));
        if let Some(node) = node {
            range.nodes.insert((address, bytes), node);
        }
        (true, node)
    }
}

#[cfg(test)]
mod tests {
    use super::Registrations;
    use crate::codes::Code;
    use crate::description::Registration;

    #[test]
    fn ranges_do_not_overlap_and_are_released_once() {
        let mut registrations = Registrations::new(Registration::Allowed);
        assert_eq!(registrations.register(0x10000, 0x1000, 0), Ok(()));
        assert_eq!(registrations.register(0x10fff, 0x1000, 0), Err(Code::ALREADY_REGISTERED));
        assert_eq!(registrations.register(0xf001, 0x1000, 0), Err(Code::ALREADY_REGISTERED));
        assert_eq!(registrations.register(0x11000, 0x1000, 1), Ok(()));
        assert_eq!(registrations.register(0, 0x1000, 0), Err(Code::INVALID_VALUE));
        assert_eq!(registrations.register(0x20000, 0, 0), Err(Code::INVALID_VALUE));
        let is_registered = [(0x10000, 0x1000), (0x10800, 0x800), (0x10800, 0x801), (0x5000, 1)]
            .map(|(address, bytes)| registrations.locate(address, bytes).0);
        assert_eq!(is_registered, [true, true, false, false]);
        assert_eq!(registrations.unregister(0x10000), Ok(()));
        assert_eq!(registrations.unregister(0x10000), Err(Code::NOT_REGISTERED));
        registrations.forget_gpu(1);
        assert_eq!(registrations.unregister(0x11000), Err(Code::NOT_REGISTERED));
    }

    #[test]
    fn refusals_have_their_codes() {
        let refusals = [
            (Registration::NotSupported, Code::NOT_SUPPORTED),
            (Registration::NotPermitted, Code::NOT_PERMITTED),
        ];
        for (rule, code) in refusals {
            assert_eq!(Registrations::new(rule).register(0x10000, 0x1000, 0), Err(code));
        }
    }
}
