//! How many channels feed the machine, and how fast they run, where the slots tell all of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{MemoryDevice, Smbios};

/// Type 16's number for arrays of system memory.
const SYSTEM_MEMORY: u8 = 3;
/// A channel is so wide, without the bits for correction.
const CHANNEL_BITS: u16 = 64;
/// DDR2 to DDR5, LPDDR4 and LPDDR5: what moves its width of bits at each transfer.
const KINDS: [u8; 6] = [19, 24, 26, 34, 30, 35];

/// Channels with modules in them, all of one speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// How many, over the whole machine.
    pub count: u32,
    /// How fast each runs, in million transfers of 8 bytes a second.
    pub mega_transfers_per_s: u32,
}

impl Smbios {
    /// The slots for system memory, empty ones too.
    pub fn system_memory(&self) -> Vec<&MemoryDevice> {
        let of_system = |handle: u16| {
            let array = self.arrays.iter().find(|array| array.handle == handle);
            array.is_none_or(|array| array.purpose.is_none_or(|purpose| purpose == SYSTEM_MEMORY))
        };
        self.devices.iter().filter(|device| device.array.is_none_or(of_system)).collect()
    }

    /// The channels that have modules. None where anything is left to guess: a size, a speed, a
    /// width or a channel that is not told, sockets that are not told apart, or ones that are fed
    /// unequally.
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
        let told_apart =
            processors <= 1 || modules.iter().all(|module| module.slot.socket.is_some());
        if !told_apart || !modules.iter().all(is_plain) {
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
