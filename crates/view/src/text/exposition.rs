//! Prometheus's text format: families of samples with labels.

use std::fmt::Write as _;

use crate::terminal::printable;

/// The labels of a sample.
pub type Labels = Vec<(&'static str, String)>;

/// The type of a family.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
}

/// The text, family by family.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Adds a family; nothing if it has no finite sample.
    pub fn family(
        &mut self,
        name: &str,
        kind: Kind,
        help: &str,
        samples: impl IntoIterator<Item = (Labels, f64)>,
    ) {
        let samples = samples.into_iter().map(|(labels, value)| ("", labels, value));
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.suffixed(name, kind, help, samples);
    }

    /// Adds a family of averages, as sum and number of amounts.
    pub fn summary(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels, f64, f64)>,
    ) {
        let samples = samples.into_iter().flat_map(|(labels, sum, count)| {
            [("_sum", labels.clone(), sum), ("_count", labels, count)]
        });
        self.suffixed(name, "summary", help, samples);
    }

    fn suffixed(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        samples: impl Iterator<Item = (&'static str, Labels, f64)>,
    ) {
        let samples: Vec<_> = samples.filter(|(.., value)| value.is_finite()).collect();
        if samples.is_empty() {
            return;
        }
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (suffix, labels, value) in samples {
            let labels: Vec<String> = labels
                .iter()
                .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
                .collect();
            let labels = match labels.is_empty() {
                true => String::new(),
                false => format!("{{{}}}", labels.join(",")),
            };
            let _ = writeln!(self.0, "{name}{suffix}{labels} {value}");
        }
    }

    /// All of it.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// A label's value. What a terminal obeys is replaced: the page is read there, too.
fn escaped(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    printable::line(&escaped).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_empty_families_are_absent() {
        let mut out = Exposition::default();
        let labels = vec![("a", "x\"\\\n".to_owned()), ("b", String::new())];
        out.family("nearfar_x", Kind::Gauge, "Some.", [(labels, 1.5e-7), (Vec::new(), f64::NAN)]);
        out.family("nearfar_y_total", Kind::Counter, "None.", []);
        out.summary("nearfar_z_seconds", "A sum.", [(Vec::new(), 2.5, 5.0)]);
        let wanted = "# HELP nearfar_x Some.\n# TYPE nearfar_x gauge\n\
                      nearfar_x{a=\"x\\\"\\\\\\n\",b=\"\"} 0.00000015\n\
                      # HELP nearfar_z_seconds A sum.\n# TYPE nearfar_z_seconds summary\n\
                      nearfar_z_seconds_sum 2.5\nnearfar_z_seconds_count 5\n";
        assert_eq!(out.into_text(), wanted);
    }
}
