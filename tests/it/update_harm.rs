//! `catalog update` under harm: killed at any moment, two at once, answers that drip or lie about their length, mirrors of
//! links and pipes, and prices without a day. Beside `update.rs`, which has the plain failures.

use crate::program::{Finished, Program};
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// 2026-11-30, so that no test depends on its day.
const NOW: &str = "1796000000";

const FILE: &str = "mirror/skypilot/v8/aws/vms.csv";

/// A table in the format of SkyPilot: spot at `spot` for p5.48xlarge, and so many more machines.
fn table(spot: &str, more: usize) -> String {
    let mut text = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n\
                    p5.48xlarge,H100,8.0,192.0,2048.0,,55.04,"
        .to_owned();
    let _ = writeln!(text, "{spot},us-east-1,us-east-1a");
    for at in 0..more {
        let _ = writeln!(text, "p5.y{at}large,H100,8.0,192.0,2048.0,,50,25,us-east-1,us-east-1a");
    }
    text
}

fn program(more: usize) -> Program {
    let program = Program::new().file(FILE, &table("20.5", more)).env("SOURCE_DATE_EPOCH", NOW);
    let finished = update(&program, "mirror", "--max-change 50");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    program
}

fn update(program: &Program, from: &str, more: &str) -> Finished {
    let flags = "--as-of 2026-11-26 --provider aws --retries 0 --timeout 3";
    program.run_line(&format!("gpuadvise catalog update --from {from} {flags} {more}"))
}

fn prices(program: &Program) -> PathBuf {
    program.folder().join(".local/share/gpuadvise/prices/aws.toml")
}

fn spot(program: &Program) -> serde_json::Value {
    let line = "gpuadvise catalog prices --instance aws/p5.48xlarge --region us-east-1 --billing spot --json";
    let finished = program.run_line(line);
    let json = finished.json();
    assert_eq!((finished.code, &json["warnings"]), (0, &serde_json::json!([])), "{}", finished.stderr);
    json["rows"][0]["usd_per_hour"].clone()
}

/// A server that answers every question as it likes.
fn server(answer: impl Fn(&mut TcpStream) + Send + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let answer = answer.clone();
            std::thread::spawn(move || {
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                    head.push(byte[0]);
                }
                answer(&mut stream);
            });
        }
    });
    address
}

/// Killed again and again at moments that lie all over its run: what is there afterwards is the old state or the new one,
/// whole, and the next run goes on.
#[test]
fn a_kill_at_any_moment_leaves_the_old_state_or_the_new_one() {
    let program = program(600);
    let old = fs::read(prices(&program)).expect("prices");
    let program = program.file(FILE, &table("19.5", 600));
    let arguments = [
        "catalog",
        "update",
        "--from",
        "mirror",
        "--as-of",
        "2026-11-27",
        "--provider",
        "aws",
        "--max-change",
        "50",
    ];
    let copy = Program::new().file(FILE, &table("19.5", 600)).env("SOURCE_DATE_EPOCH", NOW);
    let started = Instant::now();
    assert_eq!(copy.run(&arguments).code, 0);
    let whole = started.elapsed();
    let new = fs::read(prices(&copy)).expect("prices");
    let mut seen = [0, 0];
    for part in 0..12_u32 {
        let mut child =
            program.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a start");
        std::thread::sleep(whole * part / 12);
        child.kill().expect("a child");
        child.wait().expect("an end");
        let now = fs::read(prices(&program)).expect("prices");
        assert!(now == old || now == new, "after {part} twelfths");
        seen[usize::from(now == new)] += 1;
        assert!(spot(&program) == 20.5 || spot(&program) == 19.5);
        assert_eq!(program.run_line("gpuadvise catalog history --json").code, 0);
    }
    assert!(seen[0] > 0, "one was killed before its end");
    assert_eq!(program.run(&arguments).code, 0);
    assert_eq!(fs::read(prices(&program)).expect("prices"), new);
    let folder = prices(&program);
    let left = fs::read_dir(folder.parent().expect("a folder")).expect("a folder").count();
    assert_eq!(left, 1, "what was half done is swept up");
}

