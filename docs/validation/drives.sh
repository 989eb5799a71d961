# Runs in the shell of labs/drives.toml: a line a figure, with fio's operations a second, MiB a second and latency.
# The second drive of each kind (p-optane1) is in no pool.
figure() {
    drive=$1; shift
    fio --name="$drive" --filename="/dev/pw-p-$drive""1" --direct=1 --norandommap --randrepeat=0 --randseed=1 \
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
        print(f"{sys.argv[1]:8} {options}: {one[\"iops\"]:.0f} IOPS, {one[\"bw_bytes\"] / 1048576:.2f} MiB/s, "
              f"mean {one[\"lat_ns\"][\"mean\"] / 1e3:.2f} us, p99 {tail[\"99.000000\"] / 1e3:.2f}, p99.999 {tail[\"99.999000\"] / 1e3:.2f}")
' "$drive" "$@"
}
random="--rw=randread --bs=4k --ioengine=libaio"
# AnandTech, P4800X review, page 4
for drive in optane intel micron; do
    figure $drive $random --iodepth=1 --runtime=3
    figure $drive $random --iodepth=16 --runtime=1
done
# Samsung's data sheet: sustained
figure samsung --rw=randwrite --bs=4k --ioengine=libaio --iodepth=32 --ramp_time=2 --runtime=2
# ZJU: CrystalDiskMark-like rows, 8 x 1 MiB and 32 x 16 of 4 KiB
for drive in zjussd zjuhdd; do
    for rw in read write; do
        figure $drive --rw=$rw --bs=1m --ioengine=libaio --iodepth=8 --runtime=4
        figure $drive --rw=rand$rw --bs=4k --ioengine=libaio --iodepth=32 --numjobs=16 --runtime=10
    done
done
# Simulated nearline drive
for depth in 1 2 4 8 16 32; do figure disk $random --iodepth=$depth --runtime=60; done
for depth in 1 32; do figure disk $random --iodepth=$depth --runtime=60 --size=10%; done
# At most one contiguous write and flush a revolution at 7200 rpm
figure disk --rw=write --bs=8k --ioengine=psync --fsync=1 --runtime=20
# NVMe RAID article: random 8K reads through the card
figure card --rw=randread --bs=8k --ioengine=libaio --iodepth=64 --numjobs=16 --runtime=0.2
