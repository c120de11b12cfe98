//! What a sweep leaves in the tree of control groups, and how it is removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nearfar_machine::CpusetParent;
use nearfar_machine::guard::Leftovers;
use serde::{Deserialize, Serialize};

/// Names of groups that are a sweep's.
const PREFIX: &str = "nearfar-sweep-";
/// A group cannot be removed before the last program in it has ended; it is tried so often.
const PAUSE: Duration = Duration::from_millis(5);

/// The groups of a sweep: where they are, and how they are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces {
    /// The group that they are below.
    pub home: PathBuf,
    /// Who made them: [`Traces::owner`].
    pub owner: String,
    /// The file in which the controller was switched on for them.
    pub switched_on: Option<PathBuf>,
}

impl Traces {
    /// Those of groups below this one.
    pub fn new(home: &CpusetParent, owner: String) -> Self {
        let switched_on = home.switch.clone().map(Into::into);
        Self { home: home.folder.clone().into(), owner, switched_on }
    }

    /// A process as names of groups have it: by number and start, since numbers are used again.
    pub fn owner(pid: u32, started: u64) -> String {
        format!("{pid}-{started}")
    }

    /// The folder of a group.
    pub(super) fn folder(&self, number: usize) -> PathBuf {
        self.home.join(format!("{PREFIX}{}-{number}", self.owner))
    }
}

impl Leftovers for Traces {
    /// Removes the groups, once nothing runs in them any more or the timeout is over, and switches
    /// the controller off if it was off.
    fn remove(&self, timeout: Duration) {
        let end = Instant::now() + timeout;
        loop {
            let left = groups(&self.home)
                .into_iter()
                .filter(|(_, (pid, started))| Self::owner(*pid, *started) == self.owner);
            let refused = left.filter(|(folder, _)| fs::remove_dir(folder).is_err()).count();
            if refused == 0 || Instant::now() >= end {
                break;
            }
            sleep(PAUSE);
        }
        // Another sweep's groups still need it.
        if let Some(file) = self.switched_on.as_ref().filter(|_| groups(&self.home).is_empty()) {
            let _ = fs::write(file, "-cpuset");
        }
    }
}

/// Removes groups of sweeps that are no longer there, and have no process.
/// `is_there` knows a process by its number and start.
pub fn remove_left_behind(home: &Path, is_there: impl Fn(u32, u64) -> bool) -> usize {
    let left = groups(home).into_iter().filter(|(_, (pid, started))| !is_there(*pid, *started));
    left.filter(|(folder, _)| fs::remove_dir(folder).is_ok()).count()
}

/// The groups of sweeps below a group, with their owners.
fn groups(home: &Path) -> Vec<(PathBuf, (u32, u64))> {
    let Ok(entries) = fs::read_dir(home) else { return Vec::new() };
    let ours = entries.filter_map(Result::ok).filter_map(|entry| {
        let name = entry.file_name();
        let owner = owner_of(name.to_str()?)?;
        Some((entry.path(), owner))
    });
    ours.collect()
}

/// `nearfar-sweep-PID-STARTED-NUMBER`.
fn owner_of(name: &str) -> Option<(u32, u64)> {
    let mut numbers = name.strip_prefix(PREFIX)?.split('-');
    let owner = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    let number: Option<usize> = numbers.next()?.parse().ok();
    (number.is_some() && numbers.next().is_none()).then_some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(names: &[&str]) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| fs::create_dir(home.path().join(name)).unwrap());
        home
    }

    fn left(home: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(home)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn only_groups_of_ended_sweeps_are_removed() {
        let others =
            ["nearfar-sweep-7-x-0", "nearfar-sweep-7-9", "nearfar-sweep-7-9-0-1", "user.slice"];
        let home = made(
            &[&others[..], &["nearfar-sweep-7-9-0", "nearfar-sweep-7-9-12", "nearfar-sweep-8-9-0"]]
                .concat(),
        );
        assert_eq!(remove_left_behind(home.path(), |pid, started| (pid, started) == (8, 9)), 2);
        let mut expected = [&others[..], &["nearfar-sweep-8-9-0"]].concat();
        expected.sort_unstable();
        assert_eq!(left(home.path()), expected);
        assert_eq!(remove_left_behind(Path::new("/no/such/folder"), |_, _| false), 0);
    }

    #[test]
    fn a_sweep_removes_its_own_groups() {
        for (other, expected) in [(None, "-cpuset"), (Some("nearfar-sweep-8-9-0"), "+cpuset")] {
            let home = made(&[&["nearfar-sweep-7-9-0", "x"], other.as_slice()].concat());
            let switch = home.path().join("cgroup.subtree_control");
            fs::write(&switch, "+cpuset").unwrap();
            let traces = Traces {
                home: home.path().to_owned(),
                owner: Traces::owner(7, 9),
                switched_on: Some(switch.clone()),
            };
            traces.remove(Duration::from_secs(60));
            assert_eq!(fs::read_to_string(switch).unwrap(), expected);
            assert_eq!(left(home.path()).len(), 1 + usize::from(other.is_some()));
        }
    }

    #[test]
    fn groups_in_use_are_removed_later() {
        let home = made(&["nearfar-sweep-7-9-0"]);
        let inside = home.path().join("nearfar-sweep-7-9-0/program");
        fs::write(&inside, "").unwrap();
        let traces =
            Traces { home: home.path().to_owned(), owner: Traces::owner(7, 9), switched_on: None };
        traces.remove(Duration::from_millis(20));
        assert_eq!(left(home.path()).len(), 1);
        let ends = std::thread::spawn(move || {
            sleep(Duration::from_millis(50));
            fs::remove_file(inside).unwrap();
        });
        traces.remove(Duration::from_secs(60));
        ends.join().unwrap();
        assert!(left(home.path()).is_empty());
    }
}
