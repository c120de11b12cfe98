//! A policy script.

use nearfar_model::UnwritableWord;

use super::LastingSetting;

/// # References
///
/// irqbalance(1), `--policyscript`: the script gets the device's folder and the interrupt, and
/// prints `ban=true` or `numa_node=N`. It must belong to irqbalance's user.
pub(super) fn policy(setting: &LastingSetting) -> Result<String, UnwritableWord> {
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
