//! A fix, made in the system that was audited.

use advice::setting::{Setting, Target};
use advice::system::samba::{GLOBAL, SambaRow};
use advice::system::{Dataset, Found, Place, Property, System};

/// The system with a setting changed, as an audit of it would see it.
pub fn changed(system: &System, setting: &Setting) -> System {
    let mut system = system.clone();
    let name = setting.name.clone();
    let at = Place::new("the fix", 0);
    if setting.target == Target::Module {
        system.echoed.remove(&name);
    }
    let Some(value) = setting.value.clone() else {
        system.module.remove(&name);
        return system;
    };
    let found = Found::new(value.clone(), at.clone());
    let property = Property { value: value.clone(), local: true, at };
    match &setting.target {
        Target::Dataset(dataset) => {
            // A dataset below that does not set the property itself inherits it.
            let below = format!("{dataset}/");
            let heir = |known: &Dataset| {
                known.name.starts_with(&below) && known.get(&name).is_some_and(|old| !old.local)
            };
            for known in &mut system.datasets {
                if known.name == *dataset {
                    known.properties.insert(name.clone(), property.clone());
                } else if heir(known) {
                    known
                        .properties
                        .insert(name.clone(), Property { local: false, ..property.clone() });
                }
            }
        }
        Target::Pool(pool) => {
            for known in system.pools.iter_mut().filter(|known| known.name == *pool) {
                known.properties.insert(name.clone(), property.clone());
            }
        }
        Target::Module => {
            system.module.insert(name, found);
        }
        Target::Postgresql => {
            let last = system.postgres_files().next_back().cloned();
            let mut files = system.postgresql.iter_mut();
            if let Some(file) = files.rfind(|file| Some(&**file) == last.as_ref()) {
                let value = facts::At::new(value, 0);
                file.settings.rows.push(facts::postgresql::Setting { name, value });
            }
        }
        Target::Mysql | Target::Mariadb => {
            let group = if setting.target == Target::Mysql { "mysqld" } else { "mariadb" };
            if let Some((_, options)) = system.mysql.last_mut() {
                options.rows.push(facts::mycnf::OptionRow {
                    group: group.to_string(),
                    loose: false,
                    name,
                    value: Some(facts::At::new(value, 0)),
                    line: 0,
                });
            }
        }
        Target::Samba | Target::Share(_) => {
            let section = match &setting.target {
                Target::Share(share) => share.clone(),
                _ => GLOBAL.to_string(),
            };
            system.samba.push(SambaRow { section, name, found });
        }
        Target::Udev => {
            for known in system.drives.iter_mut().filter(|drive| drive.name == name) {
                known.scheduler = Some(Found::new("none".to_string(), found.at.clone()));
            }
        }
        Target::Nfs | Target::Exports | Target::Card => {}
    }
    system
}
