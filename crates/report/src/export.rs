//! Facts and measurements in the files of other programs: topology files of NCCL and RCCL, memory
//! attributes of hwloc, words of Kubernetes.
//!
//! What an export does not know is left out, or is a comment with the reason. Facts about the other
//! programs are from their sources and manuals (docs/libraries/exports.md cites them).

mod figures;
pub mod hwloc;
pub mod kubernetes;
pub mod nccl;

use nearfar_survey::Survey;

/// Whether a survey has bandwidths from CPUs to nodes.
pub fn has_bandwidth(survey: &Survey) -> bool {
    !figures::bandwidth(survey).is_empty()
}
