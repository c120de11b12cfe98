//! What reports rely on in a document, and its types cannot express.
//!
//! Documents travel: they are edited, cut and merged. One whose figures contradict themselves is
//! refused with the first contradiction, rather than shown as if it had been measured.

use nearfar_infer::MAX_CELLS;
use nearfar_model::is_cost;

use crate::{Matrix, MatrixCell, Survey};

/// The first thing that is wrong.
pub(crate) fn check(survey: &Survey) -> Result<(), String> {
    check_matrix(&survey.latency)?;
    check_interval("the verdict", survey.verdict.ci95)?;
    check_nodes(survey)?;
    if let Some(hidden) = &survey.hidden {
        check_matrix(&hidden.matrix).map_err(|why| format!("hidden: {why}"))?;
        check_interval("hidden.pages", hidden.pages.found.ci95)?;
    }
    let Some(pages) = &survey.page_size else { return Ok(()) };
    check_matrix(&pages.matrix).map_err(|why| format!("page_size: {why}"))?;
    check_interval("page_size", pages.ratio_ci95)
}

/// What follows for nodes.
fn check_nodes(survey: &Survey) -> Result<(), String> {
    for class in survey.classes.iter().flat_map(|found| &found.classes) {
        check_cost(class.cost_ns).map_err(|why| format!("classes: {why}"))?;
        check_interval("classes", Some(class.ci95))?;
    }
    let links =
        survey.links.iter().flat_map(|found| found.links.edges.iter().chain(&found.links.open));
    if let Some(link) = links.clone().find(|link| !(0.0..=1.0).contains(&link.support)) {
        return Err(format!("links: a support of {} is no share", link.support));
    }
    let mut cells = survey
        .claims_vs_measured
        .iter()
        .flat_map(|found| &found.checks)
        .flat_map(|check| &check.cells);
    cells.try_for_each(|cell| check_interval("claims_vs_measured", Some(cell.ci95)))
}

fn check_cost(ns: f64) -> Result<(), String> {
    is_cost(ns).then_some(()).ok_or_else(|| format!("costs {ns} ns: a cost is finite and above 0"))
}

fn check_matrix(matrix: &Matrix) -> Result<(), String> {
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let most = rows.saturating_mul(columns);
    if most > MAX_CELLS {
        let most = format!("the {MAX_CELLS} cells that are ever measured");
        return Err(format!("{rows} rows by {columns} columns are more than {most}"));
    }
    if matrix.cells.len() > most {
        return Err(format!(
            "{rows} rows by {columns} columns have no {} cells",
            matrix.cells.len()
        ));
    }
    matrix.cells.iter().try_for_each(|cell| {
        let inside = cell.row < rows && cell.column < columns;
        let found =
            if inside { check_cell(cell) } else { Err("has no such row or column".to_owned()) };
        found.map_err(|why| format!("cell ({}, {}) {why}", cell.row, cell.column))
    })
}

fn check_cell(cell: &MatrixCell) -> Result<(), String> {
    let costs =
        [cell.q25, cell.median].into_iter().chain(cell.ci95.into_iter().flatten().map(Some));
    costs.flatten().try_for_each(check_cost)?;
    if let Some(se) = cell.se.filter(|se| *se < 0.0) {
        return Err(format!("has a standard error of {se}: below 0"));
    }
    check_interval("", cell.ci95).map_err(|why| why.trim_start().to_owned())
}

fn check_interval(whose: &str, interval: Option<[f64; 2]>) -> Result<(), String> {
    let Some([low, high]) = interval else { return Ok(()) };
    match low <= high {
        true => Ok(()),
        false => Err(format!("{whose} has an interval that runs backwards, from {low} to {high}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;

    fn error_of(damage: impl Fn(&mut Survey)) -> String {
        let mut survey = sketch::survey();
        damage(&mut survey);
        check(&survey).unwrap_err()
    }

    #[test]
    fn a_whole_document_is_sound() {
        assert_eq!(check(&sketch::survey()), Ok(()));
    }

    #[test]
    fn cells_lie_in_their_matrix() {
        assert_eq!(
            error_of(|survey| survey.latency.cells[1].column = 2),
            "cell (0, 2) has no such row or column"
        );
        let twice = error_of(|survey| survey.latency.cells.extend(sketch::survey().latency.cells));
        assert_eq!(twice, "2 rows by 2 columns have no 8 cells");
        let pages = error_of(|survey| survey.page_size.as_mut().unwrap().matrix.columns.clear());
        assert_eq!(pages, "page_size: 1 rows by 0 columns have no 2 cells");
    }

    #[test]
    fn huge_matrices_are_refused() {
        let absurd = error_of(|survey| {
            survey.latency.rows = vec![survey.latency.rows[0].clone(); 10_000];
            survey.latency.columns = vec![survey.latency.columns[0].clone(); 10_000];
        });
        assert_eq!(
            absurd,
            "10000 rows by 10000 columns are more than the 262144 cells that are ever measured"
        );
    }

    #[test]
    fn costs_are_above_zero() {
        for ns in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                error_of(|survey| survey.latency.cells[0].median = Some(ns))
                    .starts_with("cell (0, 0) costs "),
                "{ns}"
            );
        }
        assert!(
            error_of(|survey| survey.latency.cells[0].ci95 = Some([-1.0, 97.0]))
                .contains("costs -1 ns")
        );
    }

    #[test]
    fn intervals_run_forwards() {
        let cell = error_of(|survey| survey.latency.cells[3].ci95 = Some([99.0, 97.0]));
        assert_eq!(cell, "cell (1, 1) has an interval that runs backwards, from 99 to 97");
        let verdict = error_of(|survey| survey.verdict.ci95 = Some([0.2, 0.1]));
        assert_eq!(verdict, "the verdict has an interval that runs backwards, from 0.2 to 0.1");
        assert!(
            error_of(|survey| survey.page_size.as_mut().unwrap().ratio_ci95 = Some([2.0, 1.0]))
                .starts_with("page_size has")
        );
    }
}
