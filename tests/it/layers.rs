//! Arrows between the rooms of `src/` go only where the table of ARCHITECTURE.md lets them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Arrows = BTreeMap<String, BTreeSet<String>>;

#[test]
fn rooms_use_only_the_rooms_that_the_table_allows() {
    let allowed = table();
    let used = arrows();
    let forbidden: Vec<String> = used
        .iter()
        .flat_map(|(room, others)| {
            let allowed = allowed.get(room).unwrap_or_else(|| panic!("`{room}` is not in the table"));
            others.difference(allowed).map(move |other| format!("{room} -> {other}"))
        })
        .collect();
    assert!(forbidden.is_empty(), "arrows that ARCHITECTURE.md does not allow: {forbidden:?}");
}

#[test]
fn the_table_is_current() {
    let (allowed, used) = (table(), arrows());
    let rooms = |arrows: &Arrows| arrows.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(rooms(&allowed), rooms(&used), "rooms of the table and of src/");
    let stale: Vec<String> = allowed
        .iter()
        .flat_map(|(room, others)| {
            others.difference(&used[room]).map(move |other| format!("{room} -> {other}"))
        })
        .collect();
    assert!(stale.is_empty(), "arrows of the table that no file uses, take them out: {stale:?}");
}

#[test]
fn the_table_has_no_cycle() {
    let mut left = table();
    while !left.is_empty() {
        let free: Vec<String> =
            left.iter().filter(|(_, uses)| uses.is_empty()).map(|(room, _)| room.clone()).collect();
        assert!(!free.is_empty(), "a cycle among {:?}", left.keys());
        for room in free {
            left.remove(&room);
            for uses in left.values_mut() {
                uses.remove(&room);
            }
        }
    }
}

#[test]
fn uses_are_found_in_every_spelling() {
    let text = "use crate::money::Usd;\nuse crate::{\n    diag::{self, Place}, units};\nlet x = crate::price::in_usd(p);\n\
                // crate::comment\nmacro_rules! m { () => { $crate::advise } }";
    let found: Vec<String> = used_rooms(text).into_iter().collect();
    assert_eq!(found, ["diag", "money", "price", "units"]);
}

/// The network is opened in one place, and its words are used by the one command that may.
#[test]
fn only_the_fetch_of_refresh_opens_a_network_connection() {
    let src = root().join("src");
    for path in files(&src) {
        let inside = path.strip_prefix(&src).expect("inside src").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).expect("a source file");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        let opens = ["ureq", "std::net", "TcpStream", "UdpSocket", "UnixStream", "rustls"];
        let opens = opens.iter().any(|word| code.contains(word));
        assert!(!opens || inside.starts_with("refresh/fetch/"), "{inside} opens a network connection");
        let asks = code.contains("refresh::fetch") || code.contains("fetch::Client");
        let may = inside.starts_with("refresh/fetch/") || inside.starts_with("cli/cmd/catalog/update");
        assert!(!asks || may, "{inside} uses refresh::fetch");
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(manifest.contains("refresh = [\"dep:flate2\", \"dep:sha2\", \"dep:ureq\"]"));
}

/// The table: rows whose first cell is a room in backquotes, and whose last cell lists rooms in backquotes.
fn table() -> Arrows {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = text.split("## Layers").nth(1).expect("a section `## Layers`");
    let section = section.split("\n## ").next().unwrap_or(section);
    let quoted =
        |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let mut arrows = Arrows::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let uses = quoted(cells.last().expect("cells"));
        for room in quoted(cells[0]) {
            arrows.insert(room, uses.clone());
        }
    }
    arrows
}

/// What the code does: for each room, the rooms that its files name.
fn arrows() -> Arrows {
    let src = root().join("src");
    let mut arrows = Arrows::new();
    for path in files(&src) {
        let inside = path.strip_prefix(&src).expect("inside src").to_owned();
        let first = inside.iter().next().and_then(|part| part.to_str()).expect("a name");
        let room = first.trim_end_matches(".rs").to_owned();
        // `lib.rs` lists the rooms and `main.rs` calls the last one; tests may look from everywhere.
        if matches!(room.as_str(), "lib" | "main")
            || inside.ends_with("tests.rs")
            || inside.iter().any(|p| p == "tests")
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        let uses = arrows.entry(room.clone()).or_default();
        uses.extend(used_rooms(&text));
        uses.remove(&room);
    }
    arrows
}

fn used_rooms(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).fold(
        String::new(),
        |mut code, line| {
            code.push_str(line);
            code.push('\n');
            code
        },
    );
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => rooms.extend(first_names(group)),
            None => rooms.extend(name(rest)),
        }
    }
    rooms
}

/// First segments of a `{a::b, c::{d, e}}` group, without its opening brace.
fn first_names(group: &str) -> Vec<String> {
    let (mut depth, mut item, mut names) = (1, String::new(), Vec::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            names.extend(name(item.trim()));
            item.clear();
        } else {
            item.push(c);
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn name(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
