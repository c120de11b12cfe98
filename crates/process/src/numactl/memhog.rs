//! memhog: takes memory under a policy, and writes all of it.

mod file;
mod request;

use std::ffi::OsString;

use nearfar_machine::{ListContext, Source, node_list};
use nearfar_model::NodeSet;
use nearfar_place::{Memory, Policy};

use crate::numactl::Completion;
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;
use request::{MemhogBacking, MemhogRequest};

/// What works without policies.
const STILL: &str = "without a policy it still takes memory, where the kernel gives it";
const USAGE: &str = "\
memhog [-fFILE] [-rNUM] size[kmg] [policy [nodeset]]
-f mmap is backed by FILE
-rNUM repeat memset NUM times
-H disable transparent hugepages
Policies: preferred-many local interleave weighted-interleave membind preferred default";

/// What is written between two dots.
const UNIT: usize = 10 << 20;
const BYTE: u8 = 0xff;

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer.follow(MemhogRequest::parse(words), USAGE, hog).map_err(|error| error.but_still(STILL))
}

fn hog(request: &MemhogRequest, printer: &mut Printer<'_>) -> Result<Completion, NumactlError> {
    let policy = policy(request)?;
    match &request.backing {
        MemhogBacking::File(path) => file::hog(path, request, &policy, printer)?,
        MemhogBacking::Fresh { huge } => hog_fresh(request, &policy, *huge, printer)?,
    }
    Ok(Completion::Full)
}

fn policy(request: &MemhogRequest) -> Result<Policy, NumactlError> {
    let nodes = match &request.nodes {
        Some(list) => node_list(list, &ListContext::new(&Source::live()))?,
        None => NodeSet::new(),
    };
    request.policy.policy(&nodes).ok_or(NumactlError::ManyPreferred { nodes })
}

fn hog_fresh(
    request: &MemhogRequest,
    policy: &Policy,
    huge: bool,
    printer: &mut Printer<'_>,
) -> Result<(), NumactlError> {
    let mut memory = Memory::with_policy(request.size, policy)?;
    if !huge {
        memory.keep_huge_pages_away();
    }
    let length = usize::try_from(request.size.0).unwrap_or(usize::MAX).min(memory.length());
    for _ in 0..request.repeat {
        for unit in memory[..length].chunks_mut(UNIT) {
            printer.text(".")?;
            unit.fill(BYTE);
        }
        printer.text("\n")?;
    }
    Ok(())
}
