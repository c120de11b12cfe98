//! Number and speed of the memory channels, if the slots report enough.

use std::collections::{BTreeMap, BTreeSet};

use super::{MemoryDevice, Smbios};

/// Type 16, "Use": system memory.
const SYSTEM_MEMORY: u8 = 3;
/// Width of a channel, without ECC bits.
const CHANNEL_BITS: u16 = 64;
/// Memory types DDR2 to DDR5, LPDDR4 and LPDDR5: they transfer their full width each time.
const KINDS: [u8; 6] = [19, 24, 26, 34, 30, 35];

/// The populated channels of the machine; all run at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Number of channels in the whole machine.
    pub count: u32,
    /// Speed of each, in million transfers of 8 bytes per second.
    pub mega_transfers_per_s: u32,
}

impl Smbios {
    /// The slots for system memory, including empty ones.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, sections 7.17 and 7.18
    pub fn system_memory(&self) -> Vec<&MemoryDevice> {
        let of_system = |handle: u16| {
            let array = self.arrays.iter().find(|array| array.handle == handle);
            array.is_none_or(|array| array.purpose.is_none_or(|purpose| purpose == SYSTEM_MEMORY))
        };
        self.devices.iter().filter(|device| device.array.is_none_or(of_system)).collect()
    }

    /// The populated channels. `None` if anything would be a guess: unknown size, speed, width or
    /// channel, sockets that the slots do not distinguish, or sockets with different numbers of
    /// channels.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 7.18
    pub fn channels(&self) -> Option<Channels> {
        let slots = self.system_memory();
        if slots.iter().any(|slot| slot.is_populated().is_none()) {
            return None;
        }
        let modules: Vec<&MemoryDevice> =
            slots.into_iter().filter(|slot| slot.is_populated() == Some(true)).collect();
        let speed = modules.first()?.configured_speed_mt_per_s?;
        let is_plain = |module: &&MemoryDevice| {
            module.configured_speed_mt_per_s == Some(speed)
                && module.data_width_bits == Some(CHANNEL_BITS)
                && module.memory_type.is_some_and(|kind| KINDS.contains(&kind))
        };
        let processors =
            self.processors.iter().filter(|processor| processor.populated == Some(true)).count();
        let sockets_known =
            processors <= 1 || modules.iter().all(|module| module.slot.socket.is_some());
        if !sockets_known || !modules.iter().all(is_plain) {
            return None;
        }
        let mut by_socket: BTreeMap<Option<&str>, BTreeSet<(Option<&str>, &str)>> = BTreeMap::new();
        for module in &modules {
            let slot = &module.slot;
            let channel = (slot.node.as_deref(), slot.channel.as_deref()?);
            by_socket.entry(slot.socket.as_deref()).or_default().insert(channel);
        }
        let each = by_socket.values().next()?.len();
        let equal = by_socket.values().all(|channels| channels.len() == each);
        let count = u32::try_from(each * by_socket.len()).ok()?;
        equal.then_some(Channels { count, mega_transfers_per_s: speed })
    }
}
