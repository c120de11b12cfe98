//! numademo's lines: a title, then rates in MB/s (millions of bytes), divided by blanks or by
//! commas.

use super::Rates;
use super::exercise::Exercise;

/// The line of one exercise.
pub(super) fn line(title: &str, exercise: Exercise, rates: Rates, csv: bool) -> String {
    let delimiter = if csv { "," } else { " " };
    let rate =
        |name: &str, bytes: f64| format!("{name}{delimiter}{:.2}{delimiter}MB/s", bytes / 1e6);
    let (name, rates) = match rates {
        Rates::Passes { average, fastest, slowest } => {
            let all = [rate("Avg", average), rate("Max", fastest), rate("Min", slowest)];
            // As wide as it has always been: an empty field before each next, and one at the end.
            (
                exercise.name(),
                format!("{}{delimiter}", all.join(&format!("{delimiter}{delimiter}"))),
            )
        }
        Rates::Stream { copy, scale, add, triad } => {
            let all =
                [rate("Copy", copy), rate("Scale", scale), rate("Add", add), rate("Triad", triad)];
            ("STREAM", all.join(delimiter))
        }
    };
    let title = format!("{title}{delimiter}{name}");
    if csv { format!("{title},{rates}\n") } else { format!("{title:<42}{rates}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSES: Rates = Rates::Passes { average: 2e9, fastest: 3e9, slowest: 1.5e9 };

    #[test]
    fn lines_have_numactls_fields() {
        assert_eq!(
            line("memory on node 0", Exercise::Memset, PASSES, false),
            "memory on node 0 memset                   Avg 2000.00 MB/s  Max 3000.00 MB/s  Min \
             1500.00 MB/s \n"
        );
        assert_eq!(
            line("memory on node 0", Exercise::Memset, PASSES, true),
            "memory on node 0,memset,Avg,2000.00,MB/s,,Max,3000.00,MB/s,,Min,1500.00,MB/s,\n"
        );
        let stream = Rates::Stream { copy: 1e6, scale: 2e6, add: 3e6, triad: 4e6 };
        assert_eq!(
            line("local memory", Exercise::Stream, stream, true),
            "local memory,STREAM,Copy,1.00,MB/s,Scale,2.00,MB/s,Add,3.00,MB/s,Triad,4.00,MB/s\n"
        );
    }
}
