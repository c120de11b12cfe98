//! Which events count fills from local and from remote memory, by CPU.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::CpuFamily;

/// Two events of a CPU's own PMU: fills of its data cache (AMD), or retired loads (Intel), that
/// local and remote memory served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FillEvents {
    /// perf's name of both.
    pub name: String,
    /// The raw event of local memory: event code and unit mask.
    pub local: u64,
    /// The raw event of remote memory.
    pub remote: u64,
}

/// Events of some models of a family.
struct EventRow {
    vendor: &'static str,
    family: u32,
    models: &'static [RangeInclusive<u32>],
    name: &'static str,
    event: u64,
    /// Unit masks of local and of remote memory.
    masks: [u64; 2],
}

const AMD: &str = "AuthenticAMD";
const INTEL: &str = "GenuineIntel";

/// The first row that fits counts. Models are those of Linux's
/// `tools/perf/pmu-events/arch/x86/mapfile.csv`; each row names its file below that folder.
const ROWS: [EventRow; 6] = [
    // Zen 2: amdzen2/memory.json. Zen 1 has no such event there.
    EventRow {
        vendor: AMD,
        family: 23,
        models: &[0x30..=0xff],
        name: "ls_refills_from_sys.ls_mabresp_{lcl,rmt}_dram",
        event: 0x43,
        masks: [0x08, 0x40],
    },
    // Zen 3: amdzen3/memory.json.
    EventRow {
        vendor: AMD,
        family: 25,
        models: &[0x00..=0x0f, 0x20..=0x2f, 0x40..=0x5f],
        name: "ls_any_fills_from_sys.mem_io_{local,remote}",
        event: 0x44,
        masks: [0x08, 0x40],
    },
    // Zen 4: amdzen4/cache.json.
    EventRow {
        vendor: AMD,
        family: 25,
        models: &[0x10..=0xff],
        name: "ls_any_fills_from_sys.dram_io_{near,far}",
        event: 0x44,
        masks: [0x08, 0x40],
    },
    // Zen 5: amdzen5/load-store.json.
    EventRow {
        vendor: AMD,
        family: 26,
        models: &[0x00..=0x2f, 0x40..=0x4f, 0x60..=0x7f],
        name: "ls_any_fills_from_sys.dram_io_{near,far}",
        event: 0x44,
        masks: [0x08, 0x40],
    },
    // Haswell-EP: haswellx/cache.json; Broadwell-EP: broadwellx/cache.json. Errata HSD25, HSD29,
    // HSD74, HSM30, BDE70 and BDM100: some loads are not counted.
    EventRow {
        vendor: INTEL,
        family: 6,
        models: &[0x3f..=0x3f, 0x4f..=0x4f],
        name: "mem_load_uops_l3_miss_retired.{local,remote}_dram",
        event: 0xd3,
        masks: [0x01, 0x04],
    },
    // Skylake-SP and Cascade Lake: skylakex/cache.json; Ice Lake-SP: icelakex/cache.json; Sapphire
    // Rapids: sapphirerapids/cache.json; Emerald Rapids: emeraldrapids/cache.json; Granite Rapids:
    // graniterapids/cache.json.
    EventRow {
        vendor: INTEL,
        family: 6,
        models: &[
            0x55..=0x55,
            0x6a..=0x6a,
            0x6c..=0x6c,
            0x8f..=0x8f,
            0xcf..=0xcf,
            0xad..=0xad,
            0xae..=0xae,
        ],
        name: "mem_load_l3_miss_retired.{local,remote}_dram",
        event: 0xd3,
        masks: [0x01, 0x02],
    },
];

impl FillEvents {
    /// The events of a CPU; `None` if none are known.
    pub fn known(cpu: &CpuFamily) -> Option<Self> {
        let row = ROWS.iter().find(|row| {
            (row.vendor, row.family) == (cpu.vendor.as_str(), cpu.family)
                && row.models.iter().any(|models| models.contains(&cpu.model))
        })?;
        let [local, remote] = row.masks.map(|mask| mask << 8 | row.event);
        Some(Self { name: row.name.to_owned(), local, remote })
    }
}

/// Whether the L3 caches of a CPU sample their latency: Zen 4 and Zen 5.
pub(crate) fn has_sampled_latency(cpu: &CpuFamily) -> bool {
    let events = FillEvents::known(cpu);
    events.is_some_and(|events| events.name == ROWS[2].name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(vendor: &str, family: u32, model: u32) -> CpuFamily {
        CpuFamily { vendor: vendor.to_owned(), family, model }
    }

    #[test]
    fn each_generation_has_its_events() {
        for (vendor, family, model, name, codes) in [
            (AMD, 23, 0x31, "ls_refills_from_sys.ls_mabresp_{lcl,rmt}_dram", (0x843, 0x4043)),
            (AMD, 25, 0x01, "ls_any_fills_from_sys.mem_io_{local,remote}", (0x844, 0x4044)),
            (AMD, 25, 0x11, "ls_any_fills_from_sys.dram_io_{near,far}", (0x844, 0x4044)),
            (AMD, 25, 0xa0, "ls_any_fills_from_sys.dram_io_{near,far}", (0x844, 0x4044)),
            (AMD, 26, 0x02, "ls_any_fills_from_sys.dram_io_{near,far}", (0x844, 0x4044)),
            (INTEL, 6, 0x4f, "mem_load_uops_l3_miss_retired.{local,remote}_dram", (0x1d3, 0x4d3)),
            (INTEL, 6, 0x55, "mem_load_l3_miss_retired.{local,remote}_dram", (0x1d3, 0x2d3)),
            (INTEL, 6, 0xad, "mem_load_l3_miss_retired.{local,remote}_dram", (0x1d3, 0x2d3)),
        ] {
            let events = FillEvents::known(&cpu(vendor, family, model)).unwrap();
            assert_eq!((events.name.as_str(), (events.local, events.remote)), (name, codes));
        }
    }

    #[test]
    fn other_cpus_have_none() {
        // Zen 1, Zen 6, a client of Intel, a vendor that shares AMD's family 24.
        let others = [
            cpu(AMD, 23, 0x01),
            cpu(AMD, 26, 0x50),
            cpu(INTEL, 6, 0x9e),
            cpu("HygonGenuine", 24, 1),
        ];
        for other in others {
            assert_eq!(FillEvents::known(&other), None, "{other:?}");
        }
    }

    #[test]
    fn zen_4_and_5_sample_latency() {
        let all = [cpu(AMD, 25, 0x01), cpu(AMD, 25, 0x11), cpu(AMD, 26, 0x02), cpu(INTEL, 6, 0x55)];
        assert_eq!(all.map(|cpu| has_sampled_latency(&cpu)), [false, true, true, false]);
    }
}
