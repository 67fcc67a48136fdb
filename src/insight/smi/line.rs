//! Bytes to lines, and lines to what a launcher put in front of them.

/// The text of a file whatever its encoding: UTF-8 with or without a mark, UTF-16 as PowerShell writes it; what is
/// neither is replaced. Colour codes of `watch` and carriage returns are taken out.
pub(super) fn decode(bytes: &[u8]) -> String {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
    };
    without_codes(&text)
}

fn without_codes(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // CSI: ESC [ … up to a letter.
            '\u{1b}' if chars.peek() == Some(&'[') => {
                while chars.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
            }
            '\r' if chars.peek() != Some(&'\n') => clean.push('\n'),
            '\r' | '\u{1b}' | '\0' => {}
            c => clean.push(c),
        }
    }
    clean
}

/// A line without what stands in front of it, and the host that this names: `0: ` of `srun -l`, `node3: ` of `pdsh`,
/// `[1,0]<stdout>:` of `mpirun`, the time that `kubectl logs --timestamps` puts there.
pub(super) fn split(line: &str) -> (Option<&str>, &str) {
    let line = after_time(line);
    let Some((front, rest)) = line.split_once(':') else { return (None, line) };
    let front = front.trim_start();
    let label = front.strip_suffix("<stdout>").or_else(|| front.strip_suffix("<stderr>")).unwrap_or(front);
    let ranked = label.starts_with('[') && label.ends_with(']') && label.contains(',');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let named = !label.is_empty() && label.len() <= 64 && label.chars().all(is_name);
    let spaced = rest.is_empty() || rest.starts_with([' ', '|', '+', '#']);
    if (ranked || named && spaced) && starts_a_line(rest) { (Some(label), rest) } else { (None, line) }
}

/// Whether what follows a colon can be a whole line of a tool, so that `Tue Jul 14 08:12:53` and `key: value` stay.
fn starts_a_line(rest: &str) -> bool {
    let line = rest.trim_start();
    let tool = ["|", "+-", "+=", "#", "GPU ", "GPU-", "timestamp,", "index,", "name,"];
    let figure =
        || line.split([',', ' ']).next().is_some_and(|word| !word.is_empty() && number_or_date(word));
    line.is_empty()
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
