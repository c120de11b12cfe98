//! migratepages: moves a process's pages, and reports pages that did not move.

use std::ffi::OsString;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use nearfar_machine::{ListContext, Source, node_list};

use crate::launch::size;
use crate::numactl::Completion;
use crate::numactl::Misuse;
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;
use crate::{BadSelector, Migration, STILL_WITHOUT_MIGRATION};

const USAGE: &str = "\
usage: migratepages pid from-nodes to-nodes

nodes is a comma delimited list of node numbers or A-B ranges or all.";

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer.follow(MigratePagesRequest::parse(words), USAGE, migrate)
}

#[derive(Debug, PartialEq)]
struct MigratePagesRequest {
    pid: u32,
    from: String,
    to: String,
}

impl MigratePagesRequest {
    fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let mut parser = lexopt::Parser::from_args(words);
        let mut operands = Vec::new();
        while let Some(word) = parser.next()? {
            match word {
                Short('h') | Long("help") => return Err(Misuse::HELP),
                Value(operand) => operands.push(operand.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        let wrong = |given: Vec<String>| format!("3 operands are wanted, {} came", given.len());
        let [pid, from, to]: [String; 3] = operands.try_into().map_err(wrong)?;
        Ok(Self { pid: process_number(&pid)?, from, to })
    }
}

/// As numactl's numbers: hexadecimal after 0x, octal after 0.
fn process_number(text: &str) -> Result<u32, BadSelector> {
    let number = size::number(text).and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| BadSelector::NoNumber { text: text.to_owned() })
}

fn migrate(
    request: &MigratePagesRequest,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    let source = Source::live();
    let lists = ListContext::new(&source);
    let (from, to) = (node_list(&request.from, &lists)?, node_list(&request.to, &lists)?);
    let migration = Migration::carry_out(&source, request.pid, &from, &to);
    let migration =
        migration.map_err(|error| NumactlError::from(error).but_still(STILL_WITHOUT_MIGRATION))?;
    if let Some(remainder) = migration.remainder() {
        printer.complain(format!("process {}: {remainder}", request.pid));
    }
    Ok(Completion::full_if(migration.is_complete()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_operands_are_required() {
        let words =
            |words: &[&str]| MigratePagesRequest::parse(words.iter().map(Into::into).collect());
        let request = words(&["1", "0", "!1"]).unwrap();
        assert_eq!((request.pid, request.from.as_str(), request.to.as_str()), (1, "0", "!1"));
        assert_eq!(words(&["-h"]), Err(Misuse::HELP));
        assert!(
            words(&["1", "0"]).is_err()
                && words(&["1", "0", "1", "2"]).is_err()
                && words(&["-x"]).is_err()
        );
        assert_eq!(process_number("0x10"), Ok(16));
        assert!(["x", "99999999999", ""].iter().all(|wrong| process_number(wrong).is_err()));
    }
}
