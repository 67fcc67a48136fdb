//! `catalog update` as a program: from a mirror to a dated answer, and a server that misbehaves: in every case the last good
//! prices stay as they are, byte for byte.

use crate::program::{Finished, Program};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// 2026-11-30, so that no test depends on its day.
const NOW: &str = "1796000000";

const FILE: &str = "skypilot/v8/aws/vms.csv";

/// A table in the format of SkyPilot: on-demand and spot prices of machines of AWS.
fn table(rows: &[(&str, &str, &str)]) -> String {
    let head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
    let row = |(machine, price, spot): &(&str, &str, &str)| {
        format!("{machine},H100,8.0,192.0,2048.0,,{price},{spot},us-east-1,us-east-1a\n")
    };
    rows.iter().fold(head.to_owned(), |text, it| text + &row(it))
}

fn good() -> String {
    table(&[("p5.48xlarge", "55.04", "20.5"), ("p5.x8large", "50", "25")])
}

/// A program with a mirror that was updated from once.
fn updated() -> Program {
    let program = Program::new().file(&format!("mirror/{FILE}"), &good()).env("SOURCE_DATE_EPOCH", NOW);
    let finished = program.run_line("gpuadvise catalog update --from mirror --as-of 2026-11-25 --json");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert_eq!(finished.json()["sources"][0]["status"], "updated", "{}", finished.stdout);
    program
}

/// All files of the data folder, what is kept for the next time included.
fn kept(program: &Program) -> BTreeMap<String, Vec<u8>> {
    let root = program.folder().join(".local/share/gpuadvise");
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).expect("inside").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

fn spot_price(program: &Program, more: &str) -> serde_json::Value {
    let line = format!(
        "gpuadvise catalog prices --instance aws/p5.48xlarge --region us-east-1 --billing spot --json {more}"
    );
    program.run_line(&line).json()["rows"][0].clone()
}

/// A server on this machine; the heads of what it was asked.
fn server(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    std::thread::spawn(move || {
        for (at, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                head.push(byte[0]);
            }
            seen.lock().expect("no panic").push(String::from_utf8_lossy(&head).into_owned());
            answer(at, &mut stream);
        }
    });
    (address, heads)
}

fn answer(stream: &mut TcpStream, head: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}

fn serving(body: impl Into<Vec<u8>>) -> String {
    let body = body.into();
    server(move |_, stream| answer(stream, "200 OK", &body)).0
}

fn update(program: &Program, from: &str, more: &str) -> Finished {
    let flags = "--as-of 2026-11-26 --provider aws --retries 0 --timeout 2";
    program.run_line(&format!("gpuadvise catalog update --from {from} {flags} {more}"))
}

/// The whole way without a network: a folder, a recommendation that uses and dates its prices, and the way back.
#[test]
fn a_folder_becomes_dated_prices_of_every_answer() {
    let program = updated();
    let row = spot_price(&program, "");
    assert_eq!((&row["usd_per_hour"], &row["price_as_of"]), (&20.5.into(), &"2026-11-25".into()));
    assert_eq!(row["source"], "SkyPilot catalog: skypilot/v8/aws/vms.csv");
    assert_ne!(spot_price(&program, "--no-updates")["usd_per_hour"], 20.5);
    let line = "gpuadvise recommend --params 1e9 --task train --gpu H100:8 --provider aws --region us-east-1 --billing spot";
    let text = program.run_line(line);
    assert!(
        text.stdout.contains("2026-11-25") && text.stdout.contains("updated-prices = aws 2026-11-25"),
        "{}",
        text.stdout
    );
    let aged = program.run_line(&format!("{line} --max-age 3"));
    assert_eq!(aged.code, 5, "{}", aged.stdout);
    // An overlay of --catalog comes last.
    let own = "schema = 1\nprice = [{ provider = \"aws\", instance = \"p5.48xlarge\", region = \"us-east-1\", billing = \"spot\", \
               usd-per-hour = 33, source = \"x\" }]\n[sources.x]\ntext = \"an offer\"\nas-of = 2026-11-01\n";
    let program = program.file("own.toml", own);
    assert_eq!(spot_price(&program, "--catalog own.toml")["usd_per_hour"], 33);
    // Twice the same gives the same bytes.
    let before = kept(&program);
    let again = program.run_line("gpuadvise catalog update --from mirror --as-of 2026-11-25 --json");
    assert_eq!((again.code, &again.json()["sources"][0]["status"]), (0, &"unchanged".into()));
    assert_eq!(kept(&program), before);
}

