//! The processes that a command line selects.

use anyhow::bail;
use nearfar_machine::process::{ProcessList, cgroup_folder, processes_in_group};
use nearfar_machine::{Process, Source};
use nearfar_process::{ProcessError, ProcessSelector};

/// Processes at most: of larger groups, sampling takes minutes.
const MOST: usize = 1000;

/// One process, or all of a control group and the groups below it.
pub(super) fn processes(source: &Source, target: &str) -> anyhow::Result<Vec<u32>> {
    let name = match ProcessSelector::parse(target)? {
        ProcessSelector::Number(pid) => {
            Process::find(source, pid)?;
            return Ok(vec![pid]);
        }
        ProcessSelector::Text(name) => name,
    };
    let group = cgroup_folder(source, &name)?;
    let ProcessList { ids, outside } = processes_in_group(source, &group);
    match ids.len() {
        0 => Err(ProcessError::EmptyGroup { folder: group.folder, outside }.into()),
        many if many > MOST => {
            bail!(
                "{many} processes are in {}, more than {MOST}: name a smaller group",
                group.folder
            )
        }
        _ => Ok(ids),
    }
}
