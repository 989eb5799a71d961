//! What a drive answers from its memory.

mod common;
mod host;

use common::{capacity, profile};
use drives::closed_loop::{ClosedLoop, Pattern};
use drives::{Op, Profile};
use host::Host;

/// Sends a request and goes on until it is done; how long it took, ms.
fn request(host: &mut Host, op: Op, offset: u64, length: u64) -> f64 {
    let since = host.now;
    let tag = host.send(op, offset, length);
    while !host.step().iter().any(|completion| completion.tag == tag) {}
    (host.now - since) as f64 / 1e6
}

/// The middle of a drive.
fn middle(profile: &Profile) -> u64 {
    (capacity(profile) / 2).next_multiple_of(1 << 20)
}

#[test]
fn a_card_serves_what_it_destages_from_its_cache() {
    let card = profile("raid0-12x4t");
    let mut host = Host::new(&card);
    request(&mut host, Op::Write, middle(&card), 4096);
    let took = request(&mut host, Op::Read, middle(&card), 4096);
    assert!(took < 0.2, "{took} ms");
}

#[test]
fn a_card_serves_a_read_across_rows_from_its_write_cache() {
    let card = profile("raid0-12x4t");
    let numbers = card.card.as_ref().expect("a card");
    let row = (numbers.members.whole() * numbers.strip_kib.whole()) << 10;
    let mut host = Host::new(&card);
    let edge = middle(&card) / row * row;
    request(&mut host, Op::Write, edge - 8192, 8192);
    request(&mut host, Op::Write, edge, 8192);
    let took = request(&mut host, Op::Read, edge - 8192, 16384);
    assert!(took < 0.2, "{took} ms");
}

/// Requests that divide the read-ahead, and a half more, which lie across its ends.
#[test]
fn a_cards_read_ahead_serves_requests_of_any_length() {
    let card = profile("raid0-12x4t");
    let rate = |kib: u64| {
        let stream = ClosedLoop {
            pattern: Pattern::Sequential,
            length: kib << 10,
            span: 1 << 40,
            requests: (512 << 10) / kib,
            ..ClosedLoop::default()
        };
        let size = capacity(&card);
        stream.run(card.drive(size, size, 1).as_mut()).bytes_per_second / 1e6
    };
    for kib in [64, 128, 256, 512] {
        let (dividing, other) = (rate(kib), rate(kib + kib / 2));
        assert!(
            other > 0.95 * dividing,
            "{kib} KiB: {dividing:.0}, one and a half {other:.0} MB/s"
        );
    }
}

/// Two writes of 1 MiB are not joined in the buffer, since their extent would be too long.
#[test]
fn a_disk_serves_a_read_across_two_buffered_writes_from_its_buffer() {
    const MIB: u64 = 1 << 20;
    let disk = profile("hdd-7200-8t");
    let mut host = Host::new(&disk);
    // Keeps the arm from the buffer.
    for i in 0..20 {
        host.send(Op::Read, (i * 7919 % 20) * (capacity(&disk) / 20) / 4096 * 4096, 4096);
    }
    request(&mut host, Op::Write, middle(&disk), MIB);
    request(&mut host, Op::Write, middle(&disk) + MIB, MIB);
    let took = request(&mut host, Op::Read, middle(&disk) + MIB - 32_768, 65_536);
    assert!(took < 1.0, "{took} ms");
}
