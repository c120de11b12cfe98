//! Options that take a number in a range. clap's own error shows the range as "6..=64".

use std::fmt::Display;
use std::str::FromStr;

/// Parses a number from `least` to `most`.
pub(super) fn from_to<N>(
    least: N,
    most: N,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("not a number from {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_range_are_refused() {
        let points = from_to(6u16, 64);
        assert_eq!((points("6"), points("64")), (Ok(6), Ok(64)));
        for wrong in ["5", "65", "-1", "99999999999", "six", ""] {
            assert_eq!(points(wrong), Err("not a number from 6 to 64".to_owned()), "{wrong}");
        }
    }
}
