# A disk that cannot refuse to wait: its table has a second kind of target, in a half block at the
# end that no read reaches. The rest is vdb.
export DM_DISABLE_UDEV=1
mkdir -p /dev/mapper
printf '0 1048568 linear /dev/vdb 0\n1048568 4 error\n' | dmsetup create waiting
nearfar io --depth 1 --quick --budget 25s --seed 1 --force --no-samples -o /tmp/waiting.json \
    /dev/mapper/waiting >/dev/null 2>&1
echo "== document"
cat /tmp/waiting.json
