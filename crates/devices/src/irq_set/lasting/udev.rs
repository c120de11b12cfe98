//! A rule for the moment when a driver has the device.

use nearfar_model::UnwritableWord;

use super::LastingSetting;

/// # References
///
/// udev(7): `KERNEL` and `KERNELS`, `RUN`
pub(super) fn rule(setting: &LastingSetting) -> Result<String, UnwritableWord> {
    let address = setting.address;
    let (when, comment) = match setting.is_network {
        true => (
            format!("ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"{address}\""),
            "# Some drivers request interrupts later, when the interface comes up: for these,\n\
             # --as systemd waits for the network.\n",
        ),
        false => (format!("ACTION==\"bind\", SUBSYSTEM==\"pci\", KERNEL==\"{address}\""), ""),
    };
    let command = setting.set_command()?.udev_rule()?;
    Ok(format!(
        "# /etc/udev/rules.d/90-nearfar-irq.rules; then: udevadm control --reload\n\
         {comment}\
         {when}, RUN+=\"{command}\"\n"
    ))
}
