//! Rates of correct classes and links.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::NodeCosts;
use nearfar_infer::classes::{LatencyClass, classes};
use nearfar_infer::links::links;

use crate::replay::{Model, Noise, Plan, survey};
use crate::rivals;
use crate::share::count;

/// Errors of single cells.
const ERRORS: [f64; 4] = [0.0025, 0.005, 0.01, 0.015];

pub(crate) fn tables(surveys: u64) -> String {
    let matrices = (surveys / 4).max(1);
    let mut text = format!(
        "## Distance classes\n\nPer cent of {matrices} matrices, each cell with a normal error of \
         the size at the top, in which the number of classes is right / every cell is in its \
         class; *refused*: no classes, since they need 1 %. The last column: whole \
         surveys with recorded noise (a tenth as many).\n\n"
    );
    header(&mut text);
    let machines = [
        Model::uniform(2, 2),
        Model::uniform(8, 8),
        Model::fully_linked(2),
        Model::fully_linked(8),
        Model::epyc_9224(),
        Model::epyc_9224_cxl(),
        Model::epyc_7451(),
        Model::hypercube(4),
        Model::mesh(4, 2),
        Model::one_slow_node(4, 4, 0.25),
    ];
    for model in &machines {
        classes_line(&mut text, model, matrices);
    }
    let _ = write!(
        text,
        "\n## Links\n\nPer cent of as many matrices in which every link is found and no other is \
         published; *wrong*: a published link that does not exist, or a path found where there is \
         a link. In brackets: at least one pair left open, and nothing wrong. Rival: the \
         relative-neighbourhood graph of the bare figures.\n\n"
    );
    header(&mut text);
    let machines = [
        Model::fully_linked(4),
        Model::fully_linked(8),
        Model::ring(6),
        Model::ring(8),
        Model::mesh(4, 2),
        Model::mesh(4, 4),
        Model::hypercube(3),
        Model::hypercube(4),
        Model::glueless(),
        Model::switched(),
        Model::epyc_9224_cxl(),
        Model::epyc_7451(),
    ];
    for model in &machines {
        links_line(&mut text, model, matrices);
    }
    text
}

fn header(text: &mut String) {
    text.push_str("| machine | nodes | rule |");
    for error in ERRORS {
        let _ = write!(text, " {:.2} % |", 100.0 * error);
    }
    let _ = write!(text, " surveys |\n|---|---|---|{}\n", "---|".repeat(ERRORS.len() + 1));
}

fn classes_line(text: &mut String, model: &Model, matrices: u64) {
    let mut ours = format!("| {} | {} | nearfar |", model.name, model.columns());
    let mut rival = "| | | 20 cycles |".to_owned();
    for error in ERRORS {
        let [refused, counted, right, rivals] = count(matrices, |seed| {
            let blurred = model.blurred(error, &mut Rng::with_seed(seed));
            let found = classes(&published(model, &blurred, error, seed));
            let number = count_of(model);
            let by_gap = rivals::classes_by_fixed_gap(&blurred) == number;
            match found {
                Err(_) => [true, false, false, by_gap],
                Ok(found) => [false, found.len() == number, right_classes(model, &found), by_gap],
            }
        });
        let _ = match refused.hits {
            0 => write!(ours, " {} / {} |", counted.percent(), right.percent()),
            _ => write!(ours, " refused |"),
        };
        let _ = write!(rival, " {} |", rivals.percent());
    }
    let [counted, right] =
        count((matrices / 10).max(1), |seed| match classes(&surveyed(model, seed)) {
            Ok(found) => [found.len() == count_of(model), right_classes(model, &found)],
            Err(_) => [false, false],
        });
    let _ = writeln!(text, "{ours} {} / {} |\n{rival} |", counted.percent(), right.percent());
}

fn links_line(text: &mut String, model: &Model, matrices: u64) {
    let mut expected = model.links.clone();
    expected.sort_unstable();
    // Complete and correct; at least one error.
    let judged = |costs: &NodeCosts| match links(costs) {
        Err(_) => [false, false, true],
        Ok(found) => {
            let edges: Vec<(u32, u32)> = found.edges.iter().map(|edge| (edge.a, edge.b)).collect();
            let wrong = edges.iter().any(|edge| !expected.contains(edge))
                || found.paths.iter().any(|path| expected.contains(&(path.a, path.b)));
            [edges == expected, wrong, false]
        }
    };
    let mut ours = format!("| {} | {} | nearfar |", model.name, model.columns());
    let mut rival = "| | | bare figures |".to_owned();
    for error in ERRORS {
        let [right, wrong, refused, rivals] = count(matrices, |seed| {
            let blurred = model.blurred(error, &mut Rng::with_seed(seed));
            let [right, wrong, refused] = judged(&published(model, &blurred, error, seed));
            let square = model.rows() == model.columns();
            [right, wrong, refused, square && rivals::links_of_bare_figures(&blurred) == expected]
        });
        let open = 1.0 - right.value() - wrong.value();
        let _ = match refused.hits {
            0 => write!(
                ours,
                " {}, wrong {} ({}) |",
                right.percent(),
                wrong.percent(),
                crate::share::percent(open.max(0.0))
            ),
            _ => write!(ours, " refused |"),
        };
        let _ = write!(
            rival,
            " {} |",
            if model.rows() == model.columns() { rivals.percent() } else { "-".to_owned() }
        );
    }
    let [right, wrong, _] = count((matrices / 10).max(1), |seed| judged(&surveyed(model, seed)));
    let _ = writeln!(text, "{ours} {}, wrong {} |\n{rival} |", right.percent(), wrong.percent());
}

fn published(model: &Model, figures: &[Vec<f64>], error: f64, seed: u64) -> NodeCosts {
    NodeCosts::from_matrix(&model.cpu_nodes(), &model.memory_nodes(), figures, error, seed)
}

fn surveyed(model: &Model, seed: u64) -> NodeCosts {
    let nodes = |nodes: Vec<u32>| nodes.into_iter().map(Some).collect::<Vec<_>>();
    let matrix = survey(model, &Noise::recorded(1.0), &Plan::usual(), seed);
    NodeCosts::from_samples(&matrix, &nodes(model.cpu_nodes()), &nodes(model.memory_nodes()), seed)
}

fn count_of(model: &Model) -> usize {
    1 + model.classes.iter().flatten().copied().max().unwrap_or(0)
}

fn right_classes(model: &Model, found: &[LatencyClass]) -> bool {
    found.len() == count_of(model)
        && found.iter().enumerate().all(|(at, class)| {
            class
                .cells
                .iter()
                .all(|&[cpus, memory]| model.classes[cpus as usize][memory as usize] == at)
        })
}
