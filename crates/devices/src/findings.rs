//! Findings, a file for each kind.
//!
//! Each is silent where nothing distinguishes a fault: on one node, in guests, for single devices.

mod links;
mod nodes;
mod peers;

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding};

/// All findings about nodes, links and equal devices.
pub(crate) fn all(context: &DeviceContext<'_>, devices: &[Device]) -> Vec<DeviceFinding> {
    let usual: Vec<&Device> = devices.iter().filter(|device| device.kind.is_usual()).collect();
    let mut findings = nodes::without_node(context, &usual);
    findings.extend(nodes::disagreements(devices));
    findings.extend(nodes::without_cpus(context, &usual));
    findings.extend(nodes::one_of_a_package(context, &usual));
    // A hypervisor makes up the links of a guest.
    if !context.is_guest {
        findings.extend(links::all(&usual));
    }
    findings.extend(peers::apart(context, &usual));
    findings
}

/// A witness that is installed and gave no answer.
pub(crate) fn failed_witness(why: &str) -> DeviceFinding {
    DeviceFinding::WitnessFailed { witness: "nvidia-smi".to_owned(), why: why.to_owned() }
}
