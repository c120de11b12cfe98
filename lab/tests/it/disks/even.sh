# What an even disk costs from each node, measured for as long as the first argument says.
nearfar io --irq near,far --depth 1 --budget "$1" --seed 1 --force --no-samples \
    -o /tmp/even.json /dev/vda >/dev/null 2>&1
echo "== document"
cat /tmp/even.json
