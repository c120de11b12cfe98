//! MSCT: the most that a board could have.

use crate::acpi::{DomainMaximum, Msct};

use super::fields::{hex, lines, or_dash, size, table};
use super::remains;

pub(super) fn sections(msct: &Msct) -> Vec<String> {
    let limits = format!(
        "At most: domains up to {}, clock domains up to {}, addresses up to {}. Linux does not \
         read it.\n",
        or_dash(msct.max_domain),
        or_dash(msct.max_clock_domain),
        or_dash(msct.max_physical_address.map(hex)),
    );
    let heads = ["domains", ">processors", ">memory", ">offset"];
    let most = table("The most that each could have", heads, lines(&msct.entries, line));
    vec![limits, most, remains::entries(&msct.entries)]
}

fn line(most: &DomainMaximum, offset: String) -> Option<[String; 4]> {
    let domains = if most.first == most.last {
        most.first.to_string()
    } else {
        format!("{}-{}", most.first, most.last)
    };
    let processors =
        if most.max_processors == 0 { "none".to_owned() } else { most.max_processors.to_string() };
    let memory =
        if most.max_memory_bytes == 0 { "none".to_owned() } else { size(most.max_memory_bytes) };
    Some([domains, processors, memory, offset])
}
