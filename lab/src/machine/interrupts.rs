//! Who decides where a device's interrupts arrive.

use serde::Serialize;

use super::DeviceKind;
use super::devices::Device;

/// What Linux 6.12 permits for the interrupts of a device's queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Interrupts {
    /// The kernel spreads them over CPUs and refuses changes.
    Managed,
    /// `smp_affinity` moves them.
    Movable,
}

impl Interrupts {
    /// Those of a device; none where its driver uses none.
    pub(crate) fn of(device: &Device) -> Option<Self> {
        match device.kind {
            DeviceKind::VhostUserBlk if device.movable_interrupt => Some(Self::Movable),
            DeviceKind::Nvme
            | DeviceKind::VirtioBlk
            | DeviceKind::VhostUserBlk
            | DeviceKind::VirtioScsi => Some(Self::Managed),
            DeviceKind::E1000e
            | DeviceKind::Xhci
            | DeviceKind::UsbStorage
            | DeviceKind::VirtioNet
            | DeviceKind::Vmxnet3
            | DeviceKind::Ahci => Some(Self::Movable),
            DeviceKind::Display => None,
        }
    }
}
