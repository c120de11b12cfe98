//! AVX2: the line is ymm0 and ymm1, the sum ymm2 and ymm3, the key ymm7.

macro_rules! set_up {
    () => {
        "vmovq xmm7, {key}
        vpbroadcastq ymm7, xmm7
        vmovdqa ymm0, ymm7
        vmovdqa ymm1, ymm7
        vpxor ymm2, ymm2, ymm2
        vpxor ymm3, ymm3, ymm3"
    };
}

macro_rules! load {
    ($($at:literal),+) => {
        concat!("vmovdqa ymm0, [", $($at),+, "]\n vmovdqa ymm1, [", $($at),+, " + 32]\n")
    };
}

macro_rules! store {
    ($($at:literal),+) => {
        concat!("vmovdqa [", $($at),+, "], ymm0\n vmovdqa [", $($at),+, " + 32], ymm1\n")
    };
}

macro_rules! store_past {
    ($($at:literal),+) => {
        concat!("vmovntdq [", $($at),+, "], ymm0\n vmovntdq [", $($at),+, " + 32], ymm1\n")
    };
}

macro_rules! sum {
    ($($at:literal),+) => {
        concat!("vpxor ymm2, ymm2, [", $($at),+, "]\n vpxor ymm3, ymm3, [", $($at),+, " + 32]\n")
    };
}

macro_rules! sum_line {
    () => {
        "vpxor ymm2, ymm2, ymm0\n vpxor ymm3, ymm3, ymm1\n"
    };
}

macro_rules! flip {
    () => {
        "vpxor ymm0, ymm0, ymm7\n vpxor ymm1, ymm1, ymm7\n"
    };
}

macro_rules! scale {
    () => {
        "vmulpd ymm0, ymm0, ymm7\n vmulpd ymm1, ymm1, ymm7\n"
    };
}

macro_rules! add {
    ($($at:literal),+) => {
        concat!("vaddpd ymm0, ymm0, [", $($at),+, "]\n vaddpd ymm1, ymm1, [", $($at),+, " + 32]\n")
    };
}

macro_rules! finish {
    () => {
        "vmovdqu [{sum}], ymm2\n vmovdqu [{sum} + 32], ymm3\n vzeroupper"
    };
}

define_loops!();
