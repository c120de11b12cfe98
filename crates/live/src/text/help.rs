//! The keys and columns.

const LINES: [&str; 25] = [
    "Keys are those of htop. Any key ends this help.",
    "",
    "  q F10          quit            up down PgUp PgDn Home End   select",
    "  > . F6  < ,    sort by the next or previous column       I   invert",
    "  R remote memory  S remote share  M memory  P CPU  T threads  V moving  N PID",
    "  \\ / F4         filter by name; Enter keeps it, Esc ends it",
    "  c              control groups or processes",
    "  Z space        pause",
    "  left right     step through a recording",
    "",
    "  REMOTE     share of memory on other nodes than the threads, with its 95 % interval;",
    "             a sample of about 400 pages, threads weighted by CPU time",
    "  COST       how much slower an access is if all pages are used equally",
    "  MOVES      memory that moves: from>to, bytes a second",
    "  MEMORY ON  node:memory        THREADS ON  node:threads",
    "  HIT MISS   pages a second, allocated as intended, or instead of another node",
    "  TRAFFIC    of a node's CPUs to all memory, where resctrl is mounted",
    "  DRAM       what a node's memory controllers read and write, on Intel's servers",
    "",
    "  ...        not sampled yet: what is on the screen comes first",
    "  denied     not readable: root reads all",
    "  no pages   nothing of it is in memory",
    "  unknown    the nodes of its threads, or a group's CPUs, are unknown",
    "  all CPUs   a group's CPUs are on several nodes: its remote share is unknown",
    "",
];

pub(super) fn lines() -> impl Iterator<Item = String> {
    LINES.iter().map(|line| (*line).to_owned())
}
