//! Which settings of this machine a sweep can switch.

use nearfar_machine::{KernelSwitch, Source};
use nearfar_sweep::SystemSetting;
use nearfar_view::terminal::exit::WrongUsage;
use rustix::fs::Access;

/// Refuses, before anything runs, what this machine has no switch for, and hardware threads that
/// are off: CPUs that nearfar does not see cannot be planned with.
pub(super) fn check(
    switches: &[(SystemSetting, Vec<String>)],
    source: &Source,
) -> Result<(), WrongUsage> {
    let switches =
        switches.iter().filter_map(|(setting, values)| Some((setting.switch()?, values)));
    switches.into_iter().try_for_each(|(switch, values)| check_one(switch, values, source))
}

/// Refuses, before anything runs, to switch what this user may not.
pub(super) fn check_permission(
    settings: impl Iterator<Item = SystemSetting>,
    source: &Source,
) -> Result<(), WrongUsage> {
    settings
        .filter_map(SystemSetting::switch)
        .try_for_each(|setting| check_may_write(setting, source))
}

fn check_may_write(switch: KernelSwitch, source: &Source) -> Result<(), WrongUsage> {
    let (name, path) = (switch.name(), switch.path());
    match rustix::fs::access(path, Access::WRITE_OK) {
        Err(error) if source.is_live() => {
            let why = std::io::Error::from(error);
            Err(WrongUsage(format!("--{name} needs root: {path} cannot be written ({why})")))
        }
        _ => Ok(()),
    }
}

fn check_one(switch: KernelSwitch, values: &[String], source: &Source) -> Result<(), WrongUsage> {
    let (name, path) = (switch.name(), switch.path());
    let Some(now) = switch.current(source) else {
        return Err(WrongUsage(format!("--{name}: this machine has no such switch ({path})")));
    };
    let comes_on =
        switch == KernelSwitch::Smt && now == "off" && values.iter().any(|value| value == "on");
    match comes_on {
        true => Err(WrongUsage(format!(
            "SMT is off now: switch it on first (echo on > {path}), so that nearfar sees all CPUs"
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal_of(smt: &str, values: &[&str]) -> Option<String> {
        let machine = Source::from_files([(KernelSwitch::Smt.path(), smt)]);
        let values = values.iter().map(ToString::to_string).collect();
        check(&[(SystemSetting::Smt, values)], &machine).err().map(|wrong| wrong.to_string())
    }

    #[test]
    fn smt_must_be_on_to_plan() {
        let refused = refusal_of("off", &["off", "on"]).unwrap();
        assert!(
            refused.starts_with("SMT is off now: switch it on first (echo on > /sys/"),
            "{refused}"
        );
        assert_eq!((refusal_of("off", &["off"]), refusal_of("on", &["on", "off"])), (None, None));
    }

    #[test]
    fn missing_switches_are_reported() {
        assert!(
            refusal_of("notsupported", &["on"])
                .unwrap()
                .contains("--smt: this machine has no such switch")
        );
    }
}
