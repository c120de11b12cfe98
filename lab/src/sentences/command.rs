//! Commands that sentences quote.

use nearfar_model::NodeSet;

/// Where `nearfar run` puts a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunCommand {
    /// -N: the nodes of its CPUs.
    pub(super) cpus: Option<NodeSet>,
    /// -m: the only nodes of its memory.
    pub(super) memory: Option<NodeSet>,
    /// -i: the nodes that its memory alternates over.
    pub(super) interleaved: Option<NodeSet>,
    /// -p: the node of its memory, while there is some.
    pub(super) preferred: Option<NodeSet>,
}

impl RunCommand {
    /// Reads "nearfar run -N 0 -m 1 PROGRAM"; none of another program, or with another option.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = text.strip_prefix("nearfar run ")?.strip_suffix(" PROGRAM")?.split(' ');
        let mut run = Self::default();
        while let Some(option) = words.next() {
            let place = match option {
                "-N" => &mut run.cpus,
                "-m" => &mut run.memory,
                "-i" => &mut run.interleaved,
                "-p" => &mut run.preferred,
                _ => return None,
            };
            *place = Some(NodeSet::parse_list(words.next()?).ok()?);
        }
        Some(run)
    }

    /// One node of CPUs and one of memory (-N a -m b).
    pub(super) fn cell(&self) -> Option<[u32; 2]> {
        Some([only(self.cpus.as_ref()?)?, only(self.memory.as_ref()?)?])
    }
}

/// The only node of a set.
pub(super) fn only(set: &NodeSet) -> Option<u32> {
    set.first().filter(|_| set.len() == 1).map(|node| node.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_read_and_other_commands_are_not() {
        let run = RunCommand::parse("nearfar run -N 0-1 -m 0,3 PROGRAM").unwrap();
        assert_eq!(run.cpus.as_ref().unwrap().to_string(), "0-1");
        assert_eq!(run.memory.as_ref().unwrap().to_string(), "0,3");
        assert_eq!(run.cell(), None);
        assert_eq!(
            RunCommand::parse("nearfar run -N 2 -m 1 PROGRAM").unwrap().cell(),
            Some([2, 1])
        );
        assert!(RunCommand::parse("nearfar run -i 0-3 PROGRAM").unwrap().interleaved.is_some());
        for other in ["nearfar survey --thorough", "nearfar run -x 1 PROGRAM", "nearfar run -N"] {
            assert_eq!(RunCommand::parse(other), None, "{other}");
        }
    }
}
