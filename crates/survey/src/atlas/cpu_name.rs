//! Names of CPUs as vendors, kernels and sources write them, reduced to what they share.

/// Words that models share.
const NOISE: [&str; 3] = ["cpu", "processor", "0"];

/// "intel xeon e5-2630 v4" of "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz".
pub(crate) fn plain(name: &str) -> String {
    let mut text = name.to_lowercase();
    for mark in ["(r)", "(tm)"] {
        text = text.replace(mark, " ");
    }
    let end = text.find(['@', '(', ',']).unwrap_or(text.len());
    let words = text[..end].split_whitespace();
    let kept = words.filter(|word| !NOISE.contains(word) && !word.ends_with("-core"));
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_and_sources_name_the_same_model() {
        for (kernel, source) in [
            ("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", "Intel Xeon E5-2630 v4"),
            ("Intel(R) Xeon(R) CPU E5-2680 0 @ 2.70GHz", "Intel Xeon E5-2680"),
            ("Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz", "Intel Xeon Platinum 8280"),
            ("AMD EPYC 7742 64-Core Processor", "AMD EPYC 7742"),
            ("Hygon C86 7280 32-core Processor", "Hygon C86 7280"),
            ("INTEL(R) XEON(R) PLATINUM 8480+", "Intel Xeon Platinum 8480+"),
        ] {
            assert_eq!(plain(kernel), plain(source));
        }
        assert_ne!(plain("AMD EPYC 7742 64-Core Processor"), plain("AMD EPYC 7702"));
    }
}
