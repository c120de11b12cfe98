//! AVX-512: the line is zmm0, the sum zmm1, the key zmm7.

macro_rules! set_up {
    () => {
        "vpbroadcastq zmm7, {key}\n vmovdqa64 zmm0, zmm7\n vpxorq zmm1, zmm1, zmm1"
    };
}

macro_rules! load {
    ($($at:literal),+) => { concat!("vmovdqa64 zmm0, [", $($at),+, "]\n") };
}

macro_rules! store {
    ($($at:literal),+) => { concat!("vmovdqa64 [", $($at),+, "], zmm0\n") };
}

macro_rules! store_past {
    ($($at:literal),+) => { concat!("vmovntdq [", $($at),+, "], zmm0\n") };
}

macro_rules! sum {
    ($($at:literal),+) => { concat!("vpxorq zmm1, zmm1, [", $($at),+, "]\n") };
}

macro_rules! sum_line {
    () => {
        "vpxorq zmm1, zmm1, zmm0\n"
    };
}

macro_rules! flip {
    () => {
        "vpxorq zmm0, zmm0, zmm7\n"
    };
}

macro_rules! scale {
    () => {
        "vmulpd zmm0, zmm0, zmm7\n"
    };
}

macro_rules! add {
    ($($at:literal),+) => { concat!("vaddpd zmm0, zmm0, [", $($at),+, "]\n") };
}

macro_rules! finish {
    () => {
        "vmovdqu64 [{sum}], zmm1\n vzeroupper"
    };
}

define_loops!();
