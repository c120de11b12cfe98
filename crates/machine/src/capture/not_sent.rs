//! What is read on a machine, and was not sent with its capture.

use std::collections::BTreeSet;

use nearfar_firmware::linux::KernelParameter;
use nearfar_firmware::linux::log::message_patterns;

use crate::source::Source;

/// Path of the list in a capture.
pub(super) const KEPT: &str = "/nearfar/kept";

/// Parameters and messages of the kernel that rules read, and that a capture may not have although
/// the machine does: it was made by a release that did not keep them, or withheld their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotSent {
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// Number of messages, and of kinds of messages.
    pub messages: usize,
}

impl NotSent {
    /// Reads the list of a capture. A machine, and a capture of nearfar before that list, have
    /// everything.
    pub fn read(source: &Source) -> Self {
        let Some(list) = (!source.is_live()).then(|| source.text(KEPT)).flatten() else {
            return Self::default();
        };
        let of = |start: &str| -> Vec<&str> {
            list.lines().filter_map(|line| line.strip_prefix(start)).collect()
        };
        let (parameters, messages) = (of("parameter "), of("message "));
        let others = message_patterns().filter(|pattern| !messages.contains(pattern)).count();
        let withheld = of("withheld messages ").into_iter().filter_map(|count| count.parse().ok());
        let lacking = KernelParameter::all().iter().map(|one| one.name);
        let lacking = lacking.filter(|name| !parameters.contains(name));
        let withheld_names = of("withheld parameter ")
            .into_iter()
            .filter(|name| KernelParameter::all().iter().any(|one| one.name == *name));
        let names: BTreeSet<&str> = lacking.chain(withheld_names).collect();
        Self {
            parameters: names.into_iter().map(str::to_owned).collect(),
            messages: others.saturating_add(withheld.fold(0, usize::saturating_add)),
        }
    }

    /// Whether the capture has everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The list of a capture that lacks this.
    pub(super) fn list(&self) -> String {
        let mut list = String::new();
        let mut add = |start: &str, name: &str| list.push_str(&format!("{start} {name}\n"));
        KernelParameter::all().iter().for_each(|one| add("parameter", one.name));
        message_patterns().for_each(|pattern| add("message", pattern));
        self.parameters.iter().for_each(|name| add("withheld parameter", name));
        if self.messages > 0 {
            add("withheld messages", &self.messages.to_string());
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_list_lacks_was_not_sent() {
        let of = |list: &str| NotSent::read(&Source::from_files([(KEPT, list)]));
        let not_sent = NotSent { parameters: vec!["mem".to_owned()], messages: 2 };
        assert_eq!(of(&not_sent.list()), not_sent);
        assert_eq!(of(&NotSent::default().list()), NotSent::default());
        let older = NotSent::default().list().replace("parameter numa\n", "");
        assert_eq!(of(&older).parameters, ["numa"]);
        let older = NotSent::default().list().replace("message NUMA turned off\n", "");
        assert_eq!(of(&older).messages, 1);
        assert!(NotSent::read(&Source::from_files([("/proc/cmdline", "numa=off")])).is_empty());
    }
}
