# shellcheck shell=sh
# The image of a release: an OCI layout in a tar, of one layer with one program, without a daemon.
# Part of ./dev, through packages/dist.sh. https://github.com/opencontainers/image-spec

# dist_image: of $arch.
dist_image() {
    case $arch in
        x86_64) goarch=amd64 ;;
        aarch64) goarch=arm64 ;;
    esac
    image=$(target_dir)/packages/image-$arch
    rm -rf "$image"
    mkdir -p "$image/root/data" "$image/root/tmp" "$image/blobs/sha256"
    install -D "$folder/nearfar-$arch" "$image/root/usr/bin/nearfar"
    install -Dm 644 -t "$image/root/usr/share/doc/nearfar" "$folder/THIRD-PARTY" LICENSE-APACHE \
        LICENSE-MIT
    same_stamps "$image/root"
    chmod 1777 "$image/root/data" "$image/root/tmp"
    reproducible_tar "$image/root" >"$image/layer.tar"
    layer_sum=$(digest "$image/layer.tar")
    gzip -n9 "$image/layer.tar"
    blob application/vnd.oci.image.layer.v1.tar+gzip "$image/layer.tar.gz"
    layer=$descriptor
    image_config >"$image/config.json"
    blob application/vnd.oci.image.config.v1+json "$image/config.json"
    printf '{"schemaVersion":2,"mediaType":"%s","config":%s,"layers":[%s]}' \
        application/vnd.oci.image.manifest.v1+json "$descriptor" "$layer" >"$image/manifest.json"
    blob application/vnd.oci.image.manifest.v1+json "$image/manifest.json"
    printf '{"schemaVersion":2,"manifests":[%s,"annotations":{"%s":"%s"}}]}' \
        "${descriptor%\}}" org.opencontainers.image.ref.name "nearfar:$version" >"$image/index.json"
    printf '{"imageLayoutVersion":"1.0.0"}' >"$image/oci-layout"
    rm -r "$image/root"
    same_stamps "$image"
    reproducible_tar "$image" >"$folder/nearfar-$version-oci-$arch.tar"
}

image_config() {
    created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
    cat <<JSON
{"created":"$created","architecture":"$goarch","os":"linux",
"config":{"Entrypoint":["/usr/bin/nearfar"],"Cmd":["survey"],"WorkingDir":"/data",
"Env":["HOME=/data","PATH=/usr/bin"],
"Labels":{"org.opencontainers.image.title":"nearfar",
"org.opencontainers.image.version":"$version","org.opencontainers.image.revision":"$commit",
"org.opencontainers.image.source":"$(metadata repository)",
"org.opencontainers.image.licenses":"$(licence_of_command)"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$layer_sum"]},
"history":[{"created":"$created","created_by":"./dev dist"}]}
JSON
}

# image_index "DESTINATION..." PODMAN...: pushes the images of all architectures as one, by this
# podman. target/index.digest is its checksum.
image_index() {
    destinations=$1
    shift
    "$@" manifest create nearfar-index
    for image in "$folder"/nearfar-"$version"-oci-*.tar; do
        "$@" manifest add nearfar-index "oci-archive:$image"
    done
    for destination in $destinations; do
        "$@" manifest push --all --digestfile "$(target_dir)/index.digest" nearfar-index \
            "$destination"
    done
    "$@" manifest rm nearfar-index
}

# blob TYPE FILE: moves it among the blobs. Sets $descriptor.
blob() {
    sum=$(digest "$2")
    descriptor=$(printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' \
        "$1" "$sum" "$(stat -c %s "$2")")
    mv "$2" "$image/blobs/sha256/$sum"
}

digest() { sha256sum "$1" | cut -d' ' -f1; }

# reproducible_tar FOLDER: its content in the order of the names.
reproducible_tar() {
    tar -C "$1" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" -cf - .
}
