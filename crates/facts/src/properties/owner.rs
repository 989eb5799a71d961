//! Which rows are a pool's and which a dataset's: both programs print the same table.

use super::Property;
use crate::{Problem, is_digits};
use std::collections::BTreeMap;
use zfs::property::{dataset, pool};

/// What a property belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A pool (`zpool get`).
    Pool,
    /// A dataset or snapshot (`zfs get`).
    Dataset,
}

/// Properties of the tables of settable ones that something else has, too: pools (`version`, `readonly`) or vdevs
/// (`comment`).
const SHARED: [&str; 3] = ["version", "readonly", "comment"];

/// Properties that pools report, and neither datasets nor vdevs.
const OF_POOL: [&str; 10] = [
    "health", "bootfs", "checkpoint", "load_guid", "dedupratio", "dedupditto", "freeing", "leaked",
    "maxblocksize", "maxdnodesize",
];

/// Properties that pools and vdevs have, and datasets have not.
const OF_POOL_OR_VDEV: [&str; 7] =
    ["ashift", "size", "capacity", "allocated", "free", "fragmentation", "expandsize"];

/// Properties that only vdevs have.
const OF_VDEV: [&str; 12] = [
    "asize", "psize", "parity", "state", "path", "devid", "physpath", "numchildren", "read_errors",
    "checksum_errors", "allocating", "trim_support",
];

/// Properties that only datasets report.
const OF_DATASET: [&str; 9] = [
    "type", "creation", "used", "available", "referenced", "compressratio", "mounted", "volsize",
    "volblocksize",
];

/// How names of vdevs begin that no pool may have.
const RESERVED: [&str; 4] = ["mirror", "raidz", "draid", "spare"];

/// Names of vdevs with a number.
const NUMBERED: [&str; 3] = ["replacing-", "indirect-", "root-"];

/// Whether a name can only be a vdev's.
fn names_vdev(target: &str) -> bool {
    let numbered = |name: &str| target.strip_prefix(name).is_some_and(is_digits);
    target.starts_with('/')
        || RESERVED.iter().any(|name| target.starts_with(name) && !target.contains('/'))
        || NUMBERED.iter().any(|name| numbered(name))
}

/// What a property alone says of its owner.
fn proven(row: &Property) -> Option<Owner> {
    let name = row.name.as_str();
    let feature = name.starts_with("feature@") || name.starts_with("unsupported@");
    let settable = |table: &[zfs::property::Property]| {
        !SHARED.contains(&name) && table.iter().any(|property| property.name == name)
    };
    if OF_DATASET.contains(&name) || settable(&dataset::TABLE) {
        Some(Owner::Dataset)
    } else if feature
        || OF_POOL.contains(&name)
        || OF_POOL_OR_VDEV.contains(&name)
        || settable(&pool::TABLE)
    {
        Some(Owner::Pool)
    } else {
        None
    }
}

/// Whether rows of one target can only be a pool's or a dataset's.
fn is_other(target: &str, rows: &[&Property]) -> bool {
    let other = |row: &&Property| {
        let shared = OF_POOL_OR_VDEV.contains(&row.name.as_str());
        !shared && proven(row).is_some()
    };
    target.contains(['/', '@', '#']) || rows.iter().any(other)
}

/// The ashift of each vdev in a table, as properties of the table's pool; none where it has not one pool.
fn ashifts(table: &[Property], vdevs: &[String]) -> Vec<Property> {
    let mut pools = table.iter().filter(|row| !vdevs.contains(&row.target)).map(|row| &row.target);
    let Some(pool) = pools.next().filter(|first| pools.all(|other| other == *first)) else {
        return Vec::new();
    };
    // The root vdev has 0.
    let of_vdev = |row: &&Property| {
        row.name == "ashift" && vdevs.contains(&row.target) && row.value.value != "0"
    };
    let own = |row: &Property| Property {
        target: pool.clone(),
        owner: Owner::Pool,
        vdev: Some(row.target.clone()),
        ..row.clone()
    };
    table.iter().filter(of_vdev).map(own).collect()
}

/// Gives each row its owner, table by table and target by target, and leaves the rows of vdevs out, but for their
/// ashift. `tables`: the first row of each, and the number of rows.
pub(super) fn decide(rows: &mut Vec<Property>, tables: &[usize]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut kept = Vec::new();
    for bounds in tables.windows(2) {
        let table = &rows[bounds[0]..bounds[1]];
        let vdevs = vdevs(table);
        let read = ashifts(table, &vdevs);
        let unread = |row: &&Property| {
            vdevs.contains(&row.target) && (read.is_empty() || row.name != "ashift")
        };
        if let Some(first) = table.iter().find(unread) {
            let names = crate::excerpt(&vdevs.join(", "));
            let except = if read.is_empty() { "" } else { " except ashift" };
            let what = format!("properties of vdevs are not read{except}: {names}");
            problems.push(Problem::new(first.value.line, what));
        }
        let own = table.iter().filter(|row| !vdevs.contains(&row.target));
        kept.extend(with_owners(own.cloned().collect()));
        kept.extend(read);
    }
    *rows = kept;
    problems
}

