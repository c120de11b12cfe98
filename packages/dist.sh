# shellcheck shell=sh
dist() {
    ensure_rust
    ensure readelf binutils
    [ $# -gt 0 ] || set -- "$(dist_target x86_64)" "$(dist_target aarch64)"
    folder=$(target_dir)/dist
    mkdir -p "$folder"
    for target do
        needs_std "$target"
        gpu_helper "${target%%-*}" "$folder"
        log "building for $target"
        export NEARFAR_GPU_HELPER_BINARY="$helper"
        build_static "$target"
        unset NEARFAR_GPU_HELPER_BINARY
        cp "$(target_dir)/$target/release/nearfar" "$folder/nearfar-${target%%-*}"
    done
}
