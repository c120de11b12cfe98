//! System-wide kernel settings that influence programs and can be changed at run time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Source;

/// A kernel setting.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum KernelSwitch {
    /// Hardware threads: `on` or `off` (Documentation/ABI/testing/sysfs-devices-system-cpu).
    Smt,
    /// Transparent huge pages: `always`, `madvise` or `never`
    /// (Documentation/admin-guide/mm/transhuge.rst).
    Thp,
    /// Automatic NUMA balancing: `on` or `off` (`numa_balancing` in
    /// Documentation/admin-guide/sysctl/kernel.rst).
    Balancing,
}

impl KernelSwitch {
    /// All settings.
    pub const ALL: [Self; 3] = [Self::Smt, Self::Thp, Self::Balancing];

    /// Its name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smt => "smt",
            Self::Thp => "thp",
            Self::Balancing => "balancing",
        }
    }

    /// Its possible values.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Smt | Self::Balancing => &["on", "off"],
            Self::Thp => &["always", "madvise", "never"],
        }
    }

    /// Path of its file.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Smt => "/sys/devices/system/cpu/smt/control",
            Self::Thp => "/sys/kernel/mm/transparent_hugepage/enabled",
            Self::Balancing => "/proc/sys/kernel/numa_balancing",
        }
    }

    /// Its current value, one of [`values`](Self::values); `None` if this machine does not have it.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-devices-system-cpu (`smt/control`),
    /// Documentation/admin-guide/mm/transhuge.rst, Documentation/admin-guide/sysctl/kernel.rst
    /// (`numa_balancing`)
    pub fn current(self, source: &Source) -> Option<&'static str> {
        self.parse(&source.text(self.path())?)
    }

    /// The value of its file's text.
    fn parse(self, text: &str) -> Option<&'static str> {
        let known = |word: &str| self.values().iter().copied().find(|value| *value == word);
        match self {
            // "forceoff" and "notsupported" cannot be changed.
            Self::Smt => known(text),
            Self::Thp => known(text.split_once('[')?.1.split_once(']')?.0),
            // Higher bits select the mode (memory tiering).
            Self::Balancing => Some(if text.parse::<u32>().ok()? == 0 { "off" } else { "on" }),
        }
    }

    /// The exact text that restores the current state: one value may stand for several of the
    /// kernel's.
    pub fn saved_value(self, source: &Source) -> Option<String> {
        self.saved_text(&source.text(self.path())?)
    }

    /// The same of the file's text.
    pub fn saved_text(self, text: &str) -> Option<String> {
        let now = self.parse(text)?;
        Some(if self == Self::Balancing { text } else { now }.to_owned())
    }

    /// The text to write for a value, or for a [`saved_value`](Self::saved_value).
    pub fn file_text(self, value: &str) -> &str {
        match (self, value) {
            (Self::Balancing, "on") => "1",
            (Self::Balancing, "off") => "0",
            (_, value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_values_are_parsed() {
        let now = |switch: KernelSwitch, text: &str| {
            switch.current(&Source::from_files([(switch.path(), text)]))
        };
        assert_eq!(now(KernelSwitch::Thp, "always [madvise] never\n"), Some("madvise"));
        assert_eq!(now(KernelSwitch::Smt, "off\n"), Some("off"));
        assert_eq!(now(KernelSwitch::Smt, "notsupported\n"), None);
        assert_eq!(now(KernelSwitch::Balancing, "2\n"), Some("on"));
        assert_eq!(now(KernelSwitch::Balancing, ""), None);
        assert_eq!(KernelSwitch::Thp.current(&Source::from_files([("/x", "")])), None);
        assert_eq!(KernelSwitch::Balancing.file_text("off"), "0");
    }

    #[test]
    fn saved_value_is_the_exact_file_text() {
        for (switch, text, kept) in [
            (KernelSwitch::Balancing, "2\n", "2"),
            (KernelSwitch::Balancing, "0\n", "0"),
            (KernelSwitch::Thp, "always [madvise] never\n", "madvise"),
            (KernelSwitch::Smt, "on\n", "on"),
        ] {
            let now = switch.saved_value(&Source::from_files([(switch.path(), text)])).unwrap();
            assert_eq!((now.as_str(), switch.file_text(&now)), (kept, kept));
        }
        assert_eq!(
            KernelSwitch::Smt
                .saved_value(&Source::from_files([(KernelSwitch::Smt.path(), "forceoff\n")])),
            None
        );
    }
}
