use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server on this machine that answers the n-th request as it likes, and the heads of what it was asked.
fn server(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> (Address, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/a/b?c=d", listener.local_addr().expect("an address"));
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    std::thread::spawn(move || {
        for (at, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                head.push(byte[0]);
            }
            seen.lock().expect("no panic").push(String::from_utf8_lossy(&head).to_lowercase());
            answer(at, &mut stream);
        }
    });
    (Address::new(&address).expect("loopback"), heads)
}

fn fixed(answers: Vec<String>) -> (Address, Arc<Mutex<Vec<String>>>) {
    server(move |at, stream| {
        let answer = answers.get(at).or(answers.last()).expect("an answer");
        let _ = stream.write_all(answer.as_bytes());
    })
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn limits() -> Limits {
    let own = crate::refresh::sources::Sources::own().expect("the own sources").limits;
    Limits { timeout_s: 1, retries: 2, most_compressed_mib: 1, most_plain_mib: 2, ..own }
}

fn question(address: &Address) -> Question<'_> {
    Question { address, key: None, post: None, etag: None, modified: None }
}

/// The answer, and how long was waited between attempts.
fn ask(limits: Limits, question: &Question<'_>) -> (Result<Answer, Failure>, Vec<u64>) {
    let client = Client::new(limits, None).expect("a client");
    let mut waits = Vec::new();
    let answer = client.ask(question, &mut |time| waits.push(time.as_millis() as u64));
    (answer, waits)
}

fn message(limits: Limits, address: &Address) -> String {
    ask(limits, &question(address)).0.expect_err("a failure").message
}