/// The targets of a table that are vdevs. `zpool get all POOL all-vdevs` lists them with their drives, whose names
/// prove nothing.
fn vdevs(table: &[Property]) -> Vec<String> {
    let mut targets: BTreeMap<&str, Vec<&Property>> = BTreeMap::new();
    for row in table {
        targets.entry(&row.target).or_default().push(row);
    }
    let own = |row: &&Property| OF_VDEV.contains(&row.name.as_str());
    let listed = targets.iter().any(|(target, rows)| names_vdev(target) || rows.iter().any(own));
    let proven = targets.iter().any(|(target, rows)| is_other(target, rows));
    // The table begins with its pool, which proves nothing of itself in `zpool get ashift POOL all-vdevs`.
    let pool = table.first().map(|row| row.target.as_str()).filter(|_| !proven);
    let vdev = |target: &str, rows: &[&Property]| {
        let is_pool = pool == Some(target) && !rows.iter().any(own);
        names_vdev(target) || (listed && !is_pool && !is_other(target, rows))
    };
    let found = targets.iter().filter(|(target, rows)| vdev(target, rows));
    found.map(|(target, _)| (*target).to_string()).collect()
}

/// Rows with their owners. A pool and its root dataset have one name: a property that proves nothing belongs to what
/// the rows of its target before it belong to, or else those after it.
fn with_owners(mut rows: Vec<Property>) -> Vec<Property> {
    // What holds for a target so far: at first, what its first proof says.
    let mut known: BTreeMap<String, Owner> = BTreeMap::new();
    for row in rows.iter().rev() {
        if let Some(owner) = proven(row) {
            known.insert(row.target.clone(), owner);
        }
    }
    for row in &mut rows {
        if row.target.contains(['/', '@', '#']) {
            row.owner = Owner::Dataset;
            continue;
        }
        if let Some(owner) = proven(row) {
            known.insert(row.target.clone(), owner);
        }
        row.owner = known.get(&row.target).copied().unwrap_or(Owner::Dataset);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn owners(text: &str) -> Vec<(String, String, Owner)> {
        let rows = parse(text).facts.into_iter();
        rows.map(|row| (row.target, row.name, row.owner)).collect()
    }

    fn row(target: &str, name: &str, owner: Owner) -> (String, String, Owner) {
        (target.to_string(), name.to_string(), owner)
    }

    #[test]
    fn tables_of_both_programs_are_told_apart() {
        let text = "# zpool get all tank\nNAME  PROPERTY     VALUE   SOURCE\ntank  guid         17      -\n\
                    tank  ashift       12      local\n# zfs get all\nNAME         PROPERTY    VALUE     SOURCE\n\
                    tank         sync        standard  local\ntank         guid        18        -\n\
                    tank/pgdata  guid        19        -\n";
        let expected = [
            row("tank", "guid", Owner::Pool),
            row("tank", "ashift", Owner::Pool),
            row("tank", "sync", Owner::Dataset),
            row("tank", "guid", Owner::Dataset),
            row("tank/pgdata", "guid", Owner::Dataset),
        ];
        assert_eq!(owners(text), expected);
    }

    #[test]
    fn rows_without_a_header_are_told_apart() {
        let text = "tank\tsize\t1\t-\ntank\tguid\t17\t-\ntank\ttype\tfilesystem\t-\n\
                    tank\tguid\t18\t-\ntank/pgdata\trecordsize\t1048576\tlocal\n";
        let expected = [
            row("tank", "size", Owner::Pool),
            row("tank", "guid", Owner::Pool),
            row("tank", "type", Owner::Dataset),
            row("tank", "guid", Owner::Dataset),
            row("tank/pgdata", "recordsize", Owner::Dataset),
        ];
        assert_eq!(owners(text), expected);
    }

    #[test]
    fn vdevs_are_left_out_with_a_note() {
        let text = "NAME      PROPERTY     VALUE  SOURCE\nmirror-0  capacity     85%    -\n\
                    mirror-0  ashift       12     -\nsda       capacity     85%    -\nsda       path         /dev/sda1  -\n\
                    tank      capacity     85%    -\ntank      health       ONLINE -\n";
        let parsed = parse(text);
        assert_eq!(parsed.problems.len(), 1, "{:?}", parsed.problems);
        assert!(parsed.problems[0].what.contains("mirror-0, sda"), "{:?}", parsed.problems);
        assert!(parsed.problems[0].what.contains("except ashift"), "{:?}", parsed.problems);
        assert!(parsed.facts.iter().all(|row| row.target == "tank"));
        let of_vdevs =
            parsed.facts.iter().filter_map(|row| Some((row.vdev.as_deref()?, &*row.name)));
        assert_eq!(of_vdevs.collect::<Vec<_>>(), [("mirror-0", "ashift")]);
    }

    #[test]
    fn a_table_of_ashifts_begins_with_its_pool() {
        let text = "NAME      PROPERTY  VALUE  SOURCE\ntank      ashift    12     local\n\
                    root-0    ashift    0      -\nraidz2-0  ashift    9      -\nsda       ashift    9      -\n";
        let parsed = parse(text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let rows = parsed.facts.iter().map(|row| (&*row.target, row.vdev.as_deref()));
        let of = |vdev| ("tank", vdev);
        assert_eq!(rows.collect::<Vec<_>>(), [of(None), of(Some("raidz2-0")), of(Some("sda"))]);
        // Rows of drives alone are no pool's.
        let drive = "sda  path  /dev/sda1  -\nsda  ashift  9  -\nmirror-0  ashift  9  -\n";
        assert!(parse(drive).facts.is_empty(), "{:?}", parse(drive).facts);
    }
}