/// Two real processes: one of them writes, the other says so and changes nothing.
#[test]
fn of_two_at_once_one_waits_for_nobody_and_says_so() {
    let program = program(0);
    let body = table("19.5", 0);
    let slow = server(move |stream| {
        std::thread::sleep(Duration::from_secs(3));
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
    });
    let arguments = [
        "catalog",
        "update",
        "--from",
        &slow,
        "--as-of",
        "2026-11-27",
        "--provider",
        "aws",
        "--timeout",
        "60",
    ];
    let start =
        || program.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a start");
    let both = [start(), start()].map(|child| child.wait_with_output().expect("an end"));
    let mut codes = both.each_ref().map(|it| it.status.code());
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(1)]);
    let told: Vec<String> = both.iter().map(|it| String::from_utf8_lossy(&it.stderr).into_owned()).collect();
    assert!(told.iter().any(|it| it.contains("another `catalog update`")), "{told:?}");
    assert_eq!(spot(&program), 19.5);
}

/// Servers that drip, or lie about the length of what they send.
fn liars(body: &str) -> Vec<(&'static str, String)> {
    let (whole, half) = (body.len(), body.len() / 2);
    let sent = |head: String, body: &str| {
        let answer = format!("HTTP/1.1 {head}\r\n\r\n{body}");
        server(move |stream| drop(stream.write_all(answer.as_bytes())))
    };
    let drip = server(|stream| {
        for byte in b"HTTP/1.1 200 OK\r\nX-Long: ".iter().chain(std::iter::repeat(&b'a')) {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let flood = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").is_ok() {}
    });
    let packed = format!("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {whole}");
    let chunks = "200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF";
    vec![
        ("slow loris", drip),
        ("endless headers", flood),
        ("length too short", sent(format!("200 OK\r\nContent-Length: {half}"), body)),
        ("length too long", sent(format!("200 OK\r\nContent-Length: {}", whole + 9), body)),
        ("length is no number", sent("200 OK\r\nContent-Length: all".to_owned(), body)),
        ("two lengths", sent("200 OK\r\nContent-Length: 3\r\nContent-Length: 900".to_owned(), body)),
        ("broken chunks", sent(chunks.to_owned(), body)),
        ("not gzip", sent(packed, body)),
        ("nothing", sent("204 No Content".to_owned(), "")),
        ("a part", sent(format!("206 Partial Content\r\nContent-Length: {half}"), &body[..half])),
        ("busy", sent("429 Slow\r\nRetry-After: 1\r\nContent-Length: 0".to_owned(), "")),
    ]
}

/// A drip of header bytes, headers without end, a length that is too short or no length, and bytes behind the end.
#[test]
fn answers_that_drip_or_lie_about_their_length_change_nothing() {
    let program = program(3);
    let before = fs::read(prices(&program)).expect("prices");
    for (name, from) in liars(&table("19.5", 3)) {
        let started = Instant::now();
        let finished = update(&program, &from, "");
        assert!(matches!(finished.code, 1 | 4), "{name}: {} {}", finished.code, finished.stdout);
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        assert_eq!(fs::read(prices(&program)).expect("prices"), before, "{name}");
        assert!(
            !finished.stderr.chars().any(|c| c.is_control() && c != '\n'),
            "{name}: {:?}",
            finished.stderr
        );
    }
    assert_eq!(spot(&program), 20.5);
}

#[cfg(unix)]
#[test]
fn a_mirror_of_pipes_devices_and_folders_ends_and_of_links_to_files_is_one() {
    use std::os::unix::fs::symlink;
    let program = program(0);
    let before = fs::read(prices(&program)).expect("prices");
    let path = program.folder().join(FILE);
    fs::remove_file(&path).expect("a file");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    let refused = |what: &str| {
        let finished = update(&program, "mirror", "");
        assert!(
            finished.code == 1 && finished.stderr.contains("no plain file"),
            "{what}: {}",
            finished.stderr
        );
        assert_eq!(fs::read(prices(&program)).expect("prices"), before, "{what}");
    };
    refused("a pipe");
    fs::remove_file(&path).expect("a pipe");
    symlink("/dev/zero", &path).expect("a link");
    refused("a device");
    fs::remove_file(&path).expect("a link");
    fs::create_dir(&path).expect("a folder");
    refused("a folder");
    fs::remove_dir(&path).expect("a folder");
    symlink(&path, &path).expect("a link");
    let circle = update(&program, "mirror", "");
    assert!(circle.code == 1 && circle.stderr.contains("cannot read it"), "{}", circle.stderr);
    fs::remove_file(&path).expect("a link");
    // A mirror may be put together of links.
    let program = program.file("elsewhere.csv", &table("19.5", 0));
    symlink(program.folder().join("elsewhere.csv"), &path).expect("a link");
    for from in ["mirror", "mirror/../mirror", "./mirror//"] {
        assert_eq!(update(&program, from, "").code, 0, "{from}");
    }
    let absolute = program.folder().join("mirror").display().to_string();
    assert_eq!(update(&program, &absolute, "").code, 0);
    assert_eq!(spot(&program), 19.5);
    for odd in ["../../etc", "aws/../gcp", "/etc/passwd", "aws\u{1b}[31m", ""] {
        let finished = program.run(&[
            "catalog",
            "update",
            "--from",
            "mirror",
            "--as-of",
            "2026-11-26",
            "--provider",
            odd,
        ]);
        assert_eq!(finished.code, 2, "{odd:?}: {}", finished.stderr);
        assert!(!finished.stderr.contains('\u{1b}'));
    }
}

/// When a copy was made is not when its prices were true: without a day of their own they need one.
#[test]
fn prices_without_a_day_are_not_those_of_the_day_they_came() {
    let program = Program::new().file(FILE, &table("20.5", 0)).env("SOURCE_DATE_EPOCH", NOW);
    let finished = program.run_line("gpuadvise catalog update --from mirror --provider aws");
    assert_eq!(finished.code, 1, "{}", finished.stdout);
    assert!(finished.stderr.contains("does not say of which day") && finished.stderr.contains("--as-of"));
    let body = table("20.5", 0);
    let head = "HTTP/1.1 200 OK\r\nLast-Modified: Wed, 25 Nov 2026 07:28:00 GMT\r\nContent-Length: ";
    let answer = format!("{head}{}\r\n\r\n{body}", body.len());
    let from = server(move |stream| drop(stream.write_all(answer.as_bytes())));
    let finished = program.run_line(&format!("gpuadvise catalog update --from {from} --provider aws"));
    assert_eq!(finished.code, 1, "{}", finished.stdout);
    assert!(finished.stderr.contains("the copy is of 2026-11-25"), "{}", finished.stderr);
    assert!(!prices(&program).exists());
}

/// What was fetched goes through the compiled cache too, and is found again by what it holds.
#[test]
fn fetched_prices_are_compiled_once() {
    let program = program(400);
    assert!(fs::metadata(prices(&program)).expect("prices").len() > 64 << 10);
    let line = "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --billing spot --json";
    let verbose = |more: &str| program.run_line(&format!("{line} --verbose {more}"));
    let compiled = verbose("");
    assert!(compiled.stderr.contains("compiled into the cache"), "{}", compiled.stderr);
    let kept = verbose("");
    assert!(kept.stderr.contains("taken from the cache"), "{}", kept.stderr);
    let without = verbose("--no-cache");
    assert!(!without.stderr.contains("the cache"), "{}", without.stderr);
    assert_eq!((&compiled.stdout, &compiled.stdout), (&kept.stdout, &without.stdout));
    let assumed = kept.json()["assumptions"].to_string();
    assert!(assumed.contains("updated-prices") && assumed.contains("aws 2026-11-26"), "{assumed}");
    // An overlay above them is another catalog.
    let program = program.file("small.toml", "schema = 1\n");
    let above = program.run_line(&format!("{line} --verbose --catalog small.toml"));
    assert!(above.stderr.contains("compiled into the cache"), "{}", above.stderr);
    let text = fs::read_to_string(prices(&program)).expect("prices");
    fs::write(prices(&program), text.replacen("usd-per-hour = 20.5", "usd-per-hour = 21.5", 1))
        .expect("prices");
    let changed = program.run_line(&format!("{line} --verbose"));
    assert!(changed.stderr.contains("compiled into the cache"), "{}", changed.stderr);
    assert_eq!(changed.json()["rows"][0]["usd_per_hour"], 21.5);
    assert!(!program.run_line(&format!("{line} --no-updates --verbose")).stderr.contains("the cache"));
}

/// A machine that nobody has, far below what its GPU costs anywhere: no limit of changes can judge it, so every answer
/// that it is in says so.
#[test]
fn an_offer_that_is_too_good_is_told_in_every_answer() {
    let program = program(3);
    let trap = table("20.5", 3) + "p5.trap,H100,8.0,192.0,2048.0,,0.4,,us-east-1,us-east-1a\n";
    let program = program.file(FILE, &trap);
    let updated = update(&program, "mirror", "--json");
    assert_eq!(updated.code, 0);
    let doubtful = updated.json()["sources"][0]["doubtful"].to_string();
    assert!(
        doubtful.contains("1 price-far-below-median (such as aws/p5.trap us-east-1 on-demand"),
        "{doubtful}"
    );
    for line in
        ["recommend --params 1e9 --task train --gpu H100:8 --provider aws", "cost --instance aws/p5.trap"]
    {
        let finished = program.run_line(&format!("gpuadvise {line} --json"));
        let warnings = finished.json()["warnings"].to_string();
        assert!(warnings.contains("price-far-below-median"), "{line}: {warnings} {}", finished.stderr);
    }
}

/// Names are held to what a name may be, and a mirror cannot move a machine of the program to another GPU.
#[test]
fn names_of_a_mirror_stay_names() {
    let program = program(3);
    let evil = [
        "\"=cmd|' /C calc'!A0\"",
        "../../etc/passwd",
        "p5\u{1b}]0;owned\u{7}",
        "p5\u{202e}x",
        "<script>alert(1)</script>",
        "\"a\"\"]\nschema = 9\"",
    ];
    let mut rows = String::new();
    for name in evil {
        let _ = writeln!(rows, "{name},H100,8.0,192.0,2048.0,,50,25,us-east-1,us-east-1a");
    }
    let moved = "g4dn.xlarge,H100,8.0,4.0,16.0,,0.5,0.1,us-east-1,us-east-1a\n";
    let program = program.file(FILE, &(table("20.5", 3) + &rows + moved));
    let finished = update(&program, "mirror", "--json");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let kept = fs::read_to_string(prices(&program)).expect("prices");
    assert!(
        !kept.contains('\u{1b}') && !kept.contains('\u{202e}') && !kept.contains("\nschema = 9"),
        "{kept}"
    );
    assert!(!kept.contains("g4dn.xlarge"), "{kept}");
    for format in ["table", "csv", "markdown", "html", "json"] {
        let shown = program
            .run_line(&format!("gpuadvise catalog prices --provider aws --gpu H100 --format {format}"));
        assert_eq!(shown.code, 0, "{format}: {}", shown.stderr);
        let odd = shown.stdout.chars().find(|&c| c.is_control() && c != '\n' && c != '\r');
        assert!(odd.is_none() && !shown.stdout.contains('\u{202e}'), "{format}: {odd:?}");
        assert!(format != "html" || !shown.stdout.contains("<script>alert"), "{format}");
        assert!(format != "csv" || !shown.stdout.contains(",=cmd"), "{format}");
    }
    for folder in ["etc", ".local/etc"] {
        assert!(!program.folder().join(folder).exists());
    }
}