#[test]
fn a_price_of_the_program_that_is_newer_holds_on() {
    let program = Program::new().file(&format!("mirror/{FILE}"), &good()).env("SOURCE_DATE_EPOCH", NOW);
    assert_eq!(program.run_line("gpuadvise catalog update --from mirror --as-of 2020-01-01").code, 0);
    let row = spot_price(&program, "");
    assert_eq!(row, spot_price(&program, "--no-updates"));
}

#[test]
fn a_dry_run_keeps_nothing() {
    let program = updated();
    let before = kept(&program);
    let other = serving(table(&[("p5.48xlarge", "50.04", "20"), ("p5.x8large", "50", "25")]));
    let told = update(&program, &other, "--dry-run --json");
    assert_eq!((told.code, &told.json()["sources"][0]["changed"]), (0, &2.into()), "{}", told.stderr);
    assert_eq!(kept(&program), before);
    let empty = Program::new().file(&format!("mirror/{FILE}"), &good()).env("SOURCE_DATE_EPOCH", NOW);
    assert_eq!(empty.run_line("gpuadvise catalog update --from mirror --as-of 2026-11-25 --dry-run").code, 0);
    assert!(!empty.folder().join(".local").exists());
}

/// Answers that must not become prices, each with what the error has to say.
#[test]
fn nothing_is_lost_whatever_a_server_answers() {
    let program = updated();
    let before = kept(&program);
    let nested = "[".repeat(100_000);
    let bodies: Vec<(&str, Vec<u8>, &str)> = vec![
        ("html", b"<!doctype html><html><body>Sign in</body></html>".to_vec(), "column"),
        ("empty", Vec::new(), "failed"),
        ("json", nested.into_bytes(), "failed"),
        ("no utf-8", [b"\xff\xfe\x00\x01".as_slice(), good().as_bytes()].concat(), "failed"),
        ("NaN", table(&[("p5.48xlarge", "NaN", "NaN")]).into_bytes(), "price-not-usable"),
        ("1e308", table(&[("p5.48xlarge", "1e308", "1e308")]).into_bytes(), "price-not-usable"),
        ("negative", table(&[("p5.48xlarge", "-55.04", "-1")]).into_bytes(), "price-not-usable"),
        ("zero", table(&[("p5.48xlarge", "0", "0")]).into_bytes(), "price-not-usable"),
        ("zip", b"PK\x03\x04 and so on".to_vec(), "compressed"),
        ("long row", vec![b'a'; 3 << 20], "failed"),
    ];
    for (name, body, says) in bodies {
        let finished = update(&program, &serving(body), "");
        assert_eq!(finished.code, 1, "{name}: {}", finished.stdout);
        assert!(finished.stderr.contains(says), "{name}: {}", finished.stderr);
        assert_eq!(kept(&program), before, "{name}");
    }
}

