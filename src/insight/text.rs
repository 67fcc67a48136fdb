//! Bytes to text, whatever wrote them: UTF-8 or UTF-16, colours of terminals, line ends of any system.

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
        // UTF-16 without its mark, as far as it is ASCII.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        }
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
