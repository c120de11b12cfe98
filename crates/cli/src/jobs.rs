//! What people want to do, with the commands for it: `nearfar help JOB`. Tests run every command
//! (`tests/it/jobs.rs`).

/// A job.
pub(crate) struct Job {
    /// What `nearfar help` takes; no command has this name.
    pub(crate) name: &'static str,
    pub(crate) question: &'static str,
    /// Words by which it is found.
    words: &'static [&'static str],
    /// Commands and what each does. Words in capitals stand for the user's own.
    pub(crate) commands: &'static [(&'static str, &'static str)],
    pub(crate) read_on: &'static str,
}

/// All jobs, the most frequent first.
pub(crate) const JOBS: [Job; 10] = [
    Job {
        name: "numa",
        question: "Is this machine NUMA, and what does remote memory cost?",
        words: &["survey", "measure", "latency", "remote", "far", "cost", "memory", "verdict"],
        commands: &[
            ("nearfar survey --quick", "yes, no or undetermined, in seconds"),
            ("nearfar survey", "the same, more precise"),
            ("nearfar show", "the saved surveys; 'nearfar show 1' shows one"),
            ("nearfar atlas", "published figures of other machines"),
        ],
        read_on: "docs/method/method.md",
    },
    Job {
        name: "one-node",
        question: "Why does the kernel show one node, or these nodes?",
        words: &["why", "diagnose", "missing", "hidden", "firmware", "bios", "hypervisor", "guest"],
        commands: &[
            ("nearfar diagnose", "the cause, the evidence, the setting to change"),
            ("nearfar hidden", "nodes that nothing shows, by measuring"),
            ("nearfar diagnose --support-report", "the evidence for the vendor's support"),
            ("nearfar doctor", "what this user may not read"),
        ],
        read_on: "docs/why/diagnosis.md",
    },
    Job {
        name: "on-node",
        question: "How do I run a program on one node?",
        words: &["run", "node", "start", "bind", "pin", "numactl", "cpus", "membind", "move"],
        commands: &[
            ("nearfar run -N 0 -m 0 --explain", "describes the placement, runs nothing"),
            ("nearfar run -N 0 -m 0 PROGRAM", "CPUs and memory of node 0"),
            ("nearfar run -N 0 -m 0 --watch PROGRAM", "and reports where its pages are"),
            ("nearfar move PID --nodes 0", "moves a program that runs"),
        ],
        read_on: "docs/place/numactl.md",
    },
    Job {
        name: "before-after",
        question: "What did a change of this machine change?",
        words: &["compare", "before", "after", "change", "difference", "setting", "upgrade"],
        commands: &[
            ("nearfar survey -o before.json", "measure, then change the setting"),
            ("nearfar survey -o after.json", "measure again"),
            ("nearfar compare before.json after.json", "what differs, and how surely"),
            ("nearfar check --reference before.json", "the same in seconds, for cron or Nagios"),
        ],
        read_on: "docs/fleets/check.md",
    },
    Job {
        name: "page",
        question: "How do I show this machine to others?",
        words: &["report", "html", "share", "send", "capture", "archive", "support", "colleague"],
        commands: &[
            ("nearfar report before.json", "one HTML page, without network or scripts"),
            ("nearfar report before.json after.json -o both.html", "both on one page"),
            ("nearfar capture -o box.tar.gz", "the machine's description, without private data"),
            ("nearfar --root box.tar.gz", "reads it on another machine"),
        ],
        read_on: "docs/measure/report.md, docs/start/capture.md",
    },
    Job {
        name: "slow",
        question: "What does remote memory cost a running program?",
        words: &["process", "pid", "explain", "where", "top", "running", "program", "performance"],
        commands: &[
            ("nearfar top", "which programs have remote memory"),
            ("nearfar where PID", "on which nodes its pages and devices are"),
            ("nearfar explain PID", "what that may cost, and what may help"),
            ("nearfar explain PID --try", "tries the cure, and measures whether it helps"),
        ],
        read_on: "docs/why/explain.md, docs/why/live.md",
    },
    Job {
        name: "fastest",
        question: "Which placement and how many jobs are fastest?",
        words: &["best", "placement", "sweep", "jobs", "tune", "threads", "benchmark", "scaling"],
        commands: &[
            ("nearfar sweep --dry-run PROGRAM", "what would run; runs nothing"),
            ("nearfar sweep PROGRAM", "runs it under each placement"),
            ("nearfar sweep --recipe redis", "a known program; --recipe lists them"),
            ("nearfar sweep --jobs 1..8 -- make -j{jobs}", "numbers of jobs, too"),
        ],
        read_on: "docs/place/sweep.md",
    },
    Job {
        name: "picture",
        question: "How do I draw the machine and its figures?",
        words: &["draw", "plot", "svg", "png", "lstopo", "plan", "topology", "diagram", "map"],
        commands: &[
            ("nearfar topology", "CPUs, caches, nodes and distances as text"),
            ("nearfar plot machine -o machine.svg", "the machine, as lstopo draws it"),
            ("nearfar plot latency before.json", "a survey's heat map, in the terminal"),
            ("nearfar plot latency before.json -o map.svg", "the same for papers and slides"),
        ],
        read_on: "docs/measure/report.md",
    },
    Job {
        name: "other-tools",
        question: "How do other programs get the figures?",
        words: &["export", "prometheus", "grafana", "json", "csv", "hwloc", "nccl", "slurm"],
        commands: &[
            ("nearfar export --textfile nodes.prom", "nodes and the survey, for Prometheus"),
            ("nearfar devices --as nccl", "the topology file of NCCL and RCCL"),
            ("nearfar show before.json --as hwloc", "a survey, for hwloc and lstopo"),
            ("nearfar run -N 0 -m 0 --as systemd PROGRAM", "a placement, for a service"),
        ],
        read_on: "docs/libraries/exports.md, docs/why/live.md",
    },
    Job {
        name: "hardware",
        question: "Where are devices, and who serves their interrupts?",
        words: &["devices", "irq", "interrupts", "io", "disk", "gpu", "nic", "network", "pci"],
        commands: &[
            ("nearfar devices", "node, path and link of each device"),
            ("nearfar irq --for 0", "CPUs and nodes that served interrupts since boot"),
            ("nearfar run --near DEVICE PROGRAM", "runs a program on the device's node"),
            ("nearfar io --budget 20s FILE", "what its disk costs from each node, measured"),
        ],
        read_on: "docs/devices/devices.md, docs/devices/irq.md, docs/devices/io.md",
    },
];

