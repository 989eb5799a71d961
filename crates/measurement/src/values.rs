//! Numbers by counter or by fact.

use crate::{Counter, DriveCounter, Fact};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// What has a name in records.
pub trait Named: Ord + Sized {
    /// Its name.
    fn name(&self) -> Cow<'static, str>;

    /// What has this name; none where nothing has.
    fn parse(name: &str) -> Option<Self>;
}

/// Numbers by what they count. As JSON it is an object with names as keys, in the order of the names; a
/// name that this version does not know is skipped when it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Values<K>(BTreeMap<K, f64>);

/// Values of counters.
pub type Counters = Values<Counter>;
/// Facts of a trial.
pub type Facts = Values<Fact>;

impl<K> Default for Values<K> {
    fn default() -> Self {
        Values(BTreeMap::new())
    }
}

impl<K: Ord> Values<K> {
    /// Nothing counted.
    pub const fn new() -> Values<K> {
        Values(BTreeMap::new())
    }

    /// A value; none where it was not counted.
    pub fn get(&self, key: &K) -> Option<f64> {
        self.0.get(key).copied()
    }

    /// A value; 0 where it was not counted.
    pub fn count(&self, key: &K) -> f64 {
        self.get(key).unwrap_or(0.0)
    }

    /// Several values together; what was not counted is 0.
    pub fn sum<'a>(&self, keys: impl IntoIterator<Item = &'a K>) -> f64
    where
        K: 'a,
    {
        keys.into_iter().filter_map(|key| self.get(key)).sum()
    }

    /// Sets a value.
    pub fn insert(&mut self, key: K, value: f64) {
        self.0.insert(key, value);
    }

    /// The place of a value, 0 where it was not counted before.
    pub fn entry(&mut self, key: K) -> &mut f64 {
        self.0.entry(key).or_default()
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = (&K, f64)> {
        self.0.iter().map(|(key, value)| (key, *value))
    }

    /// All values, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut f64)> {
        self.0.iter_mut()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Counters {
    /// A counter of every drive that has it: drive, value.
    pub fn of_drives(&self, wanted: DriveCounter) -> impl Iterator<Item = (&str, f64)> {
        self.iter().filter_map(move |(counter, value)| match counter {
            Counter::Drive { drive, what } if *what == wanted => Some((drive.as_str(), value)),
            _ => None,
        })
    }

    /// A counter of all drives together.
    pub fn sum_of_drives(&self, wanted: DriveCounter) -> f64 {
        self.of_drives(wanted).map(|(_, value)| value).sum()
    }

    /// The counters of several windows, each added up.
    pub fn added<'a>(windows: impl IntoIterator<Item = &'a Counters>) -> Counters {
        let mut sum = Counters::new();
        for window in windows {
            for (counter, value) in window.iter() {
                *sum.entry(counter.clone()) += value;
            }
        }
        sum
    }
}

impl<K: Ord> FromIterator<(K, f64)> for Values<K> {
    fn from_iter<I: IntoIterator<Item = (K, f64)>>(values: I) -> Self {
        Values(values.into_iter().collect())
    }
}

impl<K: Ord, const N: usize> From<[(K, f64); N]> for Values<K> {
    fn from(values: [(K, f64); N]) -> Self {
        values.into_iter().collect()
    }
}

impl<K> IntoIterator for Values<K> {
    type Item = (K, f64);
    type IntoIter = std::collections::btree_map::IntoIter<K, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Ord> Extend<(K, f64)> for Values<K> {
    fn extend<I: IntoIterator<Item = (K, f64)>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

impl<K: Named> Serialize for Values<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let by_name: BTreeMap<Cow<'_, str>, f64> =
            self.iter().map(|(key, value)| (key.name(), value)).collect();
        by_name.serialize(serializer)
    }
}

impl<'de, K: Named> Deserialize<'de> for Values<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, K::parse)
    }
}

/// Reads the counters that findings look at second by second, and skips the others: a campaign has millions
/// of them.
pub(crate) fn read_by_second<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Counters, D::Error> {
    read(deserializer, Counter::read_by_second)
}

/// Reads the values whose names `parse` knows, without a copy of any name.
fn read<'de, D: Deserializer<'de>, K: Ord>(
    deserializer: D,
    parse: fn(&str) -> Option<K>,
) -> Result<Values<K>, D::Error> {
    #[derive(Deserialize)]
    struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
    struct Object<K>(fn(&str) -> Option<K>);
    impl<'de, K: Ord> Visitor<'de> for Object<K> {
        type Value = Values<K>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("numbers by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values<K>, A::Error> {
            let mut values = Values::new();
            while let Some(Name(name)) = map.next_key()? {
                match (self.0)(&name) {
                    Some(key) => values.insert(key, map.next_value()?),
                    None => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(values)
        }
    }
    deserializer.deserialize_map(Object(parse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_the_order_of_their_names_and_unknown_names_are_skipped() {
        let text = r#"{"arc.size":9.0,"dirty.bytes":4.0,"drive.a1-0.busy":0.25,"drive.a1.busy":0.5,"zil.commits":7.0}"#;
        let counters: Counters = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&counters).unwrap(), text);
        let newer = text.replace("}", r#","zzz.unknown":1.0}"#);
        assert_eq!(serde_json::from_str::<Counters>(&newer).unwrap(), counters);
        assert!(serde_json::from_str::<Counters>(r#"{"arc.size":"much"}"#).is_err());
    }

    #[test]
    fn counters_of_drives_are_found_and_windows_added_up() {
        let window = Counters::from([
            (Counter::drive("hdd0", DriveCounter::Busy), 0.5),
            (Counter::drive("hdd0", DriveCounter::Reads), 3.0),
            (Counter::ZilCommits, 2.0),
        ]);
        assert_eq!(window.of_drives(DriveCounter::Busy).collect::<Vec<_>>(), [("hdd0", 0.5)]);
        let both = Counters::added([&window, &window]);
        assert_eq!(both.count(&Counter::ZilCommits), 4.0);
        assert_eq!(both.sum(&[Counter::ZilCommits, Counter::L2Hits]), 4.0);
    }
}
