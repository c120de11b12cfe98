//! What may stand before the kernel's message in a line: stamps, dates, hosts, facilities, quotes.

/// Maximum length of a stamp in brackets.
const MAX_STAMP_BYTES: usize = 48;

/// The part of a line before its message, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Whether a part is only before messages of the kernel.
    pub(super) is_kernel: bool,
    /// Whether a date or time was read.
    is_dated: bool,
    /// Whether the date is that of syslog: host and program follow.
    has_month: bool,
    /// Whether anything but quotes was read.
    pub(super) has_begun: bool,
    /// Whether Xen's own log is the source.
    pub(super) is_xen: bool,
}

/// What a line begins with.
pub(super) enum Peeled<'a> {
    /// A part of the head, and the rest.
    Part(&'a str),
    /// The name of another program, as syslog writes it.
    OtherProgram,
    /// The message, or what is no head.
    Message,
}

impl Head {
    /// Takes the first part of a text.
    pub(super) fn peel<'a>(&mut self, text: &'a str) -> Peeled<'a> {
        let part = self.quote(text).or_else(|| {
            let part = self.bracket(text).or_else(|| self.word(text));
            self.has_begun |= part.is_some();
            part
        });
        match part {
            Some(rest) => Peeled::Part(rest),
            None if self.is_other_program(text) => Peeled::OtherProgram,
            None => Peeled::Message,
        }
    }

    /// Marks of quotes, lists and tables, and what grep prints before a line.
    fn quote<'a>(&self, text: &'a str) -> Option<&'a str> {
        if let Some(rest) = text.strip_prefix(['>', '|', '*', '`', '\u{2502}']) {
            return Some(rest);
        }
        if let Some(rest) =
            text.strip_prefix([':', '-']).filter(|rest| rest.starts_with([' ', '[']))
        {
            return Some(rest);
        }
        if self.has_begun {
            return None;
        }
        text.strip_prefix("MESSAGE=").or_else(|| after_file_name(text))
    }

    /// "<6>", "[    0.000000]", "[Sat Jan 31 10:00:00 2026]", "[    T0]", "(XEN)".
    fn bracket<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let inner = |end: char| {
            let (inner, rest) = text.get(1..)?.split_once(end)?;
            (inner.len() < MAX_STAMP_BYTES).then_some((inner.trim(), rest))
        };
        match text.as_bytes().first()? {
            b'<' => inner('>').filter(|(level, _)| is_number(level)).map(|(_, rest)| rest),
            b'(' => {
                let rest = text.strip_prefix("(XEN)")?;
                self.is_xen = true;
                Some(rest)
            }
            b'[' => {
                let (stamp, rest) = inner(']')?;
                let (seconds, date) = (is_seconds(stamp), is_date(stamp));
                self.is_kernel |= seconds;
                self.is_dated |= date;
                let fits = seconds || date || is_caller(stamp) || is_facility(stamp);
                // talosctl writes a colon after the date.
                fits.then(|| rest.strip_prefix(':').unwrap_or(rest))
            }
            // "6,1234,5678,-;" of /dev/kmsg.
            b'0'..=b'9' => {
                let (head, rest) = text.split_once(';')?;
                let fields: Vec<&str> = head.split(',').collect();
                let is_record =
                    fields.len() >= 4 && fields[..3].iter().all(|field| is_number(field));
                self.is_kernel |= is_record;
                is_record.then_some(rest)
            }
            _ => None,
        }
    }

    /// A word of a date, the kernel's name, a facility, or a host before these.
    fn word<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (word, rest) = first_word(text);
        if let Some(rest) = after_kernel(text) {
            self.is_kernel = true;
            return Some(rest);
        }
        let is_time = is_of_date(word);
        let is_month = MONTHS.contains(&word);
        self.is_dated |= is_time && word.contains([':', '-', '.']);
        self.has_month |= is_month;
        let is_host = || {
            let next = rest.trim_start();
            // "kern: info:" after any name; "kernel:" or a stamp after a host.
            after_kernel(next).is_some()
                || is_facility(first_word(next).0)
                || self.is_dated && next.starts_with('[') && Self::default().bracket(next).is_some()
        };
        let fits = is_time
            || is_month
            || WEEKDAYS.contains(&word)
            || is_facility(word)
            || self.is_dated && is_time_zone(word)
            || is_host();
        fits.then_some(rest)
    }

    /// Whether host and program follow: "node7 sshd[7]: ", with a date of syslog also without
    /// the number.
    fn is_other_program(&self, text: &str) -> bool {
        // A domain's console in Xen's log.
        if text
            .strip_prefix("(d")
            .and_then(|rest| rest.split_once(')'))
            .is_some_and(|(domain, _)| is_number(domain))
        {
            return true;
        }
        let (host, rest) = first_word(text);
        let (program, _) = first_word(rest);
        let is_program = |word: &str| {
            let Some(name) = word.strip_suffix(':') else { return false };
            let numbered = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
            self.has_month || numbered.is_some_and(|(_, number)| is_number(number))
        };
        self.is_dated && !self.is_kernel && (is_program(program) || is_program(host))
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Facilities and levels of syslog, as dmesg and klogd write them.
const FACILITIES: [&str; 16] = [
    "kern", "user", "daemon", "syslog", "emerg", "alert", "crit", "err", "error", "warn",
    "warning", "notice", "info", "debug", "local0", "local7",
];

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// "kernel:", "kernel[0]:", "vmunix:", and "kernel - - -" of RFC 5424.
fn after_kernel(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("kernel").or_else(|| text.strip_prefix("vmunix"))?;
    let numbered = || {
        let (number, rest) = rest.strip_prefix('[')?.split_once(']')?;
        is_number(number).then_some(rest)
    };
    let rest = numbered().unwrap_or(rest);
    rest.strip_prefix(':').or_else(|| {
        let mut rest = rest.strip_prefix(" -")?;
        while let Some(next) = rest.strip_prefix(" -") {
            rest = next;
        }
        Some(rest)
    })
}

/// Seconds since boot: "0.000000", "+0.000000", "0.000000 <    0.000000>", "0.000000@0".
fn is_seconds(stamp: &str) -> bool {
    let fits = |c: char| c.is_ascii_digit() || " .+<>@,".contains(c);
    let has_fraction = stamp.split_once('.').is_some_and(|(whole, fraction)| {
        whole.ends_with(|c: char| c.is_ascii_digit())
            && fraction.starts_with(|c: char| c.is_ascii_digit())
    });
    has_fraction && stamp.chars().all(fits)
}

/// A date in brackets.
fn is_date(stamp: &str) -> bool {
    let fits = |word: &str| {
        let bare = word.trim_matches(['<', '>']);
        bare.is_empty()
            || is_of_date(bare)
            || MONTHS.contains(&bare)
            || WEEKDAYS.contains(&bare)
            || is_time_zone(bare)
    };
    stamp.contains(':')
        && is_of_date(stamp.split(' ').find(|word| word.contains(':')).unwrap_or(""))
        && stamp.split_whitespace().all(fits)
}

/// A word of digits and what separates them in dates, times and addresses.
fn is_of_date(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || ":.,+-/TZ".contains(c))
}

