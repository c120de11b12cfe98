//! When a machine's kernel and BIOS were built: a survey is later.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The later of the days on which they were built; none where a survey's environment has neither.
pub(crate) fn built(environment: &Map<String, Value>) -> Option<Timestamp> {
    let text = |part: &str, name: &str| environment.get(part)?.get(name)?.as_str();
    let kernel = text("boot", "kernel_version").and_then(kernel_day);
    let bios = text("platform", "bios_date").and_then(bios_day);
    kernel.max(bios)?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp())
}

/// The last day of a kernel's version: "(2026-07-05)", or "Fri Nov 22 16:12:59 UTC 2024".
fn kernel_day(version: &str) -> Option<Date> {
    let words: Vec<&str> = version.split_whitespace().collect();
    let last = words.last()?.trim_matches(['(', ')']);
    if last.len() == "2026-07-05".len() {
        return last.parse().ok();
    }
    let [month, day, _, _, year] = words.get(words.len().checked_sub(5)?..)? else { return None };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    Date::new(year.parse().ok()?, i8::try_from(month).ok()?, day.parse().ok()?).ok()
}

/// "04/01/2014", the month first.
fn bios_day(text: &str) -> Option<Date> {
    let mut numbers = text.split('/');
    let [month, day] = [numbers.next()?, numbers.next()?].map(str::parse);
    let year = numbers.next().filter(|year| year.len() == 4)?.parse().ok()?;
    Date::new(year, month.ok()?, day.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_later_day_of_kernel_and_bios_is_read() {
        let built = |kernel: &str, bios: &str| {
            let boot = json!({ "kernel_version": kernel });
            let environment = json!({ "boot": boot, "platform": { "bios_date": bios } });
            let day = built(environment.as_object().unwrap());
            day.map(|day| day.to_string()[..10].to_owned())
        };
        let debian = "Linux version 6.12 (gcc-12) #1 SMP Debian 6.12.95-1 (2026-07-05)";
        let fedora = "Linux version 6.11.10 #1 SMP PREEMPT_DYNAMIC Sat Nov 23 00:51:20 UTC 2024";
        let day = |text: &str| Some(text.to_owned());
        assert_eq!(built(debian, "04/01/2014"), day("2026-07-05"));
        assert_eq!(built(fedora, "11/24/2024"), day("2024-11-24"));
        assert_eq!(built(fedora, "24/11/2024"), day("2024-11-23"));
        for other in ["", "Linux version 6.1", "#1 SMP Sat Foo 23 00:51:20 UTC 2024"] {
            assert_eq!(built(other, "unknown"), None, "{other}");
        }
    }
}
