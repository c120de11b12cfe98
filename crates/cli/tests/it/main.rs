//! The command as a user runs it.
//!
//! No test here asserts a time, or a figure that memory measured: the machine may be busy. They
//! assert that a document is consistent with itself. What checks figures replays samples or runs in
//! the lab.

mod all_screens;
mod bad_input;
mod bare_roots;
mod commands_to_paste;
mod completions;
mod every_command;
mod first_minute;
mod first_screens;
mod growth;
mod jobs;
mod json_schema;
mod manual;
mod measured;
mod memory;
mod odd_files;
mod other_programs;
mod other_user;
mod pager;
mod peers;
mod plain_terminals;
mod python;
mod start_up;
mod transcripts;
mod user;

/// Measurements of the machine that the tests run on.
mod measuring {
    mod bad_input;
    mod bandwidth;
    mod caches;
    mod check;
    mod confined;
    mod core_to_core;
    mod hidden;
    mod interleave;
    mod interrupted;
    mod io;
    mod loaded;
    mod remedies;
    mod saving;
    mod survey;
    mod thorough;
}

/// Commands that read kept documents.
mod documents {
    mod atlas;
    mod collected;
    mod fleet_tables;
    mod fleets;
    mod hwloc;
    mod links;
    #[path = "../../../../survey/tests/fleet/made_fleet.rs"]
    pub(crate) mod made_fleet;
    mod pages;
    mod shown;
    #[path = "../../../../sweep/tests/sketch/mod.rs"]
    mod sketch;
    mod structure;
    mod surveys_compared;
    mod sweeps_compared;
}

/// Commands that read the machine.
mod machine {
    mod capture;
    #[path = "../../../../machine/tests/it/corpus_folder.rs"]
    #[allow(dead_code)] // other crates use more of it
    pub(crate) mod corpus_folder;
    mod device_node;
    mod devices;
    mod devices_exported;
    mod diagnosis;
    mod doctor;
    mod false_statements;
    mod firmware;
    mod irq;
    mod irq_set;
    mod pasted;
    mod posts;
    mod sent;
    mod two_node_folder;
}

/// Files, programs, limits and signals: what other users, and the system, do to a command.
mod owned {
    #[cfg(target_arch = "x86_64")] // numbers of system calls
    mod filters;
    mod kills;
    pub(crate) mod limits;
    mod notes;
    mod outputs;
    mod programs;
}

/// `top` and `export`.
mod live {
    mod export;
    pub(crate) mod on_a_terminal;
    mod prometheus;
    mod top;
}

/// `run`, `where`, `move` and the names of numactl's family.
mod placing {
    mod denied;
    mod explain;
    mod family;
    mod hidden_processes;
    mod near;
    mod page_cache;
    mod run;
    mod where_and_move;
}

mod sweeping {
    mod consent;
    mod cpusets;
    mod files;
    mod recipes;
    mod runs;
    mod settings;
}