impl Job {
    /// The jobs that fit these words best; several if they fit alike.
    pub(crate) fn search(words: &[String]) -> Vec<&'static Self> {
        let exact = JOBS.iter().filter(|job| matches!(words, [word] if word == job.name));
        let exact: Vec<&Self> = exact.collect();
        if !exact.is_empty() {
            return exact;
        }
        let best = JOBS.iter().map(|job| job.fit(words)).max().unwrap_or(0);
        JOBS.iter().filter(|job| best > 0 && job.fit(words) == best).collect()
    }

    /// How many of these words it has.
    fn fit(&self, words: &[String]) -> usize {
        let has = |word: &&String| {
            let word = word.to_lowercase();
            self.words.contains(&word.as_str()) || self.name.split('-').any(|part| part == word)
        };
        words.iter().filter(has).count()
    }

    /// Names and words that a job is found by.
    pub(crate) fn all_words() -> impl Iterator<Item = &'static str> {
        JOBS.iter().flat_map(|job| std::iter::once(job.name).chain(job.words.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use nearfar_process::launch::{Dialect, LaunchRequest};

    use super::*;

    fn found(words: &str) -> Vec<&'static str> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Job::search(&words).into_iter().map(|job| job.name).collect()
    }

    #[test]
    fn questions_find_their_job() {
        for (words, expected) in [
            ("numa", "numa"),
            ("why one node", "one-node"),
            ("run on a node", "on-node"),
            ("compare", "before-after"),
            ("html page", "page"),
            ("what a process costs", "slow"),
            ("best placement", "fastest"),
            ("picture", "picture"),
            ("Prometheus", "other-tools"),
            ("irq io", "hardware"),
        ] {
            assert_eq!(found(words), [expected], "{words}");
        }
        assert!(found("xyzzy").is_empty());
    }

    #[test]
    fn all_commands_parse_and_no_job_has_a_commands_name() {
        for job in &JOBS {
            assert!(crate::command().find_subcommand(job.name).is_none(), "{}", job.name);
            assert!((2..=4).contains(&job.commands.len()), "{}", job.name);
            for (command, _) in job.commands {
                let words = shlex::split(command).unwrap();
                if words[1] == "run" {
                    let options = words[2..].iter().map(Into::into).collect();
                    LaunchRequest::parse(options, Dialect::Run).unwrap();
                } else if let Err(error) = crate::command().try_get_matches_from(&words) {
                    panic!("{command}: {error}");
                }
            }
        }
    }
}