fn is_time_zone(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// "kern", ":info", "kern.info:", "warning:".
fn is_facility(word: &str) -> bool {
    let names = word.trim_matches(':');
    !names.is_empty() && names.split('.').all(|name| FACILITIES.contains(&name))
}

/// The thread or CPU that logged it: "T0", "C1".
fn is_caller(stamp: &str) -> bool {
    stamp.strip_prefix(['T', 'C']).is_some_and(is_number)
}

/// "dmesg.txt:12:", "12:", "dmesg.txt-12-", "dmesg.txt:", "12-".
fn after_file_name(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (word, _) = first_word(text);
    let numbered = |sign: char| {
        let mut parts = word.split(sign);
        let (first, second) = (parts.next()?, parts.next()?);
        let number = if is_number(first) { first } else { second };
        parts.next().or_else(|| is_number(first).then_some(""))?;
        let end = number.as_ptr() as usize - word.as_ptr() as usize + number.len();
        (is_number(number) && word[end..].starts_with(sign)).then(|| &text[end + 1..])
    };
    let named = || {
        let (name, _) = word.split_once(':')?;
        let is_name = name.contains(['.', '/']) && !name.contains(['[', '(', '<', '=']);
        let rest = &text[name.len() + 1..];
        (is_name && !rest.starts_with(' ')).then_some(rest)
    };
    // A time has the same form: it is no name of a file.
    let is_time = word.matches([':', '-']).count() > 1 && is_of_date(word.trim_end_matches(':'));
    if is_time || word.starts_with(['[', '<', '(', '{']) {
        return None;
    }
    numbered(':').or_else(|| numbered('-')).or_else(named)
}
