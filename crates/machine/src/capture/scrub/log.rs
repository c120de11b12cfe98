//! The kernel's log: keeps messages about boot and memory, removes names of users, hosts and
//! devices.

use super::names::PrivateNames;
use super::{parameters, text};
use crate::addresses::without_addresses;

/// Text before a serial number, in lower case.
const BEFORE_SERIALS: [&str; 5] =
    ["serialnumber:", "serial number:", "serial no:", "s/n:", "serialno:"];

/// Headings of lists with one line per argument or variable of init.
const LISTS: [&str; 2] = ["  with arguments:", "  with environment:"];
/// Text before a command line.
const COMMAND_LINES: [&str; 2] = ["command line: ", "command line parameters \""];

/// The log, line by line.
pub(super) fn scrub(log: &str, names: &PrivateNames, found: &mut Vec<&'static str>) -> String {
    let mut kept = String::new();
    let mut is_listing = false;
    for whole in log.split_inclusive('\n') {
        let listed = listed(whole).filter(|_| is_listing);
        kept += &match listed {
            Some((head, word)) => {
                found.push("arguments of the first program");
                without_host(head, found) + &text::overwritten(word)
            }
            None => line(whole, names, found),
        };
        is_listing = listed.is_some() || LISTS.iter().any(|list| whole.contains(list));
    }
    kept
}

/// Splits a line of such a list, "[    0.45]     --token=1\n", into the prefix and the value.
fn listed(whole: &str) -> Option<(&str, &str)> {
    let (head, word) = whole.split_at(whole.find(']')? + 1);
    word.starts_with("     ").then_some((head, word))
}

/// "Linux version 6.1.0 (me@myhost) (gcc ..", without the builder.
pub(super) fn version(text: &str, names: &PrivateNames, found: &mut Vec<&'static str>) -> String {
    let text = names.without(&without_builder(text, found), found);
    without_addresses(&text, found)
}

fn line(whole: &str, names: &PrivateNames, found: &mut Vec<&'static str>) -> String {
    // Firewalls log IP addresses.
    if whole.contains(" SRC=") && whole.contains(" DST=") {
        found.push("lines of a firewall");
        return String::new();
    }
    if is_of_another_program(whole) {
        found.push("lines of other programs");
        return String::new();
    }
    if whole.contains("Linux version ") {
        return version(&without_host(whole, found), names, found);
    }
    let lower = whole.to_ascii_lowercase();
    if let Some(start) =
        COMMAND_LINES.iter().find_map(|words| Some(lower.find(words)? + words.len()))
    {
        let (before, line) = whole.split_at(start);
        return without_host(before, found) + &parameters::scrub(line, names, found);
    }
    let text = names.without(&without_serial(&without_host(whole, found), found), found);
    without_addresses(&text, found)
}

/// "Jan 31 10:00:00 host kernel: ..": removes the host name in lines of syslog.
fn without_host(line: &str, found: &mut Vec<&'static str>) -> String {
    let head =
        line.find(" kernel:").map(|end| &line[..end]).filter(|head| !head.contains(['[', ';']));
    let Some((before, host)) = head.and_then(|head| head.rsplit_once(' ')) else {
        return line.to_owned();
    };
    found.push("host name");
    format!("{before} {}{}", text::overwritten(host), &line[before.len() + 1 + host.len()..])
}

/// Whether another program logged a line: it has a syslog prefix ("Jan 31 10:00:00 host sshd[7]: ")
/// without "kernel:". Lines of the kernel begin with a bracket or the numbers of a record.
fn is_of_another_program(line: &str) -> bool {
    let begins_as_kernel = line.starts_with(['[', '<', ' ', '\n']);
    let head: Vec<&str> = line.splitn(6, ' ').take(5).collect();
    let has_time = head.iter().any(|word| {
        word.matches(':').count() >= 2 && word.starts_with(|c: char| c.is_ascii_digit())
    });
    !begins_as_kernel && has_time && !line.contains(" kernel:")
}

fn without_builder(text: &str, found: &mut Vec<&'static str>) -> String {
    let builder = || {
        let open = text.find('(')?;
        let close = open + text[open..].find(')')?;
        text[open..close].contains('@').then_some((open + 1, close))
    };
    let Some((open, close)) = builder() else { return text.to_owned() };
    found.push("who built the kernel");
    format!("{}{}{}", &text[..open], text::overwritten(&text[open..close]), &text[close..])
}

/// "usb 1-1: SerialNumber: 4C530001": removes everything after the colon.
fn without_serial(text: &str, found: &mut Vec<&'static str>) -> String {
    // ASCII only, so offsets stay valid.
    let lower = text.to_ascii_lowercase();
    let end = BEFORE_SERIALS
        .iter()
        .filter_map(|words| lower.find(words).map(|at| at + words.len()))
        .min();
    match end {
        Some(end) if !text[end..].trim().is_empty() => {
            found.push("serial numbers");
            format!("{}{}", &text[..end], text::overwritten(&text[end..]))
        }
        _ => text.to_owned(),
    }
}
