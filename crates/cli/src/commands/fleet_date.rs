//! A day or a time of `nearfar fleet`.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// "2026-10-03", a day in UTC; or "2026-10-03T08:00:00Z".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FleetDate {
    begin: Timestamp,
    end: Timestamp,
}

impl FleetDate {
    pub(super) fn begin(self) -> Timestamp {
        self.begin
    }

    /// Of a day, the begin of the next.
    pub(super) fn end(self) -> Timestamp {
        self.end
    }
}

impl FromStr for FleetDate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(time) = text.parse::<Timestamp>() {
            return Ok(Self { begin: time, end: time });
        }
        let wrong = || "write a day such as 2026-10-03, or 2026-10-03T08:00:00Z".to_owned();
        let is_day = text.len() == "2026-10-03".len();
        let day = text.parse::<Date>().ok().filter(|_| is_day).ok_or_else(wrong)?;
        let begin_of = |day: Date| Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp());
        let next = day.tomorrow().ok().and_then(begin_of);
        match (begin_of(day), next) {
            (Some(begin), Some(end)) => Ok(Self { begin, end }),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_begin_and_an_end() {
        let day: FleetDate = "2026-10-03".parse().unwrap();
        let times = [day.begin(), day.end()].map(|time| time.to_string());
        assert_eq!(times, ["2026-10-03T00:00:00Z", "2026-10-04T00:00:00Z"]);
        let time: FleetDate = "2026-10-03T08:00:00Z".parse().unwrap();
        assert_eq!(time.begin(), time.end());
        for wrong in ["", "yesterday", "2026-13-01", "2026-10-03T08:00", "9999-12-31x"] {
            assert!(wrong.parse::<FleetDate>().is_err(), "{wrong}");
        }
    }
}
