//! Lists of hosts as batch systems fold them: `node[01-04,07]`, `rack[1-2]-gpu[1-8]`, `a1,b[2-3]` (Slurm, man scontrol, `show
//! hostnames`).

/// Words in front of such a list in logs and command lines.
const NAMES: [&str; 6] = ["nodelist", "node_list", "hostlist", "host_list", "-w", "--nodelist"];

/// Most hosts of a list that are believed.
const MOST: u64 = 100_000;

/// Hosts that a line lists behind one of its names, as `SLURM_JOB_NODELIST=node[01-04]`, `NodeList: n[1-2]`, `-w n[1-2]`.
pub(super) fn listed(line: &str) -> Option<u32> {
    let mut words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | '"' | '\''))
        .filter(|word| !word.is_empty());
    words.find(|word| {
        let word = word.to_ascii_lowercase();
        NAMES.iter().any(|name| if name.starts_with('-') { word == *name } else { word.ends_with(name) })
    })?;
    count(words.next()?)
}

/// Hosts of a list; `None` where it is none.
pub(super) fn count(list: &str) -> Option<u32> {
    let (mut all, mut depth, mut start) = (0_u64, 0_u32, 0);
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                all += of_one(&list[start..at])?;
                start = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0 && (1..=MOST).contains(&all)).then(|| u32::try_from(all).ok())?
}

/// `node[01-04,07]`: the product of its brackets.
fn of_one(host: &str) -> Option<u64> {
    let name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let (mut all, mut rest) = (1_u64, host);
    // A bare number behind `-w` is one of rounds to warm up.
    let starts = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    while let Some((before, inside)) = rest.split_once('[') {
        let (ranges, behind) = inside.split_once(']')?;
        let each = ranges.split(',').map(of_range).sum::<Option<u64>>()?;
        all = all.checked_mul(each).filter(|all| *all <= MOST && name(before))?;
        rest = behind;
    }
    (starts && name(rest)).then_some(all)
}

/// `01-04` or `7`.
fn of_range(range: &str) -> Option<u64> {
    let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
    match range.split_once('-') {
        Some((low, high)) => number(high)?.checked_sub(number(low)?).map(|more| more + 1),
        None => number(range).map(|_| 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, listed};

    #[test]
    fn folded_lists_are_counted() {
        for (list, hosts) in [
            ("node[01-04]", Some(4)),
            ("node[01-04,07]", Some(5)),
            ("rack[1-2]-gpu[1-8]", Some(16)),
            ("a1,b[2-3],c", Some(4)),
            ("node01", Some(1)),
            ("node[04-01]", None),
            ("node[1-4000000000]", None),
            ("node[1-2", None),
            ("node]1[", None),
            ("[0]", None),
            ("", None),
        ] {
            assert_eq!(count(list), hosts, "{list}");
        }
    }

    #[test]
    fn a_list_stands_behind_its_name() {
        assert_eq!(listed("SLURM_JOB_NODELIST=node[01-04]"), Some(4));
        assert_eq!(listed("   NodeList: gpu[1,3] up"), Some(2));
        assert_eq!(listed("+ srun -N 2 -w \"n[1-2]\" all_reduce_perf"), Some(2));
        assert_eq!(listed("see node[01-04] for more"), None);
        assert_eq!(listed("NODELIST="), None);
        assert_eq!(listed("all_reduce_perf -b 8 -w 5 -n 20"), None);
    }
}
