//! Where sysfs has the kernel names of devices.

use crate::inventory::DeviceKind;

/// Classes of sysfs with kernel names, in the order in which a name is looked up.
pub(super) const CLASSES: [(DeviceKind, &str); 8] = [
    (DeviceKind::Network, "/sys/class/net"),
    (DeviceKind::Network, "/sys/class/infiniband"),
    (DeviceKind::Disk, "/sys/class/nvme"),
    (DeviceKind::Disk, "/sys/class/block"),
    (DeviceKind::Gpu, "/sys/class/drm"),
    (DeviceKind::Accelerator, "/sys/class/accel"),
    (DeviceKind::Usb, "/sys/bus/usb/devices"),
    (DeviceKind::Cxl, "/sys/bus/cxl/devices"),
];
