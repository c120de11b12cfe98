//! Open questions of a diagnosis.

use nearfar_view::text::{named_nodes, verb_of};

use crate::OpenQuestion;

/// As a clause, for the end of a sentence.
pub(super) fn clause(question: &OpenQuestion) -> String {
    use OpenQuestion::*;
    let text: &str = match question {
        Rule { text } | Log { text } => text,
        NoTable => "no firmware table was read",
        UnreadableSrat { path, why } => {
            &format!("{path} may be the SRAT, but could not be read: {why}")
        }
        NoSratNoMadt => "the tables have neither a SRAT nor a MADT, so they are incomplete",
        SratNotSent { domains } => {
            &format!("the SLIT has {domains} domains, but the files have no SRAT")
        }
        SlitNotSent => "distances are unknown: the files have no SLIT",
        &Memories { model_known, packages_known, may_be_clusters } => {
            let model = if model_known {
                "the number of memories of this CPU model"
            } else {
                "its CPU model"
            };
            let unknown = match packages_known {
                false => format!("{model} and its number of packages are unknown"),
                true if may_be_clusters => {
                    format!(
                        "{model} is unknown, and the kernel's packages may be clusters of cores"
                    )
                }
                true => format!("{model} is unknown"),
            };
            &format!("{unknown}, so there may be one memory or several")
        }
        TablesNotSent => "firmware's tables were not sent",
        NodesNotSent { named } => {
            const MISSING: &str =
                "the kernel's list of all nodes was not sent ('numactl -H', or lscpu)";
            match named.len() {
                0 => MISSING,
                number => {
                    let are = verb_of(number, "are");
                    &format!("{} {are} named; {MISSING}", named_nodes(named))
                }
            }
        }
        NoSysfsNoLog => "neither a sysfs nor a log shows nodes",
        NoLog => "no log shows why there is one node",
    };
    text.to_owned()
}
