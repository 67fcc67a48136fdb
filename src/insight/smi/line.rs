//! What a launcher put in front of a line, and which host a line is of.

use std::collections::BTreeSet;

/// A line without what stands in front of it, and the host that this names: `0: ` of `srun -l`, `node3: ` of `pdsh`,
/// `[1,0]<stdout>:` of `mpirun`, `[pod/NAME/CONTAINER]` of `kubectl logs --prefix`, `NAME |` of `docker compose logs`, the
/// time that `kubectl logs --timestamps` puts there. `known` are hosts whose lines are split whatever stands in them.
pub(super) fn split<'t>(line: &'t str, known: &BTreeSet<String>) -> (Option<&'t str>, &'t str) {
    let line = after_time(line);
    if let Some((pod, rest)) = line.strip_prefix("[pod/").and_then(|rest| rest.split_once("] ")) {
        return (pod.split('/').next(), after_time(rest));
    }
    if let Some((front, rest)) = line.split_once(" | ")
        && is_name(front.trim())
        && starts_a_line(rest)
    {
        return (Some(front.trim()), rest);
    }
    let Some((front, rest)) = line.split_once(':') else { return (None, line) };
    let front = front.trim_start();
    let label = front.strip_suffix("<stdout>").or_else(|| front.strip_suffix("<stderr>")).unwrap_or(front);
    let ranked = label.starts_with('[') && label.ends_with(']') && label.contains(',');
    let named = is_name(label);
    let spaced = rest.is_empty() || rest.starts_with([' ', '|', '+', '#']);
    let split = (ranked || named && spaced) && (known.contains(label) || starts_a_line(rest));
    if split { (Some(label), rest) } else { (None, line) }
}

/// Whether a text can be the name of a host, a pod or a rank.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_part)
}

/// Whether it is worth while to look for a `block` at a line.
pub(super) fn may_be_block(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("----") || line.starts_with("==> ") || line.contains(" | ")
}

/// The host that the next lines are of, and how many lines say so: three of `clush -b` and `dshbak` (the name between two
/// rules), one of `ansible` (`NAME | CHANGED | rc=0 >>`), one of `head` and `tail` (`==> FILE <==`).
pub(super) fn block<'t>(lines: &[&'t str]) -> Option<(&'t str, usize)> {
    let first = lines.first()?.trim();
    if let Some(file) = first.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
        let name = file.rsplit(['/', '\\']).next()?;
        return Some((name.split('.').next()?, 1)).filter(|(name, _)| !name.is_empty());
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    if let [name, "|", "CHANGED" | "SUCCESS" | "FAILED", "|", code, ">>"] = words.as_slice()
        && code.starts_with("rc=")
    {
        return Some((*name, 1));
    }
    let rule = |at: usize| {
        lines.get(at).is_some_and(|line| line.trim().len() >= 8 && line.trim().bytes().all(|b| b == b'-'))
    };
    let name = lines.get(1).and_then(|line| line.split_whitespace().next()).filter(|_| rule(0) && rule(2))?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ',');
    name.chars().all(is_part).then_some((name, 3))
}

/// Whether what follows a colon can be a whole line of a tool, so that `Tue Jul 14 08:12:53` and `key: value` stay.
fn starts_a_line(rest: &str) -> bool {
    let line = rest.trim_start();
    let tool =
        ["|", "+-", "+=", "#", "GPU ", "GPU-", "timestamp,", "index,", "name,", "DCGM_FI_", "nvidia_smi_"];
    let figure =
        || line.split([',', ' ']).next().is_some_and(|word| !word.is_empty() && number_or_date(word));
    line.is_empty()
        || super::report::begins(line)
        || super::time::banner(line).is_some()
        || tool.iter().any(|start| line.starts_with(start))
        || figure() && line.len() > 12
}

fn number_or_date(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || b == b'/')
}

/// A line without an RFC 3339 time in front of it.
fn after_time(line: &str) -> &str {
    let Some((front, rest)) = line.split_once(' ') else { return line };
    let bytes = front.as_bytes();
    let is_time = bytes.len() >= 19 && bytes.get(10) == Some(&b'T') && bytes.get(4) == Some(&b'-');
    if is_time { rest.strip_prefix("stdout F ").unwrap_or(rest) } else { line }
}
