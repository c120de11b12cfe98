//! migspeed: how fast the kernel moves pages from nodes to nodes.

mod timed_move;

use std::ffi::OsString;

use lexopt::prelude::{Short, Value, ValueExt};
use nearfar_machine::{ListContext, PageSizes, Source, node_list, own_numa_maps_line};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::Memory;

use crate::launch::size;
use crate::numactl::completion::Completion;
use crate::numactl::error::NumactlError;
use crate::numactl::misuse::Misuse;
use crate::numactl::printer::Printer;
use timed_move::TimedMove;

/// What works where the timed calls are denied.
const STILL: &str =
    "nothing is left to time of it; 'numademo -f' still times memory without policies";
const USAGE: &str = "\
usage migspeed [-p pages] [-h] [-v] from-nodes to-nodes
      from and to nodes may specified in form N or N-N
      -p pages  number of pages to try (defaults to 1000)
      -v        verbose
      -h        usage";

#[derive(Debug, PartialEq)]
struct MigspeedRequest {
    pages: u64,
    verbose: u32,
    from: String,
    to: String,
}

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer
        .follow(MigspeedRequest::parse(words), USAGE, MigspeedRequest::measure)
        .map_err(|error| error.but_still(STILL))
}

impl MigspeedRequest {
    fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut pages, mut verbose, mut nodes) = (1000, 0, Vec::new());
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Short('h' | '?') => return Err(Misuse::HELP),
                Short('v') => verbose += 1,
                Short('p') => {
                    let text = parser.value()?.string()?;
                    let number = size::number(&text).filter(|pages| *pages > 0);
                    pages = number.ok_or_else(|| format!("'{text}' is no number of pages"))?;
                }
                Value(list) => nodes.push(list.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        let [from, to]: [String; 2] =
            nodes.try_into().map_err(|_| "two lists of nodes are wanted, from and to")?;
        Ok(Self { pages, verbose, from, to })
    }

    fn measure(&self, printer: &mut Printer<'_>) -> Result<Completion, NumactlError> {
        let source = Source::live();
        let lists = ListContext::new(&source);
        let (from, to) = (node_list(&self.from, &lists)?, node_list(&self.to, &lists)?);
        if self.verbose > 1 {
            let last = lists.online_nodes().last().map_or(0, |node| node.0);
            printer.text(&format!("numa_max_node = {last}\n"))?;
        }
        self.print_line(printer, &format!("From: {}\nTo: {}\n", words(&from), words(&to)))?;
        let page = PageSizes::read(&source).base.ok_or(NumactlError::NoPageSize)?;
        self.print_line(
            printer,
            &format!("Allocating {} pages of {} bytes of memory\n", self.pages, page.0),
        )?;
        let size = Bytes(self.pages.checked_mul(page.0).ok_or(NumactlError::TooMuchMemory)?);
        let memory = Memory::bound(size, &from)?;
        // Counted and moved page by page, as numactl's does: huge pages move 512 at once.
        memory.keep_huge_pages_away();
        self.print_line(printer, "Dirtying memory....\n")?;
        memory.touch()?;
        self.print_line(printer, "Starting test\n")?;
        printer.text(&mapping_line(&source, &memory))?;
        let moved = TimedMove::bind(&memory, &to)?;
        printer.text(&mapping_line(&source, &memory))?;
        self.report(moved, size, &to, printer)
    }

    fn report(
        &self,
        moved: TimedMove,
        size: Bytes,
        to: &NodeSet,
        printer: &mut Printer<'_>,
    ) -> Result<Completion, NumactlError> {
        let TimedMove { to_move, stayed, seconds } = moved;
        if stayed > 0 {
            return Err(NumactlError::PagesStayed { stayed, pages: self.pages, to: to.clone() });
        }
        if to_move == 0 {
            printer.complain(format!(
                "all pages stood on nodes {to} already: this is the time of looking at them"
            ));
        }
        let megabytes = size.0 as f64 / f64::from(1 << 20);
        printer.text(&format!(
            "{megabytes:.1} Mbyte migrated in {seconds:.2} secs. {:.1} Mbytes/second\n",
            megabytes / seconds.max(1e-9)
        ))?;
        Ok(Completion::Full)
    }

    fn print_line(&self, printer: &mut Printer<'_>, text: &str) -> Result<(), NumactlError> {
        if self.verbose > 0 { printer.text(text) } else { Ok(()) }
    }
}

/// The line of this process's numa_maps about the memory.
fn mapping_line(source: &Source, memory: &Memory) -> String {
    let line = own_numa_maps_line(source, memory.start().addr() as u64);
    line.map_or_else(String::new, |line| format!("{line}\n"))
}

fn words(nodes: &NodeSet) -> String {
    nodes.iter().map(|node| format!("{node} ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lists_and_pages_are_required() {
        let request =
            |words: &[&str]| MigspeedRequest::parse(words.iter().map(Into::into).collect());
        let given = request(&["-vp", "0x10", "0", "1-2", "-v"]).unwrap();
        assert_eq!(
            (given.pages, given.verbose, given.from.as_str(), given.to.as_str()),
            (16, 2, "0", "1-2")
        );
        assert_eq!(request(&["-h"]), Err(Misuse::HELP));
        for wrong in [
            &["0"][..],
            &[],
            &["-p", "0", "0", "0"],
            &["-p", "x", "0", "0"],
            &["-q", "0", "0"],
            &["0", "1", "2"],
        ] {
            assert!(request(wrong).is_err(), "{wrong:?}");
        }
    }
}
