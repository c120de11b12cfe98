//! A profile of TuneD.

use nearfar_model::UnwritableWord;

use super::LastingSetting;

/// # References
///
/// TuneD's plugins `script` (called with `start` and `stop`), `irq` (devices are `irqN`) and
/// `scheduler` (`irq_process`), in tuned/plugins of <https://github.com/redhat-performance/tuned>
pub(super) fn profile(setting: &LastingSetting) -> Result<String, UnwritableWord> {
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
