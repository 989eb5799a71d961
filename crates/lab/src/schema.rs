//! The JSON schema of lab files, made from the tables that the reader itself uses, so that the two
//! cannot differ. Shipped as docs/reference/lab.schema.json.

use crate::campaign::{
    BUILTIN, Filesystem, JournalMode, MOST_TRIALS, OpenZfs, OptionKind, Processor, Protocol,
    SYSBENCH_OPTIONS, SYSBENCH_SCRIPTS, SyncMethod, Synchronous,
};
use crate::file::stack_names;
use crate::mysql::Server;
use crate::{postgresql, profile::Profiles};
use serde_json::{Map, Value, json};
use zfs::module;
use zfs::property::{Property, Values, dataset, pool};

/// The schema as text, ending in a newline.
pub fn text() -> String {
    format!("{:#}\n", schema())
}

/// The schema (JSON Schema 2020-12).
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Poolwright lab",
        "description": "Drives, pool, variants, workloads and method of a comparison; see docs/reference/lab.md",
        "type": "object",
        "required": ["host", "workloads"],
        "additionalProperties": false,
        "properties": top(),
        "$defs": definitions(),
    })
}

fn top() -> Value {
    let own = json!({
        "title": text_of("The question, in one line"),
        "source": text_of("Where the question comes from, such as hk-2025"),
        "host": object("The machine being modelled", json!({
            "memory": described("#/$defs/size", "RAM; sets the ARC and the dirty-data limit"),
            "cores": { "type": "integer", "minimum": 1, "maximum": 4096, "description": "Processor cores" },
            "processor": { "enum": Processor::ALL.map(Processor::name), "description": "Whether computation takes virtual time" },
            "memory_price": { "type": "number", "minimum": 0, "description": "Price of a GiB" },
        })),
        "factors": { "type": "object", "description": "Factor → levels; every combination becomes a variant", "properties": paths(), "additionalProperties": {
            "type": "object", "minProperties": 2, "additionalProperties": { "anyOf": [
                { "$ref": "#/$defs/vdevs" }, { "$ref": "#/$defs/variant" }
            ] }
        } },
        "ablate": { "type": "object", "minProperties": 2, "description": "Settings; each is tried alone, and each is left out of the full set", "additionalProperties": { "$ref": "#/$defs/variant" } },
        "variants": { "type": "object", "description": "Single variants: add, remove, vdevs, or any base key", "additionalProperties": { "$ref": "#/$defs/variant" } },
        "workloads": { "type": "object", "minProperties": 1, "description": "Client programs", "additionalProperties": workload() },
        "method": object("How to measure", json!({
            "baseline": text_of("The variant that the others are compared with"),
            "precision": { "type": "number", "minimum": 0.001, "maximum": 1, "description": "How tight the interval of an effect without a verdict must be to stop its repeats; a verdict stops them earlier" },
            "budget": described("#/$defs/duration", "Wall time of the whole campaign"),
            "runtime": described("#/$defs/duration", "Measured virtual time of a trial"),
            "warm_up": described("#/$defs/duration", "Maximum time to warm caches before the measurement"),
            "restart": { "type": "boolean", "description": "Export and import the pool between the warm-up and the measurement" },
            "sensitivity": { "anyOf": [{ "$ref": "#/$defs/factor" }, { "type": "array", "items": { "$ref": "#/$defs/factor" } }], "description": "Factors on a drive's uncertain numbers; the cells of a verdict are run again with each" },
            "size_check": { "type": "array", "items": { "type": "number", "minimum": 1.1, "maximum": 1000 }, "description": "Factors on S; every cell is run again with each" },
            "ramp": described("#/$defs/duration", "Time at the start of a trial that is not measured"),
            "min_trials": { "type": "integer", "minimum": 1, "maximum": MOST_TRIALS },
            "max_trials": { "type": "integer", "minimum": 1, "maximum": MOST_TRIALS },
            "seed": { "type": "integer", "minimum": 0 },
        })),
        "scale": object("The size scale", json!({
            "size": { "anyOf": [{ "const": "auto" }, { "type": "number", "minimum": 1 }], "description": "S: the sizes of files, caches and drives are divided by it" },
            "dirty_data_max": described("#/$defs/size", "Dirty-data limit of the machine, where it is reduced"),
        })),
    });
    with(base(), own)
}