#[test]
fn nothing_is_lost_whatever_happens_on_the_way() {
    let program = updated();
    let before = kept(&program);
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let redirect = |to: &'static str| {
        server(move |_, stream| answer(stream, &format!("302 Found\r\nLocation: {to}"), b"")).0
    };
    let cases = [
        ("refused", format!("http://{closed}"), "no connection"),
        ("500", server(|_, stream| answer(stream, "500 Oops", b"")).0, "500"),
        ("404", server(|_, stream| answer(stream, "404 Not Found", b"")).0, "does not have it"),
        (
            "slow",
            server(|_, stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nI");
                std::thread::sleep(std::time::Duration::from_secs(5));
            })
            .0,
            "too long",
        ),
        (
            "cut off",
            server(|_, stream| {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", good().len() + 500);
                let _ = stream.write_all(&[head.as_bytes(), good().as_bytes()].concat());
            })
            .0,
            "failed",
        ),
        ("circle", redirect("/again"), "redirects"),
        ("downgrade", redirect("http://example.com/vms.csv"), "only https"),
        ("other port", redirect("http://127.0.0.1:1/vms.csv"), "another host"),
        ("304", server(|_, stream| answer(stream, "304 Not Modified", b"")).0, "304"),
    ];
    for (name, from, says) in cases {
        let finished = update(&program, &from, "");
        assert_eq!(finished.code, 1, "{name}: {}", finished.stdout);
        assert!(finished.stderr.contains(says), "{name}: {}", finished.stderr);
        assert_eq!(kept(&program), before, "{name}");
    }
    for plain in ["http://example.com/mirror", "ftp://example.com", "https://"] {
        assert_eq!(update(&program, plain, "").code, 2, "{plain}");
    }
}

#[test]
fn a_server_that_recovers_is_asked_again_and_an_unchanged_answer_is_not_sent_twice() {
    let program = updated();
    let (from, heads) = server(|at, stream| match at {
        0 => answer(stream, "503 Busy", b""),
        1 => answer(stream, "200 OK\r\nETag: \"one\"", good().as_bytes()),
        _ => answer(stream, "304 Not Modified", b""),
    });
    let line = format!(
        "gpuadvise catalog update --from {from} --as-of 2026-11-26 --provider aws --retries 1 --json"
    );
    let first = program.run_line(&line);
    assert_eq!(
        (first.code, &first.json()["sources"][0]["as_of"]),
        (0, &"2026-11-26".into()),
        "{}",
        first.stderr
    );
    let second = program.run_line(&line);
    assert_eq!(
        (second.code, &second.json()["sources"][0]["status"]),
        (0, &"unchanged".into()),
        "{}",
        second.stderr
    );
    assert!(heads.lock().expect("no panic")[2].to_lowercase().contains("if-none-match: \"one\""));
    // A file that somebody changed is not taken for that answer.
    let path = program.folder().join(".local/share/gpuadvise/prices/aws.toml");
    let text = fs::read_to_string(&path).expect("prices");
    fs::write(&path, text.replace("20.5", "0.5")).expect("prices");
    program.run_line(&line);
    assert!(!heads.lock().expect("no panic").last().expect("asked").to_lowercase().contains("if-none-match"));
}

#[test]
fn lost_rows_and_another_unit_are_refused_until_they_are_allowed() {
    let program = updated();
    let before = kept(&program);
    let lost = serving(table(&[("p5.48xlarge", "55.04", "20.5")]));
    let finished = update(&program, &lost, "--json");
    assert_eq!(
        (finished.code, &finished.json()["sources"][0]["lost_pct"]),
        (4, &50.into()),
        "{}",
        finished.stderr
    );
    assert_eq!(kept(&program), before);
    let cents = serving(table(&[("p5.48xlarge", "5504", "2050"), ("p5.x8large", "5000", "2500")]));
    let finished = update(&program, &cents, "");
    assert!(finished.code == 4 && finished.stderr.contains("another unit"), "{}", finished.stderr);
    assert_eq!(kept(&program), before);
    let one = serving(table(&[("p5.48xlarge", "55.04", "30.75"), ("p5.x8large", "50", "25")]));
    assert_eq!(update(&program, &one, "--max-change 49").code, 4);
    assert_eq!(kept(&program), before);
    assert_eq!(update(&program, &one, "--max-change 50").code, 0);
    assert_eq!(update(&program, &lost, "--max-lost 50 --max-change 100").code, 0);
    let history = program.run_line("gpuadvise catalog history --billing spot --json").json();
    let row = &history["rows"][0];
    assert_eq!(
        (&row["min_per_hour"], &row["max_per_hour"], &row["snapshots"]),
        (&20.5.into(), &20.5.into(), &2.into())
    );
}

