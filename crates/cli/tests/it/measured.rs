//! Documents that the command measured once, for all tests that look at what it made of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use nearfar_survey::Survey;
use serde_json::Value;

use crate::user::{User, own_cpus, success};

/// What one run of the command printed and kept.
pub(crate) struct Measured {
    /// The text on its stdout.
    pub(crate) screen: String,
    /// The file that it kept.
    kept: Vec<u8>,
}

// Budgets bound the time that these take on a busy machine, which leaves cells without figures
// then.

pub(crate) static THOROUGH: LazyLock<Measured> =
    LazyLock::new(|| Measured::by(&["survey", "--thorough", "--budget", "14s"]));

pub(crate) static BANDWIDTH: LazyLock<Measured> = LazyLock::new(|| {
    let kernels = ["--kernels", "read,nt-write", "--size", "4M", "--window", "2", "--windows", "2"];
    Measured::by(&[&["bandwidth", "--quick", "--budget", "6s"], &kernels[..]].concat())
});

pub(crate) static CACHES: LazyLock<Measured> =
    LazyLock::new(|| Measured::by(&["caches", "--quick", "--largest", "4M", "--budget", "5s"]));

pub(crate) static HIDDEN: LazyLock<Measured> =
    LazyLock::new(|| Measured::by(&["hidden", "--quick", "--budget", "8s", "--cpus", &two_cpus()]));

pub(crate) static LOADED: LazyLock<Measured> = LazyLock::new(|| {
    Measured::by(&["loaded", "--quick", "--size", "4M", "--points", "6", "--budget", "5s"])
});

pub(crate) static CORE_TO_CORE: LazyLock<Measured> = LazyLock::new(|| {
    Measured::by(&["core-to-core", "--quick", "--budget", "4s", "--cpus", &two_cpus()])
});

/// Two CPUs, so that what takes longer the more there are has time enough on any machine.
fn two_cpus() -> String {
    own_cpus().iter().take(2).map(u32::to_string).collect::<Vec<_>>().join(",")
}

impl Measured {
    fn by(args: &[&str]) -> Self {
        let user = User::new();
        let file = user.folder().join("kept.json");
        let keep = ["--seed", "7", "-o", file.to_str().expect("UTF-8")];
        let screen = success(&user.measure(&[args, &keep].concat()));
        // The last line also names the file, and may wrap before it.
        let (verdict, _) = screen.split_once("; saved as").expect("the file");
        let screen = verdict.to_owned() + "\n";
        Self { screen, kept: std::fs::read(file).expect("a kept document") }
    }

    /// The document as JSON.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_slice(&self.kept).expect("JSON")
    }

    /// The document as the library reads it.
    pub(crate) fn survey(&self) -> Survey {
        let user = User::new();
        nearfar_survey::read(user.write("kept.json", &self.kept).as_ref()).expect("a survey")
    }

    /// The document in a file of this user.
    pub(crate) fn file_of(&self, user: &User) -> String {
        user.write("kept.json", &self.kept)
    }

    /// What `nearfar show` prints of it.
    pub(crate) fn shown(&self, options: &[&str]) -> String {
        let user = User::new();
        let file = self.file_of(&user);
        success(&user.run(&[&["show", &file], options].concat()))
    }
}

/// A recorded survey by several instruments, for texts that need figures.
pub(crate) const RECORDED: &str = include_str!("../../../report/tests/golden/several.json");

/// What `nearfar show` prints of the recorded survey.
pub(crate) fn shown_of_recorded(options: &[&str]) -> String {
    let user = User::new();
    let file = user.write("recorded.json", RECORDED);
    success(&user.run(&[&["show", &file], options].concat()))
}

/// Each cell of a part has its figures in order, or a reason why it has none.
pub(crate) fn assert_cells_are_consistent(part: &Value) {
    let cells = part["cells"].as_array().expect("cells");
    for cell in cells {
        let Some(median) = cell["median"].as_f64() else {
            assert!(cell["why"].is_string() && cell["q25"].is_null(), "{cell}");
            continue;
        };
        assert!(cell["why"].is_null() && cell["samples"].as_u64() > Some(0), "{cell}");
        let q25 = cell["q25"].as_f64().expect("a quartile beside the median");
        assert!(0.0 < q25 && q25 <= median && median.is_finite(), "{cell}");
        if let Some(ci95) = cell["ci95"].as_array() {
            let [low, high] = [0, 1].map(|side| ci95[side].as_f64().expect("a bound"));
            assert!(low <= median && median <= high, "{cell}");
        }
    }
}

/// A document warns where a tenth of a part's attempts or more were dropped for one reason.
pub(crate) fn assert_drops_are_warned_of(document: &Value, part: &str) {
    let mut by_reason: BTreeMap<&str, u64> = BTreeMap::new();
    for cell in document[part]["cells"].as_array().expect("cells") {
        for (reason, count) in cell["dropped"].as_object().expect("reasons") {
            *by_reason.entry(reason).or_default() += count.as_u64().expect("a count");
        }
    }
    let readings = document[part]["samples"]["data"].as_array().map_or(0, Vec::len) as u64;
    let attempts = readings + by_reason.values().sum::<u64>();
    for (reason, count) in by_reason {
        let is_warned = warnings(document).contains(&format!("dropped-{reason}").as_str());
        assert!(is_warned || 10 * count < attempts, "{reason}: {count} of {attempts}");
    }
}

/// The codes of a document's warnings.
pub(crate) fn warnings(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().expect("warnings").iter();
    warnings.map(|warning| warning["code"].as_str().expect("a code")).collect()
}