/// An object with the keys of another.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// The keys that the base and every variant share.
fn base() -> Value {
    json!({
        "openzfs": { "enum": OpenZfs::ALL.map(OpenZfs::name), "description": "Release line of OpenZFS" },
        "stack": { "enum": stack_names(), "description": "A ZFS pool, an md array with a file system, or a file system on one drive" },
        "md": text_of("The array in mdadm's words: raid10 nvme[0-3] chunk=512K"),
        "drive": text_of("The drive of a stack that is a file system: nvme0"),
        "filesystem": { "enum": Filesystem::ALL.map(Filesystem::name), "description": "The file system on an md array" },
        "mount_options": text_of("Options of mount for a file system without ZFS, separated by commas"),
        "drives": { "type": "object", "description": "Kind → \"<count>x <profile>\", or the long form", "propertyNames": { "pattern": "^[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z_.-])?$" }, "additionalProperties": { "$ref": "#/$defs/drives" } },
        "pool": { "$ref": "#/$defs/pool" },
        "dataset": { "$ref": "#/$defs/dataset" },
        "datasets": { "type": "object", "description": "Child datasets", "additionalProperties": { "$ref": "#/$defs/dataset" } },
        "module": { "$ref": "#/$defs/module" },
        "postgresql": { "$ref": "#/$defs/postgresql" },
        "mariadb": { "$ref": "#/$defs/mariadb" },
        "mysql": { "$ref": "#/$defs/mysql" },
    })
}

fn definitions() -> Value {
    let texts = json!({ "anyOf": [{ "$ref": "#/$defs/vdevs" }, { "type": "array", "items": { "$ref": "#/$defs/vdevs" } }] });
    let of_variant = json!({
        "host": object("Memory", json!({
            "memory": described("#/$defs/size", "RAM; sets the ARC and the dirty-data limit"),
        })),
        "vdevs": { "$ref": "#/$defs/vdevs" },
        "add": texts,
        "remove": texts,
    });
    let profiles = Profiles::builtin();
    let mut of_pool = properties(pool::TABLE, value);
    of_pool.extend(properties(pool::FEATURES, value));
    let of_lab = json!({
        "ashift": { "anyOf": [{ "const": 0 }, { "type": "integer", "minimum": 9, "maximum": 16 }] },
        "vdevs": { "$ref": "#/$defs/vdevs" },
    });
    json!({
        "size": { "anyOf": [{ "type": "string", "pattern": "^ *[0-9.]+ *([BbKkMmGgTtPpEe]([Ii]?[Bb])?)? *$" }, { "type": "integer", "minimum": 0 }] },
        "duration": { "anyOf": [{ "type": "string", "pattern": "^( *[0-9.]+(us|ms|s|sec|m|min|h|d))+ *$" }, { "type": "number", "minimum": 0 }] },
        "factor": { "type": "number", "minimum": 0.05, "maximum": 20 },
        "vdevs": { "type": "string", "description": "Vdevs as after `zpool create`: raidz2 hdd[0-5] log mirror optane[0-1]" },
        "drives": { "anyOf": [
            { "type": "string", "description": "\"<count>x <profile>\"", "examples": profiles.names().map(|name| format!("2x {name}")).collect::<Vec<_>>() },
            { "type": "object", "required": ["profile"], "properties": {
                "profile": { "type": "string", "description": "A built-in profile, or the path of one", "examples": profiles.names().collect::<Vec<_>>() },
                "count": { "type": "integer", "minimum": 1, "maximum": 9999 },
                "price": { "type": "number", "minimum": 0, "description": "Price of one" },
            }, "description": "Every other key replaces a number of the profile" },
        ] },
        "pool": { "type": "object", "properties": with(Value::Object(of_pool), of_lab), "additionalProperties": false },
        "dataset": { "type": "object", "properties": dataset_keys(value), "patternProperties": { ":": { "type": "string" }, QUOTAS: { "type": ["string", "integer"] } }, "additionalProperties": false },
        "script": { "type": "string", "description": "A script of pgbench's own, or the path of one; @9 gives it a weight", "examples": BUILTIN.map(|(name, _)| name) },
        "parameter": { "enum": parameters() },
        "module": { "type": "object", "propertyNames": { "$ref": "#/$defs/parameter" }, "additionalProperties": { "type": ["integer", "string"] } },
        "postgresql": server("[A-Za-z0-9_.]+", postgresql::all().map(|setting| setting.name).collect()),
        "mariadb": mysql(Server::Mariadb),
        "mysql": mysql(Server::Mysql),
        "variant": { "type": "object", "properties": with(base(), of_variant), "additionalProperties": false },
    })
}

