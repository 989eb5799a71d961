# Runs in the shell of labs/drives.toml: a line a figure, with fio's operations a second, MiB a second and latency.
# The second drive of each kind (p-optane1) is in no pool.
figure() {
    drive=$1; shift
    fio --name="$drive" --filename="/dev/pw-p-$drive""1" --direct=1 --norandommap --randrepeat=0 \
        --group_reporting --percentile_list=50:99:99.999 --output-format=json --time_based "$@" 2>&1 |
    python3 -c '
import json, sys
text = sys.stdin.read()
if "{" not in text:
    sys.exit("fio said: " + text)
job = json.loads(text[text.index("{"):])["jobs"][0]
options = " ".join(a.lstrip("-") for a in sys.argv[2:])
for way in ("read", "write"):
    one = job[way]
    if one["total_ios"]:
        tail = one["clat_ns"]["percentile"]
        print(sys.argv[1], options, "%.0f IOPS, %.2f MiB/s, mean %.2f us, p99 %.2f, p99.999 %.2f" % (
            one["iops"], one["bw_bytes"] / 1048576, one["lat_ns"]["mean"] / 1e3,
            tail["99.000000"] / 1e3, tail["99.999000"] / 1e3))
' "$drive" "$@"
}
random="--rw=randread --bs=4k --ioengine=libaio"
# The simulated nearline drive
for depth in 1 2 4 8 16 32; do figure disk $random --iodepth=$depth --runtime=20; done
figure disk $random --iodepth=32 --size=10% --runtime=20
# At most one contiguous write and flush a revolution at 7200 rpm
figure disk --rw=write --bs=8k --ioengine=psync --fsync=1 --runtime=10
# AnandTech, P4800X review, page 4
for drive in intel micron optane; do
    figure $drive $random --iodepth=1 --runtime=200ms
    figure $drive $random --iodepth=16 --runtime=50ms
done
# ZJU mirror site, 8 x 1 MiB and 32 x 16 x 4 KiB outstanding. Behind an HBA the request queue of a disk has 256
# entries; with libata, as the machine has it, 64.
echo 256 > /sys/block/pw-p-zjuhdd1/queue/nr_requests
for rw in read write; do
    figure zjuhdd --rw=$rw --bs=1m --ioengine=libaio --iodepth=8 --runtime=4
    figure zjussd --rw=$rw --bs=1m --ioengine=libaio --iodepth=8 --runtime=2
    figure zjussd --rw=rand$rw --bs=4k --ioengine=libaio --iodepth=32 --numjobs=16 --runtime=1
    figure zjuhdd --rw=rand$rw --bs=4k --ioengine=libaio --iodepth=32 --numjobs=16 --runtime=40
done
# Samsung's data sheet, sustained
figure samsung --rw=randwrite --bs=4k --ioengine=libaio --iodepth=32 --ramp_time=500ms --runtime=500ms
# NVMe RAID article: random 8K reads through the card
figure card --rw=randread --bs=8k --ioengine=libaio --iodepth=64 --numjobs=8 --runtime=50ms
