//! A unit that runs once.

use nearfar_model::UnwritableWord;

use super::LastingSetting;

/// # References
///
/// systemd.service(5), `Type=oneshot`
pub(super) fn unit(setting: &LastingSetting) -> Result<String, UnwritableWord> {
    let LastingSetting { label, address, .. } = setting;
    let name = format!("nearfar-irq-{address}.service");
    let network = match setting.is_network {
        true => {
            "# Drivers of network cards request interrupts when the interface comes up.\n\
             Wants=network-online.target\nAfter=network-online.target irqbalance.service\n"
        }
        false => "After=irqbalance.service\n",
    };
    Ok(format!(
        "# /etc/systemd/system/{name}\n\
         # systemctl daemon-reload && systemctl enable --now {name}\n\
         [Unit]\n\
         Description=Interrupts of {label} ({address})\n\
         {network}\n\
         [Service]\n\
         Type=oneshot\n\
         RemainAfterExit=yes\n\
         ExecStart={}\n\
         ExecStop={}\n\n\
         [Install]\n\
         WantedBy=multi-user.target\n",
        setting.set_command()?.systemd_unit()?,
        setting.undo_command()?.systemd_unit()?,
    ))
}
