//! Matrices that people published, beside what is known of the machines.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_infer::core_to_core::{CpuGroup, who_shares};
use nearfar_survey::PairMatrix;

use crate::corpus_folder::corpus;

/// The folder of matrices, if there is a corpus.
fn folder() -> Option<PathBuf> {
    corpus().map(|corpus| corpus.join("c2c"))
}

/// A matrix by the start of its name, and what vendors publish of the machine.
struct Known {
    name: &'static str,
    /// Packages in the matrix; `None`: it holds two, but no gap between them (pairs of the farther
    /// package cost what pairs of both do, or more).
    packages: Option<usize>,
    /// CPUs of the matrix that share a last-level cache.
    cache_cpus: usize,
    /// Cores of two CPUs.
    cores: usize,
    /// What is known and not found, and why.
    misses: &'static [Miss],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Miss {
    /// Packages are undetermined, though there is one: its own costs are too far apart, or half
    /// of it stands apart.
    OnePackage,
    /// Two packages show, but a package with two clusters might cost the same.
    ClustersOrPackages,
    Caches(&'static str),
    /// Other groups are reported than those that share a last-level cache.
    OtherGroups(usize, &'static str),
    /// Not all siblings are found.
    Siblings(usize, &'static str),
}

use Miss::{Caches, ClustersOrPackages, OnePackage, OtherGroups, Siblings};

const fn known(
    name: &'static str,
    packages: Option<usize>,
    cache_cpus: usize,
    cores: usize,
    misses: &'static [Miss],
) -> Known {
    Known { name, packages, cache_cpus, cores, misses }
}

/// The cores of a cache are those of AMD's, Intel's, IBM's and Oracle's data sheets for the
/// processor, times the CPUs of a core in the matrix.
const MACHINES: &[Known] = &[
    known("AMD EPYC 74F3", Some(1), 6, 24, &[]),
    known("AMD EPYC 7773X 64-Core", Some(1), 16, 64, &[]),
    known("AMD EPYC 7773X by", Some(1), 16, 64, &[]),
    known("AMD EPYC 7R13", None, 16, 96, &[]),
    known("AMD EPYC 9754", Some(1), 8, 0, &[]),
    known(
        "AMD Ryzen 9 7950X 16-Core",
        Some(1),
        16,
        16,
        &[Siblings(15, "two CPUs of one core cost as much as cores do")],
    ),
    known(
        "AMD Ryzen 9 7950X by",
        Some(1),
        16,
        16,
        &[Siblings(15, "two CPUs of one core cost as much as cores do")],
    ),
    // Two dies, one with the memory: as two packages would look.
    known("AMD Ryzen Threadripper 1950X 16-Core", Some(1), 8, 16, &[OnePackage]),
    known("AMD Ryzen Threadripper 1950X by", Some(1), 8, 16, &[OnePackage]),
    known("AMD Ryzen Threadripper 3960X", Some(1), 6, 24, &[]),
    // Caches of one half of the die are 78 ns from each other, others 107.
    known("AMD Ryzen Threadripper PRO 3945WX", Some(1), 6, 12, &[OnePackage]),
    known("AWS Graviton2", Some(1), 64, 0, &[]),
    known("AWS Graviton3", Some(1), 64, 0, &[]),
    // Clusters of two and four cores; costs from 42 to 76 ns without a gap.
    known("Apple M1 Ultra", Some(1), 4, 0, &[OnePackage, Caches("no gap between clusters")]),
    known("Dual AMD EPYC 7302", None, 4, 32, &[]),
    known("Dual AMD EPYC 7702", None, 4, 0, &[]),
    known("Dual AMD EPYC 7742", None, 8, 128, &[]),
    known("Dual AMD EPYC 7763", Some(2), 16, 128, &[]),
    known("Dual AMD EPYC 9454", None, 12, 96, &[]),
    known("Dual AMD EPYC 9754", None, 16, 256, &[]),
    // The matrix holds one of the two packages.
    known(
        "Dual Ampere Altra",
        Some(1),
        80,
        0,
        &[OtherGroups(2, "the two cores of a mesh stop are half as far as others")],
    ),
    known("Dual IBM Power7", Some(2), 8, 0, &[]),
    known("Dual Intel Xeon E5 2620V2", Some(2), 12, 12, &[]),
    known("Dual Intel Xeon E5-2698v3", Some(2), 32, 32, &[]),
    known("Dual Intel Xeon Gold 6336Y", Some(2), 48, 48, &[]),
    known("Dual Intel Xeon Platinum 8358", Some(2), 32, 0, &[]),
    known("Dual Intel(R) Xeon Gold 6242", Some(2), 32, 32, &[]),
    known("Dual Intel(R) Xeon(R) CPU E5-2630 v4", Some(2), 20, 20, &[]),
    known("Dual Intel(R) Xeon(R) CPU E5-2680 v4", Some(2), 28, 28, &[]),
    known("Dual Intel(R) Xeon(R) CPU E5-2690 0", Some(2), 16, 16, &[ClustersOrPackages]),
    known("Dual Intel(R) Xeon(R) CPU X5650", Some(2), 12, 12, &[ClustersOrPackages]),
    known(
        "Dual Loongson 3B4000",
        None,
        4,
        0,
        &[Caches("a package is a cache group, and one of the two shows")],
    ),
    known("Dual Sun-Oracle SPARC T4", Some(2), 8, 0, &[]),
    // Not called dual by its name, but it has 36 cores, and the processor 18.
    known("Intel Xeon CPU E5-2695v4", Some(2), 18, 0, &[]),
    known("Intel Xeon E-2176M", Some(1), 12, 6, &[]),
    known("Intel Xeon E5-2697v3", Some(1), 14, 0, &[]),
    known("Intel Xeon W-2150B", Some(1), 20, 10, &[]),
    known("Intel Xeon W9-3475X", Some(1), 36, 0, &[]),
    known("Intel(R) Xeon Gold 6242", Some(1), 32, 16, &[]),
    known("Intel(R) Xeon Phi(TM) CPU 7210", Some(1), 2, 0, &[]),
    known("Intel(R) Xeon(R) CPU E5-2695 v4", Some(2), 36, 36, &[]),
    known("Intel(R) Xeon(R) Platinum 8275CL", Some(2), 48, 48, &[]),
    known("Intel(R) Xeon(R) Platinum 8375C", Some(2), 64, 64, &[]),
];

fn sizes(groups: &[CpuGroup]) -> Vec<usize> {
    groups.iter().map(|group| group.cpus.len()).collect()
}

#[test]
fn published_machines_match_their_vendors_data() {
    let Some(folder) = folder() else { return };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "csv"));
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        let Some(known) = MACHINES.iter().find(|known| name.starts_with(known.name)) else {
            wrong.push(format!("{name} is not in the table"));
            continue;
        };
        wrong.extend(faults(known, file).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(files.len() >= 43 && wrong.is_empty(), "{} files\n{}", files.len(), wrong.join("\n"));
}

/// Where what is found is neither what is known nor a miss that the table lists.
fn faults(known: &Known, file: &Path) -> Vec<String> {
    let matrix = PairMatrix::read(file).unwrap();
    let cpus = matrix.cpus.len();
    let found = who_shares(&matrix.costs, cpus, None);
    let misses = |wanted: fn(&Miss) -> bool| known.misses.iter().copied().find(wanted);
    let packages =
        match (known.packages, misses(|miss| matches!(miss, OnePackage | ClustersOrPackages))) {
            (None, _) | (_, Some(_)) => vec![],
            (Some(count), None) => vec![cpus / count; count],
        };
    let caches = match misses(|miss| matches!(miss, Caches(_) | OtherGroups(..))) {
        Some(Caches(_)) => vec![],
        Some(OtherGroups(other, _)) => vec![other; cpus / other],
        _ => vec![known.cache_cpus; cpus / known.cache_cpus],
    };
    let cores = match misses(|miss| matches!(miss, Siblings(..))) {
        Some(Siblings(found, _)) => found,
        _ => known.cores,
    };
    let mut faults = Vec::new();
    for (kind, found, wanted) in [
        ("packages", sizes(&found.packages), packages),
        ("cache groups", sizes(&found.cache_groups), caches),
        ("cores", sizes(&found.smt_pairs), vec![2; cores]),
    ] {
        if found != wanted {
            faults.push(format!("{kind} {found:?} are not {wanted:?}"));
        }
    }
    let groups = found.packages.iter().chain(&found.cache_groups);
    faults.extend(
        groups
            .filter(|group| group.support < 0.9)
            .map(|group| format!("{group:?} has little support")),
    );
    faults
}
