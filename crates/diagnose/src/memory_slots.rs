//! The slots for memory modules that the board has, from SMBIOS.

use nearfar_firmware::smbios::MemoryDevice;
use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

use crate::Witnesses;

/// A slot for a memory module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemorySlot {
    /// The board's name of the slot: "P1-DIMMA1".
    pub name: String,
    /// The board's name of its socket; null where the board names none.
    pub socket: Option<String>,
    /// The board's name of its channel; null where the board names none.
    pub channel: Option<String>,
    /// The size of the module; 0 for an empty slot; null where the board does not know.
    #[schemars(with = "Option<u64>")]
    pub bytes: Option<Bytes>,
}

/// The slots for the system's memory; none of a guest, where the hypervisor invents them.
///
/// # References
///
/// DMTF DSP0134, 3.7, section 7.18
pub fn memory_slots(witnesses: &Witnesses) -> Vec<MemorySlot> {
    let environment = witnesses.environment.as_ref();
    if environment.is_none_or(|environment| environment.hypervisor.is_some()) {
        return Vec::new();
    }
    let tables = witnesses.firmware.smbios.as_ref().and_then(|part| part.state.decoded());
    let Some(smbios) = tables else { return Vec::new() };
    let slot = |device: &MemoryDevice| MemorySlot {
        name: device.locator.clone().unwrap_or_default(),
        socket: device.slot.socket.clone(),
        channel: device.slot.channel.clone(),
        bytes: device.size_bytes.map(Bytes),
    };
    smbios.system_memory().into_iter().map(slot).collect()
}
