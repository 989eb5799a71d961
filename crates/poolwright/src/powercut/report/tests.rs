use super::*;

fn run(synchronous: bool, lost: u64, dropped: u64) -> Run {
    Run {
        synchronous,
        problems: Vec::new(),
        hung: Vec::new(),
        states: vec![State {
            seed: 17,
            acknowledged: 100,
            unflushed: 9,
            dropped,
            lost,
            opened_s: Some(1.5),
            ..State::default()
        }],
    }
}

fn report(runs: [Run; 2]) -> Report {
    Report {
        lab: "demo".to_owned(),
        variant: "none".to_owned(),
        seed: 1,
        seconds: 6,
        zfs: true,
        written: Written::Blocks,
        server_crash: false,
        by_settings: Assessment::default(),
        dirty_data_max: 1 << 30,
        drive_faults: Vec::new(),
        scheduled_faults: false,
        runs: runs.into(),
    }
}

#[test]
fn a_check_that_cannot_fail_is_not_evidence() {
    let fine = report([run(true, 0, 5), run(false, 3, 5)]);
    assert!(fine.sound());
    assert!(fine.text().contains("the flushes protected the acknowledged ones"));
    let mut unread = report([run(true, 0, 5), run(false, 0, 5)]);
    let state = &mut unread.runs[1].states[0];
    (state.unusable, state.opened_s) = (Some("no such pool".to_owned()), None);
    assert!(!unread.sound(), "a control that was not looked at");
    unread.runs[1].states[0].opened_s = Some(1.5);
    assert!(unread.sound(), "a database that does not start has lost something");
    let mut idle = report([run(true, 0, 5), run(false, 3, 5)]);
    idle.runs[0].states[0].acknowledged = 0;
    assert!(!idle.sound());
    assert!(idle.text().contains("No write was acknowledged"));
    let proves_nothing = report([run(true, 0, 5), run(false, 0, 5)]);
    assert!(!proves_nothing.sound());
    assert!(proves_nothing.text().contains("so this proves nothing"));
    let protected = report([run(true, 0, 0), run(false, 3, 5)]);
    assert!(protected.text().contains("No drive lost a write"));
}

#[test]
fn no_loss_in_many_states_bounds_the_share_of_losing_ones() {
    let mut many = report([run(true, 0, 5), run(false, 3, 5)]);
    assert!(many.text().contains("1 states are too few"), "{}", many.text());
    many.runs[0].states = (0..300).flat_map(|_| run(true, 0, 5).states).collect();
    assert!(many.text().contains("at most 3/300 = 1.00 %"), "{}", many.text());
}

#[test]
fn database_faults_count_as_damage_and_lost_seconds_are_reported() {
    let mut broken = report([run(true, 4, 5), run(false, 3, 5)]);
    broken.written = Written::PostgresqlCommits;
    let state = &mut broken.runs[0].states[0];
    (state.lost_s, state.recovery_s) = (Some(0.25), Some(0.5));
    assert!(
        broken.text().contains("4 of 100 acknowledged commits lost, 0 corrupt, the last 0.250 s"),
        "{}",
        broken.text()
    );
    let state = &mut broken.runs[0].states[0];
    state.lost = 0;
    state.faults = vec!["pg_amcheck: index is broken".to_owned()];
    assert!(state.damaged());
    assert!(broken.text().contains("pg_amcheck: index is broken"));
}

