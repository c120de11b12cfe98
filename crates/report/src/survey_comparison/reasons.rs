//! Why parts and cells are not compared, and what decides a condition.

use nearfar_survey::compare::{CellUncompared, ConditionFinding, PartUncompared, UnknownFigure};

use nearfar_view::text::percent::{change, changes};

/// Why a part is not compared.
pub fn for_part(why: &PartUncompared) -> String {
    match why {
        PartUncompared::OnlyInFirst => "only the first survey has it".to_owned(),
        PartUncompared::OnlyInSecond => "only the second survey has it".to_owned(),
        PartUncompared::OtherProbe { first, second } => {
            format!("the first used the probe {first}, the second {second}")
        }
    }
}

/// Why a cell is not compared.
pub(super) fn for_cell(why: &CellUncompared) -> String {
    let CellUncompared::Unknown { surveys } = why else {
        return "its figure is not a number".to_owned();
    };
    let lacks = |(which, unknown): (&str, &Option<UnknownFigure>)| {
        Some(match unknown.as_ref()? {
            UnknownFigure::NoFigure { why: Some(why) } => {
                format!("the {which} has no figure: {why}")
            }
            UnknownFigure::NoFigure { why: None } => format!("the {which} has no figure"),
            UnknownFigure::NoError => {
                format!("the {which} has no error of its figure")
            }
        })
    };
    let both: Vec<String> =
        ["first", "second"].into_iter().zip(surveys).filter_map(lacks).collect();
    both.join("; ")
}

/// The cells that decide a condition, or leave it open.
pub fn judgement(judgement: &ConditionFinding) -> String {
    match judgement {
        ConditionFinding::Part(part, ratio) => format!("all cells of {part} ({})", change(*ratio)),
        ConditionFinding::Cell(cell, ratio) => format!("{cell} ({})", change(*ratio)),
        ConditionFinding::MayHaveChanged(cell, ci95) => format!("{cell} ({})", changes(*ci95)),
        ConditionFinding::NotCompared(cell, why) => {
            let why = why.as_ref().map_or_else(|| "not compared".to_owned(), for_cell);
            format!("{cell} ({why})")
        }
        ConditionFinding::Gone(label) => format!("only the first has {label}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_figures_are_listed_by_survey() {
        let no_memory = UnknownFigure::NoFigure { why: Some("no memory".to_owned()) };
        let of = |surveys| for_cell(&CellUncompared::Unknown { surveys });
        assert_eq!(of([None, Some(no_memory)]), "the second has no figure: no memory");
        assert_eq!(
            of([Some(UnknownFigure::NoError), Some(UnknownFigure::NoFigure { why: None })]),
            "the first has no error of its figure; the second has no figure"
        );
        assert_eq!(for_cell(&CellUncompared::NoNumber), "its figure is not a number");
    }

    #[test]
    fn judgements_have_their_figures() {
        let cell = || "node 0 to node 1".to_owned();
        for (decides, text) in [
            (ConditionFinding::Part("latency".to_owned(), 0.2), "all cells of latency (+20.0 %)"),
            (ConditionFinding::Cell(cell(), 0.2), "node 0 to node 1 (+20.0 %)"),
            (
                ConditionFinding::MayHaveChanged(cell(), [-0.01, 0.06]),
                "node 0 to node 1 (-1.0 % to +6.0 %)",
            ),
            (ConditionFinding::NotCompared(cell(), None), "node 0 to node 1 (not compared)"),
            (
                ConditionFinding::Gone("column node 1".to_owned()),
                "only the first has column node 1",
            ),
        ] {
            assert_eq!(judgement(&decides), text);
        }
    }
}
