# What copies of the described GPUs cost: a document for each. Each section of the output begins
# with '== name'.
export LD_LIBRARY_PATH=/lab/gpu NEARFAR_LAB_GPUS=/lab/gpu/gpus-2s.gpus.toml
measure() {
    nearfar gpu "$@" --quick --seed 1 --force --no-samples -o /tmp/gpu.json >/dev/null 2>&1
    cat /tmp/gpu.json
}
