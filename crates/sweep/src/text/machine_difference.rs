//! Whether a sweep can be resumed on a machine.

use crate::document::SweepMachine;

impl SweepMachine {
    /// What sets two machines apart, in words. Where the sweep itself switches hardware threads,
    /// CPUs come and go.
    pub fn difference(&self, now: &Self, is_smt_switched: bool) -> Option<String> {
        let unknown = || "unknown".to_owned();
        let named = |text: &Option<String>| text.clone().unwrap_or_else(unknown);
        let smt = |machine: &Self| machine.smt.map_or_else(unknown, |smt| smt.to_string());
        let fixed = [
            ("processor", named(&self.model), named(&now.model)),
            ("kernel", named(&self.kernel), named(&now.kernel)),
            ("nodes", self.nodes.clone(), now.nodes.clone()),
        ];
        let switched = [
            ("CPUs", self.cpus.clone(), now.cpus.clone()),
            ("threads that share a core", smt(self), smt(now)),
        ];
        let switched = switched.into_iter().filter(|_| !is_smt_switched);
        let mut all = fixed.into_iter().chain(switched);
        let (what, then, now) = all.find(|(_, then, now)| then != now)?;
        Some(format!("{what} {then} then, {now} now"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> SweepMachine {
        let words = |text: &str| Some(text.to_owned());
        SweepMachine {
            model: words("A"),
            kernel: words("6.1"),
            cpus: "0-3".into(),
            nodes: "0".into(),
            smt: Some(true),
            load_average: None,
        }
    }

    #[test]
    fn other_machines_are_named_by_their_differences() {
        assert_eq!(machine().difference(&machine(), false), None);
        let other = SweepMachine { kernel: None, ..machine() };
        assert_eq!(machine().difference(&other, true).unwrap(), "kernel 6.1 then, unknown now");
        let fewer = SweepMachine { cpus: "0,2".into(), smt: Some(false), ..machine() };
        assert_eq!(machine().difference(&fewer, false).unwrap(), "CPUs 0-3 then, 0,2 now");
        assert_eq!(machine().difference(&fewer, true), None);
    }
}