#[test]
fn a_crash_of_the_server_says_nothing_of_drives_and_of_what_a_power_cut_loses() {
    let mut crash = report([run(true, 0, 0), run(false, 3, 0)]);
    (crash.written, crash.server_crash) = (Written::MysqlCommits, true);
    for state in crash.runs.iter_mut().flat_map(|run| &mut run.states) {
        (state.opened_s, state.recovery_s) = (None, Some(0.5));
    }
    assert!(crash.sound());
    let text = crash.text();
    assert!(text.contains("the server was killed; the operating system went on\n"), "{text}");
    assert!(text.contains("\n                   database recovery took 0.5 to 0.5 s\n"), "{text}");
    assert!(text.contains("1 states are too few for a bound on the share of crashes"), "{text}");
    for word in ["drives", "flushes", "expected from", "cut"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn work_of_less_than_a_millisecond_is_not_zero() {
    assert_eq!(
        (duration(0.000_231), duration(0.25)),
        ("0.000231 s".to_owned(), "0.250 s".to_owned())
    );
}

#[test]
fn a_losing_state_is_named_by_its_seed() {
    let broken = report([run(true, 2, 5), run(false, 3, 5)]);
    assert!(!broken.sound());
    let text = broken.text();
    assert!(text.contains("state 17, after 0.000 s of writing: 2 of 100"), "{text}");
    assert!(text.contains("In 1 of 1 states"), "{text}");
}

#[test]
fn a_rewound_pool_and_one_with_errors_are_damaged_and_a_forced_array_is_not() {
    let line = |opened, errors: Option<&str>| {
        let errors = errors.map(str::to_owned);
        let mut state = State::default();
        let found = Recovered { opened, opened_s: Some(2.0), errors, ..Recovered::default() };
        state.add(found, Kept::default());
        assert_eq!(state.opened_s, Some(2.0));
        state.damaged().then(|| state.line(Written::Blocks))
    };
    assert_eq!(line(Opened::Plain, None), None);
    assert_eq!(line(Opened::Forced, None), None);
    assert!(line(Opened::Rewound, None).unwrap().contains("zpool import -F"));
    assert!(line(Opened::Plain, Some("3 data errors")).unwrap().contains("3 data errors"));
}

#[test]
fn a_file_system_is_mounted_and_its_array_may_have_to_be_forced() {
    let mut forced = report([run(true, 0, 5), run(false, 3, 5)]);
    forced.zfs = false;
    forced.runs[0].states[0].opened = Opened::Forced;
    let text = forced.text();
    assert!(text.contains("mount took 1.5 to 1.5 s"), "{text}");
    assert!(text.contains("1 of the arrays could only be assembled with mdadm"), "{text}");
}

#[test]
fn what_a_state_that_cannot_be_used_acknowledged_does_not_count_as_checked() {
    let mut hung = report([run(true, 0, 5), run(false, 3, 5)]);
    let mut state = hung.runs[0].states[0].clone();
    state.unusable = Some("the machine did not end".to_owned());
    hung.runs[0].states.push(state);
    let text = hung.text();
    assert!(text.contains("2 crash states · 100 acknowledged blocks checked"), "{text}");
    assert!(
        text.contains("states whose data could not be read: 1; their acknowledged blocks"),
        "{text}"
    );
    assert!(!hung.sound());
}

#[test]
fn a_loss_that_was_found_before_a_scrub_that_failed_is_reported() {
    let state = State {
        acknowledged: 9,
        lost: 2,
        unusable: Some("zpool scrub did not end".to_owned()),
        opened_s: Some(1.0),
        ..State::default()
    };
    let line = state.line(Written::Blocks);
    assert!(line.contains("zpool scrub did not end; before that 2 of 9 acknowledged"), "{line}");
}

#[test]
fn a_state_whose_machine_took_too_long_is_neither_evidence_nor_damage() {
    let mut slow = report([run(true, 0, 5), run(false, 3, 5)]);
    slow.runs[0].hung = vec!["state 18: 600 s of real time".to_owned()];
    assert!(!slow.sound() && slow.unfinished());
    let text = slow.text();
    assert!(text.contains("not checked: state 18: 600 s of real time"), "{text}");
    assert!(text.contains("Not checked: 1 states") && text.contains("--replay SEED"), "{text}");
    let mut control = report([run(true, 0, 5), run(false, 3, 5)]);
    control.runs[1].hung = vec!["state 18".to_owned()];
    assert!(control.sound(), "the control has lost something");
    let mut lost = report([run(true, 2, 5), run(false, 3, 5)]);
    lost.runs[0].hung = vec!["state 18".to_owned()];
    assert!(!lost.sound() && !lost.unfinished(), "what was lost is known");
    slow.runs[0].states.clear();
    assert!(slow.text().contains("No crash state was checked"));
}

#[test]
fn a_bound_has_two_significant_digits_at_least() {
    for (states, share) in [(4, "75.00"), (1000, "0.30"), (2000, "0.15"), (20_000, "0.015")] {
        let text = confidence(states, "cuts");
        assert!(text.contains(&format!("at most 3/{states} = {share} % of")), "{text}");
    }
}

#[test]
fn states_that_recover_alike_are_counted() {
    let mut report = report([run(true, 0, 5), run(false, 3, 5)]);
    let one = report.runs[0].states.remove(0);
    let like = |read: &str| State { contents_read: Some(read.to_owned()), ..one.clone() };
    report.runs[0].states = vec![like("a"), like("b"), like("a"), one.clone(), one.clone()];
    let line = "recovery read different contents in 4 of them";
    assert!(report.text().contains(line), "{}", report.text());
    report.runs[0].states.remove(2);
    assert!(!report.text().contains("different contents"), "{}", report.text());
}
