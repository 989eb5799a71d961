//! What a rule says when it fires.

use super::Id;
use crate::system::{Place, Property, System};
use crate::words::quoted;
use serde::Serialize;
use std::collections::BTreeMap;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Costs speed, space or safety.
    Warning,
    /// Loses or will lose data, or does not work at all.
    Error,
}

/// What a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Evidence {
    /// Where it stands.
    pub at: Place,
    /// What stands there, short.
    pub text: String,
}

/// A setting to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A property of a dataset.
    Dataset {
        /// The dataset.
        dataset: String,
        /// The property.
        property: String,
        /// Its new value.
        value: String,
    },
    /// A property of a pool.
    Pool {
        /// The pool.
        pool: String,
        /// The property.
        property: String,
        /// Its new value.
        value: String,
    },
    /// A parameter of the zfs module; none takes it out of the configuration.
    Module {
        /// The parameter.
        name: String,
        /// Its new value.
        value: Option<String>,
    },
    /// A setting of `postgresql.conf`.
    Postgresql {
        /// The setting.
        name: String,
        /// Its new value.
        value: String,
    },
    /// A setting of `my.cnf`, group `[mysqld]`.
    Mysql {
        /// The setting.
        name: String,
        /// Its new value.
        value: String,
    },
    /// A setting of `smb.conf`, section `[global]`.
    Samba {
        /// The setting.
        name: String,
        /// Its new value.
        value: String,
    },
    /// A drive's I/O scheduler.
    Scheduler {
        /// The drive's kernel name.
        drive: String,
        /// A stable name to match it by, where one is known.
        stable: Option<String>,
    },
}

/// One step of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A program with its arguments.
    Run(Vec<String>),
    /// A line that a file must have.
    Line {
        /// The file.
        file: String,
        /// The line.
        line: String,
    },
    /// A line that a file must not have.
    Without {
        /// The file.
        file: String,
        /// What the line sets.
        setting: String,
    },
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Run(arguments) => {
                let words: Vec<String> = arguments.iter().map(|a| quoted(a)).collect();
                f.write_str(&words.join(" "))
            }
            Step::Line { file, line } => write!(f, "{file}: {}", crate::words::printable(line)),
            Step::Without { file, setting } => {
                write!(f, "{file}: - {}", crate::words::printable(setting))
            }
        }
    }
}

/// The file in which this project keeps module options.
pub const MODPROBE: &str = "/etc/modprobe.d/zfs.conf";

impl Change {
    /// The step that makes it.
    pub fn step(&self) -> Step {
        let run = |words: &[&str]| Step::Run(words.iter().map(ToString::to_string).collect());
        let line = |file: &str, line: String| Step::Line {
            file: file.to_string(),
            line,
        };
        match self {
            Change::Dataset {
                dataset,
                property,
                value,
            } => run(&["zfs", "set", &format!("{property}={value}"), dataset]),
            Change::Pool {
                pool,
                property,
                value,
            } => run(&["zpool", "set", &format!("{property}={value}"), pool]),
            Change::Module {
                name,
                value: Some(value),
            } => line(MODPROBE, format!("options zfs {name}={value}")),
            Change::Module { name, value: None } => Step::Without {
                file: MODPROBE.to_string(),
                setting: name.clone(),
            },
            Change::Postgresql { name, value } => {
                line("postgresql.conf", format!("{name} = {value}"))
            }
            Change::Mysql { name, value } => line("my.cnf [mysqld]", format!("{name} = {value}")),
            Change::Samba { name, value } => line("smb.conf [global]", format!("{name} = {value}")),
            Change::Scheduler { drive, stable } => line(
                "/etc/udev/rules.d/60-poolwright.rules",
                crate::tune::udev::scheduler_rule(drive, stable.as_deref()),
            ),
        }
    }
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Id,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about: a dataset, a pool, a drive, a setting.
    pub subject: String,
    /// Words for the text's blanks.
    pub arguments: BTreeMap<&'static str, String>,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// Settings whose change is the fix.
    pub changes: Vec<Change>,
    /// Further steps of the fix.
    pub steps: Vec<Step>,
    /// Variants of a lab it was found in; empty when it was found in all or there are none.
    pub variants: Vec<String>,
}

