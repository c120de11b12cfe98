//! A setting that lasts over a reboot, in the files of other programs.
//!
//! Interrupt numbers change from boot to boot. So each file names the device by its PCI address,
//! and what it starts looks the numbers up.

#[cfg(test)]
mod tests;

use std::ffi::OsString;

use nearfar_machine::PciAddress;
use nearfar_model::{CommandLine, NodeId, UnwritableWord};

/// A program that can set interrupts at boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastingSystem {
    /// A unit.
    Systemd,
    /// A rule.
    Udev,
    /// A policy script.
    Irqbalance,
    /// A profile of TuneD.
    Tuned,
}

/// What is set of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingSetting {
    /// The device's label.
    pub label: String,
    /// Its function.
    pub address: PciAddress,
    /// Path of nearfar.
    pub program: OsString,
    /// The options after the device: `--near`.
    pub options: Vec<String>,
    /// The node for interrupts that may run anywhere on it; `None` for other targets.
    pub node: Option<NodeId>,
    /// Whether the device has network interfaces.
    pub is_network: bool,
}

impl LastingSetting {
    /// The text of the file, with a comment on where it goes.
    ///
    /// # Errors
    ///
    /// A path of nearfar that the file cannot have unchanged.
    pub fn text(&self, system: LastingSystem) -> Result<String, UnwritableWord> {
        match system {
            LastingSystem::Systemd => unit(self),
            LastingSystem::Udev => rule(self),
            LastingSystem::Irqbalance => policy(self),
            LastingSystem::Tuned => profile(self),
        }
    }

    /// The command that sets it.
    fn set_command(&self) -> Result<CommandLine, UnwritableWord> {
        self.command(&self.options)
    }

    fn undo_command(&self) -> Result<CommandLine, UnwritableWord> {
        self.command(&["--undo".to_owned()])
    }

    fn command(&self, options: &[String]) -> Result<CommandLine, UnwritableWord> {
        let address = self.address.to_string();
        let words = [self.program.clone(), "irq".into(), "set".into(), address.into()].into_iter();
        CommandLine::new(words.chain(options.iter().map(OsString::from)))
    }
}

/// # References
///
/// systemd.service(5), `Type=oneshot`
fn unit(setting: &LastingSetting) -> Result<String, UnwritableWord> {
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

/// # References
///
/// irqbalance(1), `--policyscript`: the script gets the device's folder and the interrupt, and
/// prints `ban=true` or `numa_node=N`. It must belong to irqbalance's user.
fn policy(setting: &LastingSetting) -> Result<String, UnwritableWord> {
    let LastingSetting { label, address, node, .. } = setting;
    let (answer, comment) = match node {
        Some(node) => (
            format!("numa_node={node}"),
            "# irqbalance chooses a CPU of this node, and may move the interrupt within it.\n"
                .to_owned(),
        ),
        None => (
            "ban=true".to_owned(),
            format!(
                "# irqbalance cannot set this: it leaves the interrupts alone, and this sets \
                 them:\n#   {}\n",
                setting.set_command()?.shell_in_one_line()?
            ),
        ),
    };
    Ok(format!(
        "#!/bin/sh\n\
         # {label}. Save it as /etc/irqbalance-nearfar.sh: owner root, mode 0755. Add to the \
         options of\n\
         # irqbalance (IRQBALANCE_ARGS in /etc/default/irqbalance or /etc/sysconfig/irqbalance):\n\
         #   --policyscript=/etc/irqbalance-nearfar.sh\n\
         # In a folder of scripts, 'exit 1' lets the next script decide.\n\
         {comment}\
         case \"$1\" in\n\
         */{address}) echo {answer} ;;\n\
         esac\n\
         exit 0\n"
    ))
}

/// # References
///
/// TuneD's plugins `script` (called with `start` and `stop`), `irq` (devices are `irqN`) and
/// `scheduler` (`irq_process`), in tuned/plugins of <https://github.com/redhat-performance/tuned>
fn profile(setting: &LastingSetting) -> Result<String, UnwritableWord> {
    let LastingSetting { label, address, .. } = setting;
    Ok(format!(
        "# /etc/tuned/nearfar-irq/tuned.conf; then: tuned-adm profile nearfar-irq\n\
         # The plugin [irq] has devices such as irq24, whose numbers change from boot to boot:\n\
         # a script finds them by the device.\n\
         [main]\n\
         summary=Interrupts of {label} ({address})\n\
         # include=NAME keeps the settings of another profile\n\n\
         [scheduler]\n\
         irq_process=false\n\n\
         [script]\n\
         script=${{i:PROFILE_DIR}}/script.sh\n\n\
         # /etc/tuned/nearfar-irq/script.sh (mode 0755):\n\
         #   #!/bin/sh\n\
         #   case \"$1\" in\n\
         #   start) {} ;;\n\
         #   stop) {} ;;\n\
         #   esac\n",
        setting.set_command()?.shell_in_one_line()?,
        setting.undo_command()?.shell_in_one_line()?,
    ))
}

/// # References
///
/// udev(7): `KERNEL` and `KERNELS`, `RUN`
fn rule(setting: &LastingSetting) -> Result<String, UnwritableWord> {
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
