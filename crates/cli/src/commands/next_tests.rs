//! Tests of a fleet that come next: how many machines, or in how many minutes.

use std::str::FromStr;

use nearfar_infer::selector::Thoroughness;
use nearfar_model::HostName;
use nearfar_survey::fleet::text::{Excluded, host_names};
use nearfar_survey::fleet::{FleetDocument, FleetTests};

use nearfar_view::terminal::output;

use super::host_list::print_names;

/// What '--next' asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NextTests {
    /// This many machines.
    Machines(usize),
    /// Tests that take at most this many minutes together.
    Minutes(f64),
}

impl NextTests {
    /// "n1,n2"; under a budget "--quick n1,n2" and "--thorough n3", each where it has machines.
    pub(super) fn print(self, tests: &FleetTests, fleet: &FleetDocument) -> anyhow::Result<()> {
        match self {
            Self::Machines(count) => print_names(host_names(&tests.next(fleet), count), "to test"),
            Self::Minutes(minutes) => {
                let is_name = |name: &str| name.parse::<HostName>().is_ok();
                let mut all = Excluded::default();
                for (kind, machines) in tests.planned(fleet, minutes, is_name) {
                    let option = match kind {
                        Thoroughness::Quick => "--quick",
                        Thoroughness::Thorough => "--thorough",
                    };
                    let hosts = host_names(&machines, usize::MAX);
                    if !hosts.names.is_empty() {
                        all.names += &format!("{option} {}", hosts.names);
                    }
                    all.from_files.extend(hosts.from_files);
                }
                if all.names.is_empty() {
                    output::aside(&format!(
                        "no test fits: a quick one takes {:.1} minutes of a machine",
                        tests.takes().quick
                    ));
                }
                all.refused = host_names(&tests.next(fleet), usize::MAX).refused;
                print_names(all, "to test")
            }
        }
    }
}

impl FromStr for NextTests {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write a number of machines, as 50, or of minutes, as 600min".to_owned();
        let found = match text.strip_suffix("min") {
            Some(minutes) => Self::Minutes(minutes.trim_end().parse().map_err(|_| wrong())?),
            None => Self::Machines(text.parse::<u32>().map_err(|_| wrong())? as usize),
        };
        match found {
            Self::Machines(0) => Err(wrong()),
            Self::Minutes(minutes) if !(minutes.is_finite() && minutes > 0.0) => Err(wrong()),
            found => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_and_minutes_are_distinct() {
        assert_eq!("50".parse(), Ok(NextTests::Machines(50)));
        assert_eq!("600min".parse(), Ok(NextTests::Minutes(600.0)));
        assert_eq!("0.5 min".parse(), Ok(NextTests::Minutes(0.5)));
        for wrong in ["", "0", "-1", "5m", "min", "0min", "-1min", "nanmin", "infmin", "1e9", "9h"]
        {
            assert!(wrong.parse::<NextTests>().is_err(), "{wrong}");
        }
    }
}
