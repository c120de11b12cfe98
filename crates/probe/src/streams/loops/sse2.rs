//! SSE2: the line is xmm0 to xmm3, the sum xmm4 to xmm7, the key xmm8.

macro_rules! set_up {
    () => {
        "movq xmm8, {key}
        punpcklqdq xmm8, xmm8
        movdqa xmm0, xmm8
        movdqa xmm1, xmm8
        movdqa xmm2, xmm8
        movdqa xmm3, xmm8
        pxor xmm4, xmm4
        pxor xmm5, xmm5
        pxor xmm6, xmm6
        pxor xmm7, xmm7"
    };
}

macro_rules! load {
    ($($at:literal),+) => {
        concat!(
            "movdqa xmm0, [", $($at),+, "]\n movdqa xmm1, [", $($at),+, " + 16]\n",
            "movdqa xmm2, [", $($at),+, " + 32]\n movdqa xmm3, [", $($at),+, " + 48]\n",
        )
    };
}

macro_rules! store {
    ($($at:literal),+) => {
        concat!(
            "movdqa [", $($at),+, "], xmm0\n movdqa [", $($at),+, " + 16], xmm1\n",
            "movdqa [", $($at),+, " + 32], xmm2\n movdqa [", $($at),+, " + 48], xmm3\n",
        )
    };
}

macro_rules! store_past {
    ($($at:literal),+) => {
        concat!(
            "movntdq [", $($at),+, "], xmm0\n movntdq [", $($at),+, " + 16], xmm1\n",
            "movntdq [", $($at),+, " + 32], xmm2\n movntdq [", $($at),+, " + 48], xmm3\n",
        )
    };
}

macro_rules! sum {
    ($($at:literal),+) => {
        concat!(
            "pxor xmm4, [", $($at),+, "]\n pxor xmm5, [", $($at),+, " + 16]\n",
            "pxor xmm6, [", $($at),+, " + 32]\n pxor xmm7, [", $($at),+, " + 48]\n",
        )
    };
}

macro_rules! sum_line {
    () => {
        "pxor xmm4, xmm0\n pxor xmm5, xmm1\n pxor xmm6, xmm2\n pxor xmm7, xmm3\n"
    };
}

macro_rules! flip {
    () => {
        "pxor xmm0, xmm8\n pxor xmm1, xmm8\n pxor xmm2, xmm8\n pxor xmm3, xmm8\n"
    };
}

macro_rules! scale {
    () => {
        "mulpd xmm0, xmm8\n mulpd xmm1, xmm8\n mulpd xmm2, xmm8\n mulpd xmm3, xmm8\n"
    };
}

macro_rules! add {
    ($($at:literal),+) => {
        concat!(
            "addpd xmm0, [", $($at),+, "]\n addpd xmm1, [", $($at),+, " + 16]\n",
            "addpd xmm2, [", $($at),+, " + 32]\n addpd xmm3, [", $($at),+, " + 48]\n",
        )
    };
}

macro_rules! finish {
    () => {
        "movdqu [{sum}], xmm4\n movdqu [{sum} + 16], xmm5\n movdqu [{sum} + 32], xmm6\n movdqu \
         [{sum} + 48], xmm7"
    };
}

define_loops!();