/// A first list is held against the prices of the program that it has itself; those that it does not have say nothing of it.
#[test]
fn a_first_list_in_another_unit_is_refused_and_the_right_one_is_not() {
    let cents = table(&[("p5.48xlarge", "0.5504", "0.205"), ("p5e.48xlarge", "0.6328", "0.21")]);
    let right = table(&[("p5.48xlarge", "55.04", "20.5")]);
    let program = Program::new().file(&format!("bad/{FILE}"), &cents).file(&format!("good/{FILE}"), &right);
    let program = program.env("SOURCE_DATE_EPOCH", NOW);
    let refused = program.run_line("gpuadvise catalog update --from bad --as-of 2026-11-25 --json");
    let line = refused.json()["sources"][0].clone();
    assert_eq!((refused.code, &line["status"]), (4, &"refused".into()), "{}", refused.stdout);
    assert!(refused.stderr.contains("another unit"), "{}", refused.stderr);
    assert!(line["greatest_change_pct"].as_f64().is_some_and(|change| change <= -98.0), "{line}");
    let taken = program.run_line("gpuadvise catalog update --from good --as-of 2026-11-25 --json");
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert_eq!(spot_price(&program, "")["usd_per_hour"], 20.5);
}

/// A fall is never more than 100 per cent of the old price, so limits hold it in per cent of the new one.
#[test]
fn a_fall_breaks_limits_as_the_rise_back_would() {
    let program = updated();
    let gone = serving(table(&[("p5.48xlarge", "0.01", "20.5"), ("p5.x8large", "50", "25")]));
    let finished = update(&program, &gone, "--max-change 100 --json");
    let line = finished.json()["sources"][0].clone();
    assert_eq!((finished.code, &line["greatest_change_pct"]), (4, &(-99.98).into()), "{}", finished.stdout);
    let said = "changes by -99.98 %, 550300 % seen from the new price (--max-change allows 100 %)";
    assert!(finished.stderr.contains(said), "{}", finished.stderr);
    // The half is 100, and a greater fall is not hidden by a rise.
    let half = serving(table(&[("p5.48xlarge", "27.52", "20.5"), ("p5.x8large", "90", "25")]));
    assert_eq!(update(&program, &half, "--max-change 99 --dry-run").code, 4);
    let finished = update(&program, &half, "--max-change 100 --json");
    assert_eq!((finished.code, &finished.json()["sources"][0]["greatest_change_pct"]), (0, &(-50).into()));
}

/// An older list does not take the place of a newer one.
#[test]
fn newer_prices_are_kept_when_an_older_list_comes() {
    let program = updated();
    let before = kept(&program);
    let old = program.file(&format!("old/{FILE}"), &good().replace("20.5", "19.5"));
    let finished = old.run_line("gpuadvise catalog update --from old --as-of 2026-10-01 --json");
    assert_eq!((finished.code, &finished.json()["sources"][0]["status"]), (4, &"refused".into()));
    let said = "its prices are of 2026-10-01, those that are kept are of 2026-11-25";
    assert!(finished.stderr.contains(said), "{}", finished.stderr);
    assert_eq!(kept(&old), before);
    // The way back that the message names.
    fs::remove_file(old.folder().join(".local/share/gpuadvise/prices/aws.toml")).expect("prices");
    assert_eq!(old.run_line("gpuadvise catalog update --from old --as-of 2026-10-01").code, 0);
}

#[test]
fn one_bad_source_does_not_stop_the_others_and_does_not_look_like_success() {
    let program = updated().file("mirror/oci/products.json", "{\"items\": [");
    let program = program.file(&format!("mirror/{FILE}"), &good().replace("20.5", "20.25"));
    let finished = program.run_line("gpuadvise catalog update --from mirror --as-of 2026-11-27 --json");
    let json = finished.json();
    assert_eq!((finished.code, &json["failed"]), (1, &1.into()), "{}", finished.stderr);
    assert!(finished.stderr.contains("oracle-prices failed"), "{}", finished.stderr);
    assert_eq!(spot_price(&program, "")["usd_per_hour"], 20.25);
}

