//! SLITs that the kernel does not believe, and those that it should not.

use super::case::{Case, TWO_NODES};
use super::table::{slit, two_nodes};

#[test]
#[ignore = "long: boots a guest"]
fn without_a_slit_distances_are_the_kernel_s_own() {
    Case {
        tables: vec![two_nodes()],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-default",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_slit_of_only_twenties_has_no_information() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 20, 20, 10])],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-default",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn all_ten_is_not_believed() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10; 4])],
        log: &["SLIT table looks invalid. Not used."],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-invalid",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_neighbour_nearer_than_oneself_is_not_believed() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 9, 21, 10])],
        log: &["SLIT table looks invalid. Not used."],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-invalid",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_distance_of_255_is_taken_for_a_number() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 255, 255, 10])],
        nodes: "node 0: CPUs 0-1, distances 10 255\nnode 1: CPUs 2-3, distances 255 10\n",
        verdict: "visible-but-doubtful",
        cause: "slit-unreachable",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn distances_that_differ_by_direction_are_taken() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 31, 10])],
        nodes: "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 31 10\n",
        verdict: "visible-but-doubtful",
        cause: "slit-asymmetric",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_slit_of_one_domain_leaves_the_other_at_20() {
    Case {
        tables: vec![two_nodes(), slit(1, &[10])],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-too-small",
        ..Case::default()
    }
    .agree();
}
