//! Figures of the whole machine.

use crate::columns::Metric::{Counter, Gauge};
use crate::reading::MachineReading;

columns! {
    /// Page migrations and waiting, of the whole machine. Null: this kernel does not count it.
    MachineRates from MachineReading {
        /// Memory migrated for any reason (`pgmigrate_success`).
        migrated_bytes_per_s: Option<f64>
            = Counter("nearfar_migrated_bytes_total", |read| read.bytes(read.activity.migrated));
        /// Memory migrated by automatic NUMA balancing (`numa_pages_migrated`).
        balanced_bytes_per_s: Option<f64>
            = Counter("nearfar_balanced_bytes_total", |read| read.bytes(read.activity.balanced));
        /// NUMA hinting faults (`numa_hint_faults`).
        hint_faults_per_s: Option<f64>
            = Counter("nearfar_hint_faults_total", |read| Some(read.activity.hint_faults? as f64));
        /// NUMA hinting faults of local pages (`numa_hint_faults_local`).
        local_hint_faults_per_s: Option<f64>
            = Counter("nearfar_local_hint_faults_total", |read| {
                Some(read.activity.hint_faults_local? as f64)
            });
        /// Share of hinting faults whose page was local. Null also without faults.
        hint_faults_local_share: Option<f64>;
        /// Memory promoted from slow memory (`pgpromote_success`).
        promoted_bytes_per_s: Option<f64>
            = Counter("nearfar_promoted_bytes_total", |read| read.bytes(read.activity.promoted));
        /// Memory demoted to slow memory (`pgdemote_*`).
        demoted_bytes_per_s: Option<f64>
            = Counter("nearfar_demoted_bytes_total", |read| read.bytes(read.activity.demoted));
        /// Share of the last 10 s in which at least one task waited for memory (PSI, `some`).
        memory_wait_some: Option<f64>
            = Gauge("nearfar_memory_wait_some_ratio", |read| Some(read.activity.pressure?.some));
        /// Share of the last 10 s in which all tasks waited for memory (PSI, `full`).
        memory_wait_full: Option<f64>
            = Gauge("nearfar_memory_wait_full_ratio", |read| Some(read.activity.pressure?.full));
    }
}
