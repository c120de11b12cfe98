//! The cost of base pages.

use nearfar_survey::PageSizeMatrix;

/// The columns of a comparison.
const HUGE: usize = 0;
const BASE: usize = 1;

/// Whether huge pages help.
pub(super) fn sentence(compared: &PageSizeMatrix) -> Option<String> {
    let (ratio, [low, high]) = (compared.ratio?, compared.ratio_ci95?);
    let cost = |column| compared.matrix.cell(0, column)?.median;
    let (huge, base) = (cost(HUGE)?, cost(BASE)?);
    let figures = format!(
        "{base:.0} against {huge:.0} ns, ratio {ratio:.2}, 95 % interval {low:.2} to {high:.2}, {}",
        compared.matrix.probe
    );
    let pages = base_pages(compared);
    Some(match (low > 1.0, high < 1.0) {
        (true, _) => format!(
            "Huge pages speed up programs that use much memory (as root: echo always > \
             /sys/kernel/mm/transparent_hugepage/enabled). Random access is {ratio:.2} times \
             slower with {pages} ({base:.0} ns against {huge:.0} ns by the {} probe, 95 % interval \
             {low:.2} to {high:.2} times).",
            compared.matrix.probe
        ),
        (_, true) => {
            format!("A random access is faster in {pages} than in huge pages ({figures}).")
        }
        _ => format!("Huge pages and {pages} show no significant difference ({figures})."),
    })
}

/// "pages of 4 KiB"; 16 or 64 KiB on some aarch64 kernels.
fn base_pages(compared: &PageSizeMatrix) -> String {
    let backing = compared.matrix.columns.get(BASE).and_then(|column| column.backing.as_deref());
    let kib: Option<u32> = backing.and_then(|backing| backing.strip_suffix('k')?.parse().ok());
    kib.map_or_else(|| "base pages".to_owned(), |kib| format!("pages of {kib} KiB"))
}

#[cfg(test)]
mod tests {
    use nearfar_survey::Survey;

    use super::*;

    /// Pages of this backing, with this ratio to huge ones.
    fn compared(ratio_ci95: [f64; 2], backing: &str) -> PageSizeMatrix {
        let golden = include_str!("../../../tests/golden/several.json");
        let survey: Survey = serde_json::from_str(golden).unwrap();
        let mut compared = survey.page_size.unwrap();
        compared.ratio_ci95 = Some(ratio_ci95);
        compared.matrix.columns[BASE].backing = Some(backing.to_owned());
        compared
    }

    #[test]
    fn pages_are_named_by_their_size() {
        let slower = sentence(&compared([1.4, 1.6], "64k")).unwrap();
        let expected = "times slower with pages of 64 KiB (";
        assert!(slower.contains(expected), "{slower}");
        let faster = sentence(&compared([0.6, 0.7], "?")).unwrap();
        let expected = "A random access is faster in base pages than in huge pages";
        assert!(faster.starts_with(expected), "{faster}");
    }

    #[test]
    fn an_interval_that_contains_one_is_no_difference() {
        let same = sentence(&compared([0.99, 1.2], "4k")).unwrap();
        let expected = "Huge pages and pages of 4 KiB show no significant difference";
        assert!(same.starts_with(expected), "{same}");
        let unknown = PageSizeMatrix { ratio_ci95: None, ..compared([0.99, 1.2], "4k") };
        assert_eq!(sentence(&unknown), None);
    }
}
