//! The JSON schema of lab files, made from the tables that the reader itself uses, so that the two
//! cannot differ. Shipped as docs/reference/lab.schema.json. `lab.json` has what stands in no table.

use crate::campaign::{
    BUILTIN, Filesystem, JournalMode, MOST_TRIALS, OpenZfs, OptionKind, Processor, Protocol,
    SYSBENCH_OPTIONS, SYSBENCH_SCRIPTS, SyncMethod, Synchronous,
};
use crate::file::stack_names;
use crate::mysql::Server;
use crate::{postgresql, profile::Profiles};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use zfs::module;
use zfs::property::{Property, Values, dataset, pool};

/// The schema (JSON Schema 2020-12) as text, ending in a newline.
pub fn text() -> String {
    let parts: Value = serde_json::from_str(include_str!("lab.json")).unwrap_or_default();
    let mut schema = parts["schema"].clone();
    fill(&mut schema, &parts);
    format!("{schema:#}\n")
}

/// Puts in what is named: the value `"=NAME"` is replaced, the key `"=": "NAME"` by the keys of another object.
fn fill(value: &mut Value, parts: &Value) {
    match value {
        Value::String(text) => {
            if let Some(name) = text.strip_prefix('=') {
                let mut named = named(name, parts);
                fill(&mut named, parts);
                *value = named;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, parts)),
        Value::Object(object) => {
            if let Some(Value::String(name)) = object.remove("=")
                && let Value::Object(keys) = named(&name, parts)
            {
                object.extend(keys);
            }
            object.values_mut().for_each(|value| fill(value, parts));
        }
        _ => {}
    }
}

/// A table of the reader's, or else a part of `lab.json`.
fn named(name: &str, parts: &Value) -> Value {
    match name {
        "most_trials" => json!(MOST_TRIALS),
        "releases" => json!(OpenZfs::ALL),
        "stacks" => json!(stack_names()),
        "processors" => json!(Processor::ALL),
        "filesystems" => json!(Filesystem::ALL),
        "protocols" => json!(Protocol::ALL),
        "sync_methods" => json!(SyncMethod::ALL.map(SyncMethod::name)),
        "journal_modes" => json!(JournalMode::ALL),
        "synchronous" => json!(Synchronous::ALL),
        "scripts" => json!(BUILTIN.map(|(name, _)| name)),
        "scripts_of_sysbench" => json!(SYSBENCH_SCRIPTS.map(|script| script.name)),
        "options_of_sysbench" => {
            SYSBENCH_OPTIONS.iter().map(|(name, kind)| (*name, option(kind))).collect()
        }
        "settings_of_postgresql" => postgresql::all().map(|setting| setting.name).collect(),
        "settings_of_mariadb" => Server::Mariadb.settings().map(|setting| setting.name).collect(),
        "settings_of_mysql" => Server::Mysql.settings().map(|setting| setting.name).collect(),
        "profiles" => Profiles::builtin().names().collect(),
        "pairs_of_profiles" => {
            Profiles::builtin().names().map(|name| format!("2x {name}")).collect()
        }
        "pool" => pool::TABLE.iter().chain(pool::FEATURES.iter()).map(key).collect(),
        "dataset" => Value::Object(dataset_keys()),
        "levels_of_dataset" => {
            dataset_keys().keys().map(|name| (name.clone(), "=levels")).collect()
        }
        "parameters" => {
            let all = OpenZfs::ALL.into_iter().flat_map(module::all);
            json!(all.map(|parameter| parameter.name).collect::<BTreeSet<_>>())
        }
        part => parts[part].clone(),
    }
}

/// An option of sysbench. `file::sysbench` has the bounds.
fn option(kind: &OptionKind) -> Value {
    let description = "As sysbench's option of this name";
    match kind {
        OptionKind::Count(least, _) => {
            json!({ "type": "integer", "minimum": least, "description": description })
        }
        OptionKind::Number(..) => {
            json!({ "type": "number", "minimum": 0, "description": description })
        }
        OptionKind::Switch => json!({ "type": "boolean", "description": description }),
        OptionKind::Words(words) => json!({ "enum": words, "description": description }),
    }
}

/// The properties of datasets, under their full names and their short ones.
fn dataset_keys() -> Map<String, Value> {
    let mut keys: Map<String, Value> = dataset::TABLE.iter().map(key).collect();
    for (short, full) in dataset::SHORT {
        let property = keys.get(full).cloned();
        keys.extend(property.map(|property| (short.to_owned(), property)));
    }
    keys
}

/// A property, and the schema of its values.
fn key(property: &Property) -> (String, Value) {
    let values = match property.values {
        Values::Words(words) => json!({ "enum": words }),
        Values::PowerOfTwo { .. } | Values::Size { words: [], .. } => {
            json!({ "$ref": "#/$defs/size" })
        }
        Values::Whole { min, max } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": min, "maximum": max }, { "type": "string", "pattern": "^[0-9]+$" }] })
        }
        Values::Size { words: [word], .. } => {
            json!({ "anyOf": [{ "const": word }, { "$ref": "#/$defs/size" }] })
        }
        Values::Size { words, .. } => {
            json!({ "anyOf": [{ "enum": words }, { "$ref": "#/$defs/size" }] })
        }
        Values::Path([]) => json!({ "type": "string", "pattern": "^/" }),
        Values::Path(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^/" }] })
        }
        Values::Comment => json!({ "type": "string", "maxLength": 32 }),
        Values::Text => json!({ "type": "string" }),
    };
    (property.name.to_owned(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_text_is_known() {
        assert!(!text().contains(": null") && !text().contains("\"="), "{}", text());
    }

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
