//! What every database server has in a lab: settings by their own names, and datasets that it is on.

use super::section::{Entry, Section};
use super::workloads::{WorkloadInputs, check_dataset};
use crate::mysql::{self, Server};
use crate::postgresql;
use std::collections::BTreeMap;
use toml::de::DeValue;
use zfs::property::Refused;

/// A setting that is known, with a value.
struct Known {
    name: &'static str,
    /// The value in words that the server takes, or why it does not.
    value: Result<String, Refused>,
    /// What is worth knowing of a value that it takes.
    remark: Option<String>,
}

/// Reads the settings of `section`; `example` is a value as in the server's own file, and `look_up` finds a setting by
/// its name and looks at its value: none where only the server knows.
fn settings(
    entry: &Entry<'_>,
    (section, example): (&str, &str),
    look_up: impl Fn(&str, &str) -> Result<Option<Known>, Refused>,
) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for entry in entry.entries(section) {
        let value = match entry.value() {
            DeValue::String(text) => text.to_string(),
            // 0x40 is 64: not all servers read it so.
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| number.to_string(), |number| number.to_string()),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::Boolean(on) => (if *on { "on" } else { "off" }).to_owned(),
            other => {
                entry.error(
                    format!("`{}` must not be of the type {}", entry.key, other.type_str()),
                    format!("write a value as in {example}"),
                );
                continue;
            }
        };
        let cx = entry.cx;
        match cx.accepted(entry.key_span(), look_up(entry.key, &value)) {
            Some(Some(known)) => {
                if let Some(remark) = known.remark {
                    cx.note(entry.span(), remark);
                }
                let value = cx.accepted(entry.span(), known.value);
                settings.extend(value.map(|value| (known.name.to_owned(), value)));
            }
            Some(None) => {
                cx.note(
                    entry.key_span(),
                    format!(
                        "Poolwright does not know `{}`: it is passed to the server unchecked",
                        entry.key
                    ),
                );
                settings.insert(entry.key.to_owned(), value);
            }
            None => {}
        }
    }
    settings
}

/// The sections of servers' settings among the keys that base and variants share. What they say of a server that no
/// workload has is left aside.
pub(super) fn of_base(section: &mut Section<'_>) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut servers = BTreeMap::new();
    if let Some(entry) = section.take(POSTGRESQL.0) {
        servers.insert(entry.key.to_owned(), of_postgresql(&entry, None));
    }
    for server in Server::ALL {
        if let Some(entry) = section.take(server.section()) {
            servers.insert(entry.key.to_owned(), of_mysql(&entry, server, None));
        }
    }
    servers
}

/// Whether a section has the settings of a server.
pub(super) fn is_section(name: &str) -> bool {
    name == POSTGRESQL.0 || Server::ALL.iter().any(|server| server.section() == name)
}

/// A section, and an example of its values.
const POSTGRESQL: (&str, &str) = ("postgresql", "postgresql.conf, such as \"8GB\" or 0.9");
/// The same of a MariaDB or MySQL server.
const MYSQL: &str = "my.cnf, such as \"8G\", \"O_DIRECT\" or 0";

pub(super) fn of_postgresql(entry: &Entry<'_>, version: Option<u32>) -> BTreeMap<String, String> {
    settings(entry, POSTGRESQL, |name, value| {
        let setting = postgresql::lookup(name, version)?;
        Ok(setting.map(|setting| Known {
            name: setting.name,
            value: setting.check(value),
            remark: None,
        }))
    })
}

pub(super) fn of_mysql(
    entry: &Entry<'_>,
    server: Server,
    version: Option<u32>,
) -> BTreeMap<String, String> {
    settings(entry, (server.section(), MYSQL), |name, value| {
        let setting = mysql::lookup(server, name, version)?;
        Ok(setting.map(|setting| {
            let value = setting.check(value);
            let remark = value.as_ref().ok().and_then(|value| setting.adjusted(value));
            Known { name: setting.name, value, remark }
        }))
    })
}

pub(super) fn postgresql_version(entry: &Entry<'_>) -> Option<u32> {
    const FIX: &str = "write the major version: \"15\"";
    if let DeValue::Integer(_) = entry.value() {
        return entry.integer(10, 99, FIX);
    }
    let stated = entry.string("the major version in quotes: \"15\"")?;
    let version = stated.value.parse().ok().filter(|version| (10..100).contains(version));
    version.or_else(|| {
        let message = format!("`{}` is not a version of PostgreSQL", stated.value.escape_debug());
        entry.refuse(message, FIX)
    })
}

/// A dataset that a directory of the server is on.
pub(super) fn dataset(
    table: &mut Section<'_>,
    key: &'static str,
    known: &WorkloadInputs<'_>,
) -> Option<String> {
    let stated = table.take(key)?.string("the name of a dataset in quotes")?;
    if !stated.value.is_empty() {
        check_dataset(table.cx, &stated, known.variants);
    }
    Some(stated.value)
}

/// A whole number of a client that it cannot do without.
pub(super) fn count<T: TryFrom<i64>>(
    client: &mut Section<'_>,
    program: &Entry<'_>,
    key: &'static str,
    most: i64,
    example: &str,
) -> Option<T> {
    match client.take(key) {
        Some(entry) => entry.integer(1, most, "a number"),
        None => program.cx.refuse(
            program.key_span(),
            format!("`{}` has no {key}", program.key),
            format!("add `{example}`"),
        ),
    }
}

/// Reports a lab without a runtime, which a database's client needs.
pub(super) fn check_runtime(program: &Entry<'_>, known: &WorkloadInputs<'_>) {
    if known.runtime_s.is_none() {
        program.error_at_key(
            format!("[method] has no runtime, which {} needs", program.key),
            "add `runtime = \"30s\"` to [method], in virtual time",
        );
    }
}
