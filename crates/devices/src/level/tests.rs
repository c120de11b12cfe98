use super::*;
use crate::testing::path;

fn level(a: &str, b: &str) -> Option<Level> {
    path_level(&path(a), &path(b))
}

#[test]
fn levels_follow_the_meeting_point() {
    // A switch: upstream port 02:00.0, downstream ports 03:00.0 and 03:01.0.
    let first = "pci0000:00 0000:00:01.0 0000:02:00.0 0000:03:00.0";
    let second = "pci0000:00 0000:00:01.0 0000:02:00.0 0000:03:01.0";
    assert_eq!(level(first, second), Some(Level::Pix));
    // Functions of one card.
    assert_eq!(level(first, first), Some(Level::Pix));
    // A second switch below the first.
    let below = "pci0000:00 0000:00:01.0 0000:02:00.0 0000:03:01.0 0000:05:00.0 0000:06:00.0";
    assert_eq!(level(first, below), Some(Level::Pxb));
    assert_eq!(level(first, "pci0000:00 0000:00:02.0"), Some(Level::Phb));
    assert_eq!(level(first, "pci0000:00"), Some(Level::Phb));
    assert_eq!(level(first, "pci0000:80 0000:80:01.0"), None);
}

#[test]
fn equal_bus_numbers_of_two_domains_are_two_buses() {
    assert_eq!(level("pci0000:00 0000:00:01.0", "pci0001:00 0001:00:01.0"), None);
    assert_eq!(level("pci10000:00 10000:00:01.0", "pci0000:00 0000:00:01.0"), None);
}

#[test]
fn paths_without_root_bus_have_no_level() {
    assert_eq!(level("0000:00:01.0", "0000:00:01.0"), None);
    assert_eq!(level("", ""), None);
    let between = |one, two| Level::between((&path(""), one), (&path("pci0000:00"), two));
    assert_eq!(between(None, Some(NodeId(0))), Level::Unknown);
    // Whether they share a root bus is unknown; different nodes they cannot share.
    assert_eq!(between(Some(NodeId(0)), Some(NodeId(0))), Level::Unknown);
    assert_eq!(between(Some(NodeId(1)), Some(NodeId(0))), Level::Sys);
}

#[test]
fn other_root_buses_compare_nodes() {
    let (a, b) = (path("pci0000:00"), path("pci0000:80"));
    let between = |one, two| Level::between((&a, one), (&b, two));
    assert_eq!(between(Some(NodeId(0)), Some(NodeId(0))), Level::Node);
    assert_eq!(between(Some(NodeId(0)), Some(NodeId(1))), Level::Sys);
    assert_eq!(between(Some(NodeId(0)), None), Level::Unknown);
}

#[test]
fn words_are_those_of_nvidia_smi() {
    for word in ["X", "NV18", "XGMI", "XGMI4", "XGMI-2H", "PIX", "PXB", "PHB", "NODE", "SYS", "N/A"]
    {
        let level: Level = serde_json::from_value(word.into()).unwrap();
        assert_eq!(level.to_string(), word);
    }
    assert_eq!(Level::from_smi("SOC"), Some(Level::Sys));
    for word in ["NVx", "XGMIx", "XGMI-H", "XGMI-2"] {
        assert!(serde_json::from_value::<Level>(word.into()).is_err(), "{word}");
    }
}

#[test]
fn xgmi_links_are_direct_or_over_others() {
    let link = |weight, max_mb_s, min_mb_s| {
        let link = KfdLink { to: 1, is_xgmi: true, weight, min_mb_s, max_mb_s };
        Level::from_xgmi(&link).to_string()
    };
    for (weight, max, min, word) in [
        (Some(15), Some(200_000), Some(50_000), "XGMI4"),
        (Some(15), Some(50_000), Some(50_000), "XGMI1"),
        (Some(15), Some(64_000), None, "XGMI"),
        (Some(15), None, Some(50_000), "XGMI"),
        (Some(15), Some(70_000), Some(50_000), "XGMI"),
        (Some(30), None, Some(50_000), "XGMI-2H"),
        (Some(45), Some(50_000), Some(50_000), "XGMI-3H"),
        (Some(20), Some(50_000), Some(50_000), "XGMI"),
        (Some(0), None, None, "XGMI"),
        (None, Some(50_000), Some(50_000), "XGMI"),
    ] {
        assert_eq!(link(weight, max, min), word, "{weight:?} {max:?} {min:?}");
    }
}
