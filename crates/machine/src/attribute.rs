//! Reads the kernel's small files as numbers, sets and sizes. No error is silent.
//!
//! A missing file is normal: kernels differ. A malformed file is an oddity: the value counts as
//! absent, and a line describes it.

use std::cell::RefCell;
use std::fmt::Display;
use std::str::FromStr;

use nearfar_model::{Bytes, CpuId, CpuSet, Id, IdSet};

use crate::source::{FileContents, FolderNames, Source, trimmed_text};

/// Maximum number of oddities that are listed. A machine with more is damaged everywhere.
const MAX_ODDITIES: usize = 100;
/// Maximum length of a set: every second one of 8,192 CPUs takes 24 KiB.
const MAX_SET_BYTES: usize = 64 << 10;

/// Reads the files of a source and collects oddities.
pub(crate) struct Attributes<'s> {
    pub(crate) source: &'s Source,
    oddities: RefCell<Vec<String>>,
    more: RefCell<usize>,
    reports_denied: bool,
}

impl<'s> Attributes<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self {
            source,
            oddities: RefCell::default(),
            more: RefCell::default(),
            reports_denied: false,
        }
    }

    /// Files that exist and cannot be read are oddities too: where every user may read all.
    pub(crate) fn reporting_denied(self) -> Self {
        Self { reports_denied: true, ..self }
    }

    pub(crate) fn odd(&self, what: impl Into<String>) {
        let mut oddities = self.oddities.borrow_mut();
        if oddities.len() < MAX_ODDITIES {
            oddities.push(what.into());
        } else {
            *self.more.borrow_mut() += 1;
        }
    }

    /// Adds the oddities of another reader.
    pub(crate) fn absorb(&self, other: Self) {
        other.oddities.into_inner().into_iter().for_each(|line| self.odd(line));
        *self.more.borrow_mut() += other.more.into_inner();
    }

    /// The oddities, one line each.
    pub(crate) fn into_oddities(self) -> Vec<String> {
        let mut oddities = self.oddities.into_inner();
        match self.more.into_inner() {
            0 => {}
            more => oddities.push(format!("and {more} more of the kind")),
        }
        oddities
    }

    /// Names in a folder; empty if it does not exist.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        match self.source.names(folder) {
            FolderNames::Names(names) => names,
            FolderNames::Absent => Vec::new(),
            FolderNames::Denied => {
                self.denied(folder);
                Vec::new()
            }
        }
    }

    /// Adds an oddity for a path that is not readable.
    pub(crate) fn denied(&self, path: &str) {
        if self.reports_denied {
            self.odd(format!("{path}: not readable"));
        }
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.any_text(path).filter(|text| !text.is_empty())
    }

    /// A text, which may be empty.
    pub(crate) fn any_text(&self, path: &str) -> Option<String> {
        match self.source.contents(path) {
            FileContents::Bytes(bytes) => Some(trimmed_text(&bytes)),
            FileContents::Absent => None,
            FileContents::Denied => {
                self.denied(path);
                None
            }
        }
    }

    /// A value that its type's `FromStr` parses.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, path: &str) -> Option<T> {
        let text = self.text(path)?;
        text.parse()
            .map_err(|error| self.odd(format!("{path}: '{}': {error}", shorten(&text))))
            .ok()
    }

    /// An ID. The kernel writes -1, or 65535 for -1 in 16 bits, for "unknown".
    pub(crate) fn id(&self, path: &str) -> Option<u32> {
        let number: i64 = self.parsed(path)?;
        if number < 0 || number == i64::from(u16::MAX) || number == i64::from(u32::MAX) {
            return None;
        }
        let id = u32::try_from(number).ok();
        if id.is_none() {
            self.odd(format!("{path}: {number} is too large for an id"));
        }
        id
    }

    /// A size with an optional unit: "32K".
    pub(crate) fn size(&self, path: &str) -> Option<Bytes> {
        self.parsed(path)
    }

    /// A set in list form. An empty file is the empty set; some kernels write "(null)" for it.
    pub(crate) fn list<T: Id>(&self, path: &str) -> Option<IdSet<T>> {
        self.set(path, IdSet::parse_list)
    }

    /// A set in list form, else as a mask.
    pub(crate) fn list_or_mask<T: Id>(&self, list: &str, mask: &str) -> Option<IdSet<T>> {
        self.list(list).or_else(|| self.set(mask, IdSet::parse_mask))
    }

    /// The CPUs that share something with one CPU, itself included, from list or mask. A set
    /// without that CPU is rejected.
    pub(crate) fn sharers(&self, list: &str, mask: &str, cpu: CpuId) -> Option<CpuSet> {
        let listed: Option<CpuSet> = self.list(list);
        if listed.as_ref().is_some_and(|set| set.contains(cpu)) {
            return listed;
        }
        self.holding(listed, self.set(mask, CpuSet::parse_mask), mask, cpu)
    }

    /// Like [`sharers`](Self::sharers), and reads both files: a contradiction is an oddity.
    pub(crate) fn compared_sharers(&self, list: &str, mask: &str, cpu: CpuId) -> Option<CpuSet> {
        let listed: Option<CpuSet> = self.list(list);
        let masked = self.set(mask, CpuSet::parse_mask);
        let known = |set: &Option<CpuSet>| set.clone().filter(|set| !set.is_empty());
        let both = known(&listed).zip(known(&masked));
        if let Some((listed, masked)) = both.filter(|(listed, masked)| listed != masked) {
            let (listed, masked) = ((list, listed), (mask, masked));
            let is_list_used = listed.1.contains(cpu);
            let (left, used) = if is_list_used { (masked, listed) } else { (listed, masked) };
            self.odd(format!("{}: '{}' contradicts {}: '{}'", left.0, left.1, used.0, used.1));
        }
        self.holding(listed, masked, mask, cpu)
    }

    /// The first set that holds a CPU.
    fn holding(
        &self,
        listed: Option<CpuSet>,
        masked: Option<CpuSet>,
        mask: &str,
        cpu: CpuId,
    ) -> Option<CpuSet> {
        let holds = |set: &CpuSet| set.contains(cpu);
        if listed.as_ref().is_some_and(holds) {
            return listed;
        }
        if masked.as_ref().is_some_and(holds) {
            return masked;
        }
        if let Some(wrong) = listed.or(masked).filter(|set| !set.is_empty()) {
            self.odd(format!("{mask}: '{wrong}' does not hold CPU {cpu} itself; left out"));
        }
        None
    }

    fn set<T: Id, E: Display>(
        &self,
        path: &str,
        parse: impl Fn(&str) -> Result<IdSet<T>, E>,
    ) -> Option<IdSet<T>> {
        let text = self.any_text(path)?;
        if text == "(null)" {
            return Some(IdSet::new());
        }
        if text.len() > MAX_SET_BYTES {
            self.odd(format!("{path}: {} bytes are too many for a {} set", text.len(), T::NOUN));
            return None;
        }
        parse(&text).map_err(|error| self.odd(format!("{path}: {error}"))).ok()
    }
}

