//! Tests of the lab in guests: what happens to a command there, and what nearfar finds in machines
//! whose costs are known.
//!
//! Two tiers. *Each change*: verdicts and structure, which a busy host does not change. *Long*
//! (`#[ignore = "long: ..."]`, run by `./dev test --long`): figures to the percent, all machines,
//! aarch64. A test boots once; it boots again only if the guest died before its command began.

mod between_cpus;
mod device_report;
mod devices;
mod diagnosing;
mod disks;
mod explaining;
mod gpus;
mod hidden;
mod host;
mod instruments;
mod interrupts;
mod io;
mod lab;
mod live;
mod near_devices;
mod objects;
mod page_cache;
mod placing;
mod responding;
mod running;
mod slurm;
mod surveying;
mod sweeping;
mod swept_interrupts;
