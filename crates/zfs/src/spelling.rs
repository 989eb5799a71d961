//! Suggestions for mistyped names.

/// The name in `known` that is nearest to `word`, if any is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No name is so long, and the distance takes time in the product of both lengths.
    // Of one letter or digit, any other one would be near.
    if word.len() > 64 || word.chars().count() < 2 {
        return None;
    }
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            // A name that one of the two extends (`l2arc_write_max_mb`) is near at any length.
            let extends = lower.len() > 5
                && candidate.len() > 5
                && (lower.starts_with(candidate) || candidate.starts_with(&lower));
            (if extends { 1 } else { distance }, candidate)
        })
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(lower.len()) / 4)
        .min_by_key(|(distance, candidate)| (*distance, candidate.len().abs_diff(word.len())))
        .map(|(_, candidate)| candidate)
}

/// The fix for an unknown word: the nearest known one, or `other`.
pub fn did_you_mean_or<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    other: impl Into<String>,
) -> String {
    nearest(word, known).map_or_else(|| other.into(), |near| format!("did you mean `{near}`?"))
}

/// The fix for an unknown word: the nearest known one, or all of them.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    let all = match known {
        [] => "remove it".to_owned(),
        _ => format!("known here: {}", known.join(", ")),
    };
    did_you_mean_or(word, known.iter().copied(), all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_an_unknown_word_none() {
        let known = ["recordsize", "logbias", "sync", "l2arc_write_max", "l2arc_write_boost"];
        assert_eq!(nearest("recordsise", known), Some("recordsize"));
        assert_eq!(nearest("l2arc_write_max_mb", known), Some("l2arc_write_max"));
        assert_eq!(nearest("frobnicate", known), None);
        assert_eq!(nearest("6", ["1", "2", "current"]), None);
    }
}