#[test]
fn what_passes_is_tried_again_with_doubled_waits() {
    let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_owned();
    let (address, _) = fixed(vec![busy.clone(), busy.clone(), ok("fine")]);
    let (answer, waits) = ask(limits(), &question(&address));
    let Ok(Answer::New { body, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!((body.as_slice(), waits), (b"fine".as_slice(), vec![500, 1000]));
    let (address, heads) = fixed(vec![busy]);
    let (answer, waits) = ask(limits(), &question(&address));
    assert_eq!((answer.expect_err("busy").message.contains("after 3 attempts"), waits.len()), (true, 2));
    assert_eq!(heads.lock().expect("no panic").len(), 3);
}

#[test]
fn a_server_may_ask_to_wait_but_not_for_ever() {
    let later = |s: &str| format!("HTTP/1.1 429 Slow\r\nRetry-After: {s}\r\nContent-Length: 0\r\n\r\n");
    let (address, _) = fixed(vec![later("7"), later("99999999999"), ok("x")]);
    let (answer, waits) = ask(limits(), &question(&address));
    assert_eq!((answer.is_ok(), waits), (true, vec![7000, 20_000]));
}

#[test]
fn what_is_not_there_or_forbidden_is_asked_once() {
    for (status, absent) in [("404 Not Found", true), ("403 Forbidden", false), ("400 Bad", false)] {
        let (address, heads) = fixed(vec![format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")]);
        let (answer, waits) = ask(limits(), &question(&address));
        assert_eq!((answer.expect_err(status).absent, waits.len()), (absent, 0), "{status}");
        assert_eq!(heads.lock().expect("no panic").len(), 1);
    }
}

#[test]
fn marks_are_sent_and_an_unchanged_answer_is_known() {
    let same = "HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n".to_owned();
    let (address, heads) = fixed(vec![same.clone()]);
    let marked = Question { etag: Some("\"a\""), ..question(&address) };
    assert_eq!(ask(limits(), &marked).0, Ok(Answer::Same));
    assert!(heads.lock().expect("no panic")[0].contains("if-none-match: \"a\""));
    let (address, _) = fixed(vec![same]);
    assert!(message(limits(), &address).contains("304"));
}

#[test]
fn a_slow_answer_ends_and_one_that_breaks_off_is_no_answer() {
    let once = Limits { retries: 0, ..limits() };
    let (slow, _) = server(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    assert!(message(once, &slow).contains("too long"), "{}", message(once, &slow));
    let (short, _) = fixed(vec!["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_owned()]);
    let failure = ask(once, &question(&short)).0.expect_err("half");
    assert!(failure.passing, "{failure:?}");
    let (chunked, _) =
        fixed(vec!["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n".to_owned()]);
    assert!(ask(once, &question(&chunked)).0.is_err());
    let (noise, _) = fixed(vec!["SSH-2.0-OpenSSH_9.6\r\n\r\n".to_owned()]);
    assert!(ask(once, &question(&noise)).0.is_err());
}

#[test]
fn no_answer_is_longer_than_its_limits_packed_or_not() {
    let endless = |head: &'static str, piece: Vec<u8>| {
        server(move |_, stream| {
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(&piece).is_ok() {}
        })
        .0
    };
    let long = Limits { timeout_s: 30, ..limits() };
    let plain = endless("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", vec![b'x'; 1 << 16]);
    assert!(message(long, &plain).contains("longer than 2 MiB"));
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        bomb.write_all(&vec![0; 1 << 20]).expect("memory");
    }
    let bomb = bomb.finish().expect("memory");
    assert!(bomb.len() < 1 << 20);
    let packed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
    assert!(message(long, &endless(packed, bomb)).contains("longer than 2 MiB unpacked"));
    let empty = GzEncoder::new(Vec::new(), Compression::best()).finish().expect("memory");
    assert!(message(long, &endless(packed, empty)).contains("longer than 1 MiB over the wire"));
    let (huge, _) = fixed(vec!["HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n".to_owned()]);
    assert!(message(long, &huge).contains("as it announces"));
    let (other, _) =
        fixed(vec!["HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx".to_owned()]);
    assert!(message(long, &other).contains("packed"));
}

#[test]
fn a_packed_answer_is_unpacked() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(b"prices").expect("memory");
    let packed = packed.finish().expect("memory");
    let (address, heads) = server(move |_, stream| {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
        let _ = stream.write_all(&[head.as_bytes(), &packed].concat());
    });
    let Ok(Answer::New { body, .. }) = ask(limits(), &question(&address)).0 else { panic!("no answer") };
    assert_eq!(body, b"prices");
    assert!(heads.lock().expect("no panic")[0].contains("accept-encoding: gzip"));
}

#[test]
fn redirects_end_and_never_leave_the_secure_way() {
    let to = |place: &str| format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
    let (circle, heads) = fixed(vec![to("/again")]);
    assert!(message(limits(), &circle).contains("redirects"));
    assert_eq!(heads.lock().expect("no panic").len(), 6);
    for bad in
        ["http://example.com/", "http://127.0.0.1:1/", "//example.com/x", "ftp://example.com/", "http:\\x"]
    {
        let (address, heads) = fixed(vec![to(bad)]);
        let failure = ask(limits(), &question(&address)).0;
        assert!(failure.is_err() || heads.lock().expect("no panic").len() > 1, "{bad}: {failure:?}");
        assert!(bad.starts_with("http:\\") || heads.lock().expect("no panic").len() == 1, "{bad}");
    }
    let (good, _) = fixed(vec![to("c?x"), ok("there")]);
    assert!(ask(limits(), &question(&good)).0.is_ok());
}

#[test]
fn addresses_are_https_or_this_machine() {
    for good in ["https://example.com", "HTTPS://Example.com/a", "http://127.0.0.1:80/", "http://[::1]:9/x"] {
        assert!(Address::new(good).is_ok(), "{good}");
    }
    for bad in [
        "http://example.com/",
        "http://localhost/",
        "http://127.0.0.1.example.com/",
        "http://2130706433/",
        "example.com",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@example.com/",
        "https://a b/",
        "https://a\r\nb/",
        "",
        "https:///x",
        "ftp://example.com",
        "http://[::1].example.com/",
        "https://exämple.com/",
    ] {
        assert!(Address::new(bad).is_err(), "{bad}");
    }
    let secure = Address::new("https://example.com/a/b?c").expect("https");
    let text = |location: &str| secure.redirect(location).map(|it| it.text()).ok();
    assert_eq!(text("/x").as_deref(), Some("https://example.com/x"));
    assert_eq!(text("x").as_deref(), Some("https://example.com/a/x"));
    assert_eq!(text("//other.org/y").as_deref(), Some("https://other.org/y"));
    assert_eq!((text("http://example.com/"), text("http://127.0.0.1/")), (None, None));
    assert!(!secure.same_host(&Address::new("https://example.com:444/").expect("https")));
    assert_eq!(secure.shown(), "https://example.com/a/b");
}

#[test]
fn a_key_is_in_its_header_and_in_no_message() {
    let (address, heads) = fixed(vec!["HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".to_owned()]);
    let keyed = |value: &'static str| Question { key: Some(("X-Key", value)), ..question(&address) };
    let failure = ask(limits(), &keyed("s3cret")).0.expect_err("401");
    assert!(heads.lock().expect("no panic")[0].contains("x-key: s3cret"));
    let odd = ask(limits(), &keyed("s3c\nret")).0.expect_err("a line break");
    assert!(!failure.message.contains("s3c") && !odd.message.contains("s3c"), "{failure:?} {odd:?}");
}

#[test]
fn nobody_listening_is_a_failure_that_may_pass() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let address = Address::new(&format!("http://{port}/")).expect("loopback");
    let (answer, waits) = ask(limits(), &question(&address));
    assert_eq!((answer.expect_err("refused").passing, waits.len()), (true, 2));
    assert!(Client::new(limits(), Some(b"no certificate")).is_err());
}
