//! Many numbers in few characters: APIC ids, MPIDRs, offsets.

/// Characters of a list; a longer one is cut and counted.
const LONGEST: usize = 48;

/// "0-7,16-23": numbers in order, each once.
pub(super) fn decimal(numbers: impl IntoIterator<Item = u64>) -> String {
    text(numbers, |number| number.to_string())
}

/// "0x0-0x3,0x100-0x103".
pub(super) fn hexadecimal(numbers: impl IntoIterator<Item = u64>) -> String {
    text(numbers, |number| format!("{number:#x}"))
}

fn text(numbers: impl IntoIterator<Item = u64>, write: fn(u64) -> String) -> String {
    let mut numbers: Vec<u64> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut text = String::new();
    for run in numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        let (first, last) = (run[0], run[run.len() - 1]);
        let piece =
            if first == last { write(first) } else { format!("{}-{}", write(first), write(last)) };
        if text.len() + piece.len() > LONGEST {
            return format!(
                "{text},... {}",
                numbers.last().copied().map(write).unwrap_or_default()
            );
        }
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&piece);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_joined_and_repeats_left_out() {
        assert_eq!(decimal([3, 1, 2, 2, 7, 0]), "0-3,7");
        assert_eq!(hexadecimal([0x100, 0x101, u64::MAX]), "0x100-0x101,0xffffffffffffffff");
        assert_eq!(decimal([]), "");
    }

    #[test]
    fn long_lists_are_cut_and_end_in_their_last() {
        let odd = decimal((0..200).map(|number| number * 2));
        assert!(odd.starts_with("0,2,4,6,") && odd.ends_with(",... 398"), "{odd}");
        assert!(odd.len() < 60);
    }
}
