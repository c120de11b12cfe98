//! A unit that runs once.

use super::LastingSetting;

/// # References
///
/// systemd.service(5), `Type=oneshot`
pub(super) fn unit(setting: &LastingSetting) -> String {
    let LastingSetting { label, address, .. } = setting;
    let name = format!("nearfar-irq-{address}.service");
    let network = match setting.is_network {
        true => {
            "# Drivers of network cards request interrupts when the interface comes up.\n\
             Wants=network-online.target\nAfter=network-online.target irqbalance.service\n"
        }
        false => "After=irqbalance.service\n",
    };
    format!(
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
        escaped(&setting.set_command()),
        escaped(&setting.undo_command()),
    )
}

/// Specifiers (`%`) and variables (`$`).
fn escaped(command: &str) -> String {
    command.replace('%', "%%").replace('$', "$$")
}
