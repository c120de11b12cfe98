//! What is not known, in words.

use nearfar_diagnose::OpenQuestion;

/// As a clause, for the end of a sentence.
pub(super) fn clause(question: &OpenQuestion) -> String {
    use OpenQuestion::*;
    let said: &str = match question {
        Rule { text } | Log { text } | Sentence(text) => text,
        NoTable => "no table of firmware was there to read",
        UnreadableSrat { path, why } => {
            &format!("{path} may be the SRAT, and could not be read: {why}")
        }
        NoSratNoMadt => {
            "neither a SRAT nor a MADT is among the tables, so these are not all of a machine's"
        }
        SratNotSent { domains } => &format!(
            "the SLIT has {domains} domains, so the SRAT is not among the tables that were sent"
        ),
        SlitNotSent => "the distances: no SLIT is among the tables that were sent",
        &Memories { model_known, packages_known, may_be_clusters } => {
            let model =
                if model_known { "how many memories this CPU model has" } else { "its CPU model" };
            let unknown = match packages_known {
                false => format!("neither {model} nor its number of packages is known"),
                true if may_be_clusters => {
                    format!(
                        "{model} is not known, and what the kernel calls packages may be clusters \
                         of cores"
                    )
                }
                true => format!("{model} is not known"),
            };
            &format!("{unknown}, and so not whether there is more than one memory")
        }
        NoSysfsNoLog => "there is no sysfs and no log that tells of nodes",
        NoLog => "there is one node, and no log that tells why",
    };
    said.to_owned()
}