impl Finding {
    /// A finding of `rule` about `subject`, which the text can name as `{subject}`.
    pub fn new(rule: Id, severity: Severity, subject: impl Into<String>) -> Finding {
        let subject = subject.into();
        Finding {
            rule,
            severity,
            arguments: BTreeMap::from([("subject", subject.clone())]),
            subject,
            evidence: Vec::new(),
            changes: Vec::new(),
            steps: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// Fills the blank `{name}`.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Finding {
        self.arguments.insert(name, value.to_string());
        self
    }

    /// Points at what it rests on.
    pub fn because(mut self, at: &Place, text: impl Into<String>) -> Finding {
        self.evidence.push(Evidence {
            at: at.clone(),
            text: text.into(),
        });
        self
    }

    /// Points at a property.
    pub fn property(self, name: &str, property: &Property) -> Finding {
        self.because(&property.at, format!("{name} {}", property.value))
    }

    /// Adds a command to the fix.
    pub fn run(mut self, words: &[&str]) -> Finding {
        self.steps
            .push(Step::Run(words.iter().map(ToString::to_string).collect()));
        self
    }

    /// Attaches `missing` more drives, at least one, beside a drive of a pool as the fix.
    pub fn attach(self, pool: &str, drive: &str, missing: u32) -> Finding {
        const NAMES: [&str; 4] = [
            "ANOTHER-DRIVE",
            "ONE-MORE-DRIVE",
            "A-THIRD-DRIVE",
            "A-FOURTH-DRIVE",
        ];
        let missing = missing.clamp(1, NAMES.len() as u32) as usize;
        NAMES[..missing].iter().fold(self, |finding, name| {
            finding.run(&["zpool", "attach", pool, drive, name])
        })
    }

    /// Adds a line of a file to the fix.
    pub fn line(mut self, file: &str, line: &str) -> Finding {
        self.steps.push(Step::Line {
            file: file.to_string(),
            line: line.to_string(),
        });
        self
    }

    /// Adds a change of a setting to the fix.
    pub fn change(mut self, change: Change) -> Finding {
        self.changes.push(change);
        self
    }

    /// Sets a dataset's property as the fix.
    pub fn set(self, dataset: &str, property: &str, value: impl ToString) -> Finding {
        self.change(Change::Dataset {
            dataset: dataset.to_string(),
            property: property.to_string(),
            value: value.to_string(),
        })
    }

    /// Sets or removes a module parameter as the fix.
    pub fn module(self, name: &str, value: Option<u64>) -> Finding {
        self.change(Change::Module {
            name: name.to_string(),
            value: value.map(|v| v.to_string()),
        })
    }

    /// The whole fix, settings first.
    pub fn fix(&self) -> Vec<Step> {
        self.changes
            .iter()
            .map(Change::step)
            .chain(self.steps.iter().cloned())
            .collect()
    }
}

impl System {
    /// The system after a change, as the audit would then see it.
    pub fn changed(&self, change: &Change) -> System {
        let mut system = self.clone();
        let at = Place {
            file: "the fix".to_string(),
            line: 0,
        };
        match change {
            Change::Dataset {
                dataset,
                property,
                value,
            } => {
                let value = Property {
                    value: value.clone(),
                    local: true,
                    at,
                };
                let below = format!("{dataset}/");
                // What is not set below is inherited.
                let heir = |known: &crate::system::Dataset| {
                    known.name.starts_with(&below)
                        && known.get(property).is_some_and(|old| !old.local)
                };
                for known in &mut system.datasets {
                    if known.name == *dataset {
                        known.properties.insert(property.clone(), value.clone());
                    } else if heir(known) {
                        let inherited = Property {
                            local: false,
                            ..value.clone()
                        };
                        known.properties.insert(property.clone(), inherited);
                    }
                }
            }
            Change::Pool {
                pool,
                property,
                value,
            } => {
                let value = Property {
                    value: value.clone(),
                    local: true,
                    at,
                };
                for known in system.pools.iter_mut().filter(|p| p.name == *pool) {
                    known.properties.insert(property.clone(), value.clone());
                }
            }
            Change::Module {
                name,
                value: Some(value),
            } => {
                let found = crate::system::Found::new(value.clone(), at);
                system.module.insert(name.clone(), found);
            }
            Change::Module { name, value: None } => {
                system.module.remove(name);
            }
            Change::Postgresql { name, value } => {
                if let Some((_, settings)) = system.postgresql.last_mut() {
                    settings.rows.push(facts::postgresql::Setting {
                        name: name.clone(),
                        value: facts::At::new(value.clone(), 0),
                    });
                }
            }
            Change::Mysql { name, value } => {
                if let Some((_, options)) = system.mysql.last_mut() {
                    options.rows.push(facts::mycnf::OptionRow {
                        group: "mysqld".to_string(),
                        name: name.clone(),
                        value: Some(facts::At::new(value.clone(), 0)),
                        line: 0,
                    });
                }
            }
            Change::Samba { name, value } => {
                let found = crate::system::Found::new(value.clone(), at);
                system.samba.insert(name.clone(), found);
            }
            Change::Scheduler { drive, .. } => {
                for known in system.drives.iter_mut().filter(|d| d.name == *drive) {
                    known.scheduler =
                        Some(crate::system::Found::new("none".to_string(), at.clone()));
                }
            }
        }
        system
    }
}