fn workload() -> Value {
    object(
        "One client program",
        json!({
            "fio": { "anyOf": [
                { "type": "string", "description": "Path of a fio job file, from the lab's directory" },
                { "type": "object", "required": ["job"], "additionalProperties": false, "properties": {
                    "job": text_of("The job file itself"),
                } },
            ] },
            "pgbench": object("pgbench with a PostgreSQL server of its own", json!({
                "scale": { "type": "integer", "minimum": 1, "description": "Of the real server: 100,000 accounts each" },
                "clients": { "type": "integer", "minimum": 1, "description": "Sessions" },
                "threads": { "type": "integer", "minimum": 1, "description": "Threads of pgbench" },
                "protocol": { "enum": Protocol::ALL.map(Protocol::name), "description": "How statements are sent" },
                "script": { "anyOf": [{ "$ref": "#/$defs/script" }, { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/script" } }] },
                "rate": { "type": "number", "minimum": 1, "description": "Transactions that all clients together begin in a second" },
                "random_filler": { "type": "number", "minimum": 0, "maximum": 1, "description": "Share of the accounts' fillers that is random text; default: 0" },
                "version": { "type": ["string", "integer"], "description": "Major version of PostgreSQL; default: the newest that is installed" },
            })),
            "postgresql": { "$ref": "#/$defs/postgresql" },
            "sysbench": sysbench(),
            "mariadb": { "$ref": "#/$defs/mariadb" },
            "mysql": { "$ref": "#/$defs/mysql" },
            "pg_test_fsync": object("pg_test_fsync: PostgreSQL's test of file sync methods", json!({
                "method": { "enum": SyncMethod::ALL.map(SyncMethod::name), "description": "Sync method whose rate is compared; default: fdatasync" },
                "writes": { "enum": [1, 2], "description": "Writes of 8 kB for each sync; default: 1" },
                "version": { "type": ["string", "integer"], "description": "Major version of PostgreSQL; default: the newest that is installed" },
            })),
            "sqlite": object("SQLite in the threads of an application", json!({
                "journal_mode": { "enum": JournalMode::ALL.map(JournalMode::name), "description": "A write-ahead log, or a rollback journal; default: wal" },
                "synchronous": { "enum": Synchronous::ALL.map(Synchronous::name), "description": "When SQLite waits for the drives; default: full" },
                "page_size": described("#/$defs/size", "Page of the database; default: 4K"),
                "rows": { "type": "integer", "minimum": 1, "description": "Rows of accounts on the real server, 100 bytes each" },
                "clients": { "type": "integer", "minimum": 1, "description": "Connections" },
                "writes": { "type": "number", "minimum": 0, "maximum": 1, "description": "Share of the transactions that write" },
                "cache_size": described("#/$defs/size", "Page cache of each connection; default: 2000K"),
            })),
            "directories": object("Datasets of the database", json!({
                "data": text_of("The data directory"),
                "redo": text_of("MariaDB's or MySQL's redo log"),
                "binlog": text_of("MariaDB's or MySQL's binary log"),
                "wal": text_of("The write-ahead log"),
                "tables": text_of("A tablespace for the tables"),
                "indexes": text_of("A tablespace for their indexes"),
            })),
            "dataset": text_of("The dataset it runs in; default: the root"),
            "rates": { "anyOf": [{ "const": "auto" }, { "type": "number", "minimum": 1 }, { "type": "array", "minItems": 1, "maxItems": 32, "items": { "type": "number", "minimum": 1 } }], "description": "Open-loop ladder: operations a second of all jobs together" },
            "size": described("#/$defs/size", "Working set; replaces the sizes in the job file"),
        }),
    )
}

/// A server's settings by their own names, or others of a pattern, which the reader looks at.
fn server(pattern: &str, names: Vec<&str>) -> Value {
    json!({
        "type": "object",
        "description": "The server's settings",
        "additionalProperties": { "type": ["string", "number", "boolean"] },
        "propertyNames": { "anyOf": [{ "enum": names }, { "pattern": format!("^{pattern}$") }] },
    })
}

/// Settings of a MariaDB or MySQL server.
fn mysql(of: Server) -> Value {
    server("[A-Za-z0-9_-]+", of.settings().map(|setting| setting.name).collect())
}

/// A client of MariaDB or MySQL. `file::sysbench` has the bounds.
fn sysbench() -> Value {
    let number =
        |description: &str| json!({ "type": "number", "minimum": 0, "description": description });
    let integer = |least: i64, description: &str| json!({ "type": "integer", "minimum": least, "description": description });
    let count = |description: &str| integer(1, description);
    let mut properties = json!({
        "script": { "enum": SYSBENCH_SCRIPTS.map(|script| script.name), "description": "A script of sysbench's own" },
        "tables": count("Tables"),
        "table_size": count("Rows of each on the real server"),
        "threads": count("Sessions"),
        "rate": { "type": "number", "minimum": 1, "description": "Transactions that all sessions together begin in a second" },
        "version": text_of("Version of the server, such as 10.11 of MariaDB or 8.4 of MySQL; default: the one that is installed"),
    });
    for (name, kind) in &SYSBENCH_OPTIONS {
        let description = "As sysbench's option of this name";
        properties[*name] = match kind {
            OptionKind::Count(least, _) => integer(*least, description),
            OptionKind::Number(..) => number(description),
            OptionKind::Switch => json!({ "type": "boolean", "description": description }),
            OptionKind::Words(words) => json!({ "enum": words, "description": description }),
        };
    }
    object("sysbench with a MariaDB or MySQL server of its own", properties)
}

/// `dataset.recordsize = ["8K", "16K"]` in `[factors]`.
fn paths() -> Value {
    let list =
        json!({ "type": "array", "minItems": 2, "items": { "type": ["string", "integer"] } });
    let datasets = dataset_keys(|_| list.clone());
    let settings = json!({ "type": "object", "additionalProperties": { "type": "array", "minItems": 2, "items": { "type": ["string", "number", "boolean"] } } });
    json!({
        "postgresql": settings,
        "mariadb": settings,
        "mysql": settings,
        "dataset": { "type": "object", "properties": datasets, "patternProperties": { QUOTAS: list }, "additionalProperties": false },
        "datasets": { "type": "object", "additionalProperties": { "type": "object" } },
        "module": { "type": "object", "propertyNames": { "$ref": "#/$defs/parameter" }, "additionalProperties": list },
        "pool": { "type": "object" },
        "drives": { "type": "object" },
    })
}

/// Quotas of a user, a group or a project.
const QUOTAS: &str = "^(user|group|project)(obj)?quota@.";

/// The properties of datasets, under their full names and their short ones.
fn dataset_keys(schema: impl Fn(&Property) -> Value) -> Map<String, Value> {
    let mut keys = properties(dataset::TABLE, &schema);
    for (short, full) in dataset::SHORT {
        let property = keys.get(full).cloned();
        keys.extend(property.map(|property| (short.to_owned(), property)));
    }
    keys
}

fn properties(table: &[Property], schema: impl Fn(&Property) -> Value) -> Map<String, Value> {
    table.iter().map(|property| (property.name.to_owned(), schema(property))).collect()
}

fn value(property: &Property) -> Value {
    match property.values {
        Values::Words(words) => json!({ "enum": words }),
        Values::PowerOfTwo { .. } => json!({ "$ref": "#/$defs/size" }),
        Values::Whole { min, max } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": min, "maximum": max }, { "type": "string", "pattern": "^[0-9]+$" }] })
        }
        Values::SizeUpTo(_) => json!({ "$ref": "#/$defs/size" }),
        Values::SizeOrNone | Values::Limit => {
            json!({ "anyOf": [{ "const": "none" }, { "$ref": "#/$defs/size" }] })
        }
        Values::SizeNoneAuto => {
            json!({ "anyOf": [{ "enum": ["none", "auto"] }, { "$ref": "#/$defs/size" }] })
        }
        Values::Path([]) => json!({ "type": "string", "pattern": "^/" }),
        Values::Path(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^/" }] })
        }
        Values::Comment => json!({ "type": "string", "maxLength": 32 }),
        Values::Text => json!({ "type": "string" }),
    }
}

fn parameters() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        OpenZfs::ALL.into_iter().flat_map(module::all).map(|parameter| parameter.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn object(description: &str, properties: Value) -> Value {
    json!({ "type": "object", "description": description, "additionalProperties": false, "properties": properties })
}

fn text_of(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn described(reference: &str, description: &str) -> Value {
    json!({ "$ref": reference, "description": description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_schema_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/lab.schema.json");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            assert!(std::fs::write(path, text()).is_ok());
        }
        let shipped = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            shipped == text(),
            "run `UPDATE_SCHEMA=1 cargo test -p lab schema` and commit docs/reference/lab.schema.json"
        );
    }
}
