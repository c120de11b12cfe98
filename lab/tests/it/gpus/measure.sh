# What copies of the described GPUs cost: a document for each. Each section of the output begins
# with '== name'.
export LD_LIBRARY_PATH=/lab/gpu NEARFAR_LAB_GPUS=/lab/gpu/gpus-2s.toml
export XDG_DATA_HOME=/tmp/kept
measure() {
    rm -rf /tmp/kept
    nearfar gpu "$@" --quick --seed 1 --no-samples >/dev/null 2>&1
    cat /tmp/kept/nearfar/gpu-*.json
}