/// The value of a line "name number", as in `/proc/vmstat` and a control group's `.stat` files.
pub(crate) fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?.trim().parse().ok()
}

/// The difference to an earlier value. Decreasing counters count as 0.
pub(crate) fn counted_since(now: Option<u64>, earlier: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(earlier?))
}

/// Decodes the kernel's octal escapes of blanks, line ends and backslashes: `\040`.
pub(crate) fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let digits = after
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first 40 characters of a text, without control characters.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(40).map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_values_are_absent_and_reported() {
        let source = Source::from_files([
            ("/n", "abc\n"),
            ("/s", "99999999999T"),
            ("/l", "0-x"),
            ("/i", "99999999999"),
        ]);
        let read = Attributes::new(&source);
        assert_eq!(read.parsed::<u32>("/n"), None);
        assert_eq!(read.size("/s"), None);
        assert_eq!(read.list::<CpuId>("/l"), None);
        assert_eq!(read.id("/i"), None);
        let oddities = read.into_oddities();
        assert_eq!(oddities[0], "/n: 'abc': invalid digit found in string");
        assert!(oddities[1].starts_with("/s: '99999999999T'"), "{}", oddities[1]);
        assert_eq!(oddities[2], "/l: '0-x' is not a CPU list: 'x' is not a number");
        assert_eq!(oddities[3], "/i: 99999999999 is too large for an id");
    }

    #[test]
    fn absent_and_unknown_values_are_not_reported() {
        let source = Source::from_files([
            ("/minus", "-1"),
            ("/short", "65535"),
            ("/null", " (null)\n"),
            ("/mask", "5"),
        ]);
        let read = Attributes::new(&source);
        assert_eq!((read.id("/minus"), read.id("/short"), read.id("/absent")), (None, None, None));
        assert_eq!(read.list("/null"), Some(CpuSet::new()));
        assert_eq!(read.list_or_mask::<CpuId>("/absent", "/mask").unwrap().to_string(), "0,2");
        assert!(read.into_oddities().is_empty());
    }

    #[test]
    fn sharers_include_the_cpu_itself() {
        let source = Source::from_files([("/list", "0,4"), ("/mask", "22"), ("/empty", "")]);
        let read = Attributes::new(&source);
        let sharers =
            |list, mask, cpu| read.sharers(list, mask, CpuId(cpu)).map(|set| set.to_string());
        assert_eq!(sharers("/list", "/mask", 4).as_deref(), Some("0,4"));
        assert_eq!(sharers("/list", "/mask", 5).as_deref(), Some("1,5"));
        assert_eq!((sharers("/empty", "/absent", 0), sharers("/list", "/mask", 7)), (None, None));
        assert_eq!(read.into_oddities(), ["/mask: '0,4' does not hold CPU 7 itself; left out"]);
    }

    #[test]
    fn a_mask_that_contradicts_its_list_is_reported() {
        let source = Source::from_files([
            ("/list", "0-1"),
            ("/same", "00000000,00000003"),
            ("/other", "f"),
            ("/none", ""),
            ("/zero", "0"),
            ("/third", "c"),
        ]);
        let compared = |list, mask, cpu| {
            let read = Attributes::new(&source);
            let sharers = read.compared_sharers(list, mask, CpuId(cpu));
            (sharers.unwrap().to_string(), read.into_oddities().join("; "))
        };
        let silent = |set: &str| (set.to_owned(), String::new());
        for mask in ["/same", "/none", "/zero", "/absent"] {
            assert_eq!(compared("/list", mask, 1), silent("0-1"), "{mask}");
        }
        assert_eq!(compared("/absent", "/other", 1), silent("0-3"));
        let odd = |set: &str, odd: &str| (set.to_owned(), odd.to_owned());
        assert_eq!(
            compared("/list", "/other", 1),
            odd("0-1", "/other: '0-3' contradicts /list: '0-1'")
        );
        assert_eq!(
            compared("/list", "/third", 2),
            odd("2-3", "/list: '0-1' contradicts /third: '2-3'")
        );
    }

    #[test]
    fn excess_oddities_are_counted() {
        let source = Source::from_files([("/n", "abc")]);
        let read = Attributes::new(&source);
        for _ in 0..150 {
            read.id("/n");
        }
        let oddities = read.into_oddities();
        assert_eq!((oddities.len(), oddities[100].as_str()), (101, "and 50 more of the kind"));
    }
}
