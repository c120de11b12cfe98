//! The rank of a process in a parallel job, as its launcher set it in its environment.

use std::collections::BTreeMap;

use nearfar_machine::{Process, Source};
use serde::Serialize;

/// A process's number in its job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Rank {
    /// The step of a Slurm job; `None` elsewhere.
    pub step: Option<String>,
    /// The number, from 0.
    pub rank: u32,
}

/// Variables with the rank, each with one that must be there, too. Launchers start each other: the
/// first found is the innermost. In a batch script, Slurm sets a rank without a step.
///
/// PyTorch: torchrun's "Environment Variables". Open MPI: mpirun(1). MVAPICH, PMIx, MPICH and
/// Intel MPI (Hydra), PALS, Flux: their manuals. Slurm: srun(1).
const LAUNCHERS: [(&str, &str); 9] = [
    ("RANK", "TORCHELASTIC_RUN_ID"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK"),
    ("PMIX_RANK", "PMIX_RANK"),
    ("PMI_RANK", "PMI_RANK"),
    ("PALS_RANKID", "PALS_RANKID"),
    ("FLUX_TASK_RANK", "FLUX_TASK_RANK"),
    ("SLURM_PROCID", STEP),
    // Workers that torch.multiprocessing and vLLM start.
    ("RANK", "WORLD_SIZE"),
];
const STEP: &str = "SLURM_STEP_ID";

impl Rank {
    /// Reads the rank of a process; `None` without one, or if its environment may not be read.
    pub fn read(source: &Source, pid: u32) -> Option<Self> {
        let process = Process::known(source, pid);
        let names = LAUNCHERS.iter().flat_map(|(rank, with)| [*rank, *with]).chain([STEP]);
        let names: Vec<&str> = names.collect();
        match process.variables(&names) {
            Some(variables) => Self::of_variables(&variables),
            None => process.control_groups().iter().find_map(|group| Self::of_group(group)),
        }
    }

    fn of_variables(variables: &BTreeMap<&str, String>) -> Option<Self> {
        let rank = LAUNCHERS.iter().find_map(|(rank, with)| {
            variables.get(with)?;
            variables.get(rank)?.parse().ok()
        })?;
        Some(Self { step: variables.get(STEP).cloned(), rank })
    }

    /// Slurm's `.../job_77/step_0/user/task_3`.
    fn of_group(group: &str) -> Option<Self> {
        let named = |start: &str| group.split('/').find_map(|part| part.strip_prefix(start));
        named("job_")?;
        Some(Self { step: Some(named("step_")?.to_owned()), rank: named("task_")?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(environ: &str) -> Option<(Option<String>, u32)> {
        let environ = environ.replace(' ', "\0");
        let source = Source::from_files([("/proc/7/environ", environ.as_str())]);
        Rank::read(&source, 7).map(|Rank { step, rank }| (step, rank))
    }

    #[test]
    fn the_innermost_launcher_counts() {
        let slurm = "SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=1";
        for (environ, expected) in [
            (slurm.to_owned(), Some((Some("0"), 1))),
            (format!("{slurm} PMIX_RANK=1 PMI_RANK=5"), Some((Some("0"), 1))),
            (format!("{slurm} RANK=9 TORCHELASTIC_RUN_ID=x"), Some((Some("0"), 9))),
            ("OMPI_COMM_WORLD_RANK=3".to_owned(), Some((None, 3))),
            ("RANK=4 WORLD_SIZE=8".to_owned(), Some((None, 4))),
            ("SLURM_JOB_ID=77 SLURM_PROCID=0".to_owned(), None),
            ("RANK=4".to_owned(), None),
            ("OMPI_COMM_WORLD_RANK=x".to_owned(), None),
            (String::new(), None),
        ] {
            let expected = expected.map(|(step, rank)| (step.map(str::to_owned), rank));
            assert_eq!(rank(&environ), expected, "{environ}");
        }
    }

    #[test]
    fn slurms_control_groups_have_the_rank_too() {
        let path = "0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_3\n";
        let source = Source::from_files([("/proc/7/cgroup", path)]);
        let expected = Rank { step: Some("0".to_owned()), rank: 3 };
        assert_eq!(Rank::read(&source, 7), Some(expected));
        assert_eq!(Rank::read(&source, 8), None);
    }
}
