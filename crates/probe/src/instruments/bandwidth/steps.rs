//! How many threads at a time: a curve over their number, close where it bends and wide where it is flat.

/// Numbers of threads to try in a group of so many CPUs: each about a third more than the one before, the last all of them.
pub fn thread_steps(cpus: usize) -> Vec<usize> {
    let mut steps = Vec::new();
    let mut next = 1;
    while next < cpus {
        steps.push(next);
        next = (next * 4).div_ceil(3).max(next + 1);
    }
    steps.extend((cpus > 0).then_some(cpus));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_with_one_and_end_with_all() {
        assert_eq!(thread_steps(1), [1]);
        assert_eq!(thread_steps(2), [1, 2]);
        assert_eq!(thread_steps(16), [1, 2, 3, 4, 6, 8, 11, 15, 16]);
        assert!(thread_steps(0).is_empty());
    }

    #[test]
    fn a_large_group_has_few_steps() {
        assert!(thread_steps(256).len() <= 20, "{:?}", thread_steps(256));
    }
}