#[cfg(unix)]
#[test]
fn links_inside_the_folder_are_not_followed() {
    let names = ["prices/aws.toml", "sources/aws.json", "history.csv", "lock", "prices"];
    for name in names {
        let program = updated().file("victim/aws.toml", "precious");
        let path = program.folder().join(".local/share/gpuadvise").join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).expect("a folder");
        } else {
            fs::remove_file(&path).expect("a file");
        }
        let victim = program.folder().join(if name == "prices" { "victim" } else { "victim/aws.toml" });
        std::os::unix::fs::symlink(&victim, &path).expect("a link");
        let finished = update(&program, &serving(good()), "");
        assert_ne!(finished.code, 0, "{name}");
        assert!(finished.stderr.contains("not followed"), "{name}: {}", finished.stderr);
        let precious = fs::read_to_string(program.folder().join("victim/aws.toml")).expect("the victim");
        assert_eq!(
            (precious.as_str(), fs::read_dir(program.folder().join("victim")).expect("it").count()),
            ("precious", 1)
        );
        let answer = program.run_line("gpuadvise catalog prices --instance aws/p5.48xlarge --json");
        assert_eq!(answer.code, 0, "{name}: {}", answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_and_a_kill_while_writing_leave_the_last_good_state() {
    let rows: Vec<String> = (0..400).map(|at| format!("p5.y{at}large")).collect();
    let rows: Vec<(&str, &str, &str)> = rows.iter().map(|name| (name.as_str(), "55.04", "20.5")).collect();
    let big = table(&rows) + good().lines().skip(1).collect::<Vec<_>>().join("\n").as_str();
    let limited = |program: &Program, script: &str| {
        let arguments = "catalog update --from mirror --as-of 2026-11-26 --provider aws";
        let built = env!("CARGO_BIN_EXE_gpuadvise");
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(format!("{script}; ulimit -f 16; exec '{built}' {arguments}"));
        command.current_dir(program.folder()).env_clear().env("HOME", program.folder());
        command.env("SOURCE_DATE_EPOCH", NOW).output().expect("a shell")
    };
    let program = updated().file(&format!("mirror/{FILE}"), &big);
    let before = kept(&program);
    let full = limited(&program, "trap '' XFSZ");
    assert_eq!(full.status.code(), Some(1), "{}", String::from_utf8_lossy(&full.stderr));
    assert!(String::from_utf8_lossy(&full.stderr).contains("cannot write"));
    assert_eq!(kept(&program), before);
    let killed = limited(&program, ":");
    assert_eq!(killed.status.code(), None, "{}", String::from_utf8_lossy(&killed.stderr));
    let left = kept(&program);
    assert!(left.len() > before.len(), "the kill left a half file: {:?}", left.keys());
    assert!(before.iter().all(|(name, bytes)| left.get(name) == Some(bytes)));
    assert_eq!(spot_price(&program, "")["usd_per_hour"], 20.5);
    let finished =
        program.run_line("gpuadvise catalog update --from mirror --as-of 2026-11-26 --provider aws");
    assert_eq!((finished.code, kept(&program).len()), (0, before.len()), "{}", finished.stderr);
}

#[test]
fn two_at_once_and_folders_that_cannot_be_written() {
    let program = updated();
    let before = kept(&program);
    let lock = program.folder().join(".local/share/gpuadvise/lock");
    let lock = fs::OpenOptions::new().write(true).open(lock).expect("the lock");
    lock.lock().expect("free");
    let second = update(&program, "mirror", "");
    assert!(second.code == 1 && second.stderr.contains("another `catalog update`"), "{}", second.stderr);
    assert_eq!(kept(&program), before);
    drop(lock);
    assert_eq!(update(&program, "mirror", "").code, 0);
    let program = program.file("file", "x");
    for place in ["file", "file/below", "/dev/null"] {
        let finished = update(&program, "mirror", &format!("--data {place}"));
        assert_eq!(finished.code, 1, "{place}: {}", finished.stderr);
    }
}

#[test]
fn damaged_prices_are_left_out_with_a_warning() {
    let program = updated();
    let path = program.folder().join(".local/share/gpuadvise/prices/aws.toml");
    for text in
        ["schema = 1\nprice = [", "schema = 9", "\u{0}", "schema = 1\nprice = [{ instance = \"x\" }]\n"]
    {
        fs::write(&path, text).expect("prices");
        let line =
            "gpuadvise catalog prices --instance aws/p5.48xlarge --region us-east-1 --billing spot --json";
        let finished = program.run_line(line);
        assert_eq!((finished.code, &finished.json()["warnings"][0]["id"]), (0, &"updates-unusable".into()));
        assert_eq!(finished.json()["rows"][0], spot_price(&program, "--no-updates"));
    }
    fs::write(&path, b"\xff\xfe").expect("prices");
    assert_eq!(spot_price(&program, ""), spot_price(&program, "--no-updates"));
    // The next update begins anew.
    assert_eq!(update(&program, "mirror", "").code, 1, "a file that is no text is an error with its name");
    fs::write(&path, "schema = 1\nprice = [").expect("prices");
    assert_eq!(update(&program, "mirror", "").code, 0);
    assert_eq!(spot_price(&program, "")["usd_per_hour"], 20.5);
}

/// Through a proxy that refuses: no test reaches the sources. Keys go nowhere else, and are printed nowhere.
#[test]
fn proxies_are_used_and_keys_are_never_told() {
    let (proxy, heads) = server(|_, stream| answer(stream, "403 Forbidden", b""));
    let program = Program::new()
        .env("HTTPS_PROXY", &proxy)
        .env("LAMBDA_API_KEY", "s3cret-key")
        .env("SOURCE_DATE_EPOCH", NOW);
    for flags in ["", "-v", "--json"] {
        let line = format!("gpuadvise catalog update --provider lambda --retries 0 --timeout 5 {flags}");
        let finished = program.run_line(&line);
        assert_eq!(finished.code, 1, "{}", finished.stdout);
        assert!(!(finished.stdout + &finished.stderr).contains("s3cret"), "{flags}");
    }
    let heads = heads.lock().expect("no panic").join("\n");
    assert!(heads.contains("CONNECT cloud.lambda.ai:443") && !heads.contains("s3cret"), "{heads}");
    for kept in kept(&program).values() {
        assert!(!String::from_utf8_lossy(kept).contains("s3cret"));
    }
    let none = Program::new().run_line("gpuadvise catalog update --provider vast");
    assert!(none.code == 1 && none.stderr.contains("VAST_API_KEY"), "{}", none.stderr);
}

#[test]
fn sources_are_https_known_formats_and_known_providers() {
    use gpuadvise::catalog::load::{Sections, embedded};
    use gpuadvise::refresh::{fetch::Address, format, sources::Sources};
    let catalog = embedded(Sections::PRICES).expect("the catalog");
    for source in Sources::own().expect("sources").source {
        assert!(source.url.starts_with("https://") && Address::new(&source.url).is_ok(), "{}", source.name);
        assert!(format(&source.format).is_ok(), "{}", source.name);
        assert!(
            Path::new(&source.mirror).components().all(|it| matches!(it, std::path::Component::Normal(_)))
        );
        assert_eq!(source.key_env.is_some(), source.key_header.is_some(), "{}", source.name);
        assert!(!source.licence.is_empty() && !source.providers.is_empty());
        for provider in &source.providers {
            assert!(
                catalog.resolve_provider(provider).is_ok_and(|id| catalog.provider(id).name == *provider)
            );
        }
    }
}
