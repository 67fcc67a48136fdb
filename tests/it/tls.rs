//! `catalog update` over HTTPS, against a server on this machine with a root of its own (`SSL_CERT_FILE`): certificates that
//! must not be believed, and redirects that must not be followed.

use crate::program::{Finished, Program};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

const TABLE: &str = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n\
                     p5.48xlarge,H100,8.0,192.0,2048.0,,55.04,20.5,us-east-1,us-east-1a\n";

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

/// A server with this certificate that answers the n-th request; its address, and the heads of what it was asked.
fn server(
    certificate: &str,
    answer: impl Fn(usize) -> String + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let chain = vec![CertificateDer::from_pem_file(fixture(certificate)).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate with its key");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("https://{}", listener.local_addr().expect("an address"));
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = rustls::StreamOwned::new(connection, stream);
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                head.push(byte[0]);
            }
            // Who does not like the certificate says nothing.
            if head.is_empty() {
                continue;
            }
            let at = {
                let mut seen = seen.lock().expect("no panic");
                seen.push(String::from_utf8_lossy(&head).into_owned());
                seen.len() - 1
            };
            let _ = stream.write_all(answer(at).as_bytes());
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    (address, heads)
}

fn ok(_: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: {}\r\n\r\n{TABLE}", TABLE.len())
}

fn to(place: &str) -> impl Fn(usize) -> String + Send + 'static {
    let answer = format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
    move |_| answer.clone()
}

fn program(root: &str) -> Program {
    let root = fixture(root).display().to_string();
    Program::new().env("SSL_CERT_FILE", &root).env("SOURCE_DATE_EPOCH", "1796000000")
}

fn update(program: &Program, from: &str) -> Finished {
    let flags = "--as-of 2026-11-26 --provider aws --retries 0 --timeout 20 --json";
    program.run_line(&format!("gpuadvise catalog update --from {from} {flags}"))
}

#[test]
fn a_mirror_with_a_root_of_ones_own_is_believed_when_it_is_named() {
    let (mirror, heads) = server("server.pem", ok);
    let finished = update(&program("root.pem"), &mirror);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert_eq!(finished.json()["sources"][0]["prices"], 2);
    assert!(heads.lock().expect("no panic")[0].starts_with("GET /skypilot/v8/aws/vms.csv HTTP/1.1"));
}

/// A root that nobody named, the roots of the program, an expired certificate, and a name that is not its own.
#[test]
fn certificates_that_prove_nothing_end_the_question() {
    let (mirror, heads) = server("server.pem", ok);
    let strangers = Program::new().env("SOURCE_DATE_EPOCH", "1796000000");
    let (expired, more) = server("expired.pem", ok);
    let named = mirror.replace("127.0.0.1", "localhost");
    for (program, from) in [
        (program("other-root.pem"), &mirror),
        (strangers, &mirror),
        (program("root.pem"), &expired),
        (program("root.pem"), &named),
    ] {
        let finished = update(&program, from);
        assert_eq!(finished.code, 1, "{from}: {}", finished.stdout);
        assert!(finished.stderr.contains("not secure"), "{from}: {}", finished.stderr);
        assert!(!program.folder().join(".local/share/gpuadvise/prices/aws.toml").exists());
    }
    assert!(heads.lock().expect("no panic").is_empty() && more.lock().expect("no panic").is_empty());
}

#[test]
fn from_https_nothing_leads_to_http_and_circles_end() {
    let (plain, plain_heads) = (TcpListener::bind("127.0.0.1:0").expect("a port"), Arc::new(Mutex::new(0)));
    let address = plain.local_addr().expect("an address");
    let count = Arc::clone(&plain_heads);
    std::thread::spawn(move || plain.incoming().for_each(|_| *count.lock().expect("no panic") += 1));
    for (place, says) in [
        (format!("http://{address}/vms.csv"), "from https to http"),
        ("http://example.com/vms.csv".to_owned(), "only https"),
        ("/again".to_owned(), "more than 5 redirects"),
        ("file:///etc/passwd".to_owned(), "not an address"),
        ("//user:secret@127.0.0.1/x".to_owned(), "not an address"),
    ] {
        let (mirror, _) = server("server.pem", to(&place));
        let program = program("root.pem");
        let finished = update(&program, &mirror);
        assert_eq!(finished.code, 1, "{place}: {}", finished.stdout);
        assert!(finished.stderr.contains(says), "{place}: {}", finished.stderr);
    }
    assert_eq!(*plain_heads.lock().expect("no panic"), 0, "nobody was asked without TLS");
    // From one secure place to another is the way of every release page.
    let (there, _) = server("server.pem", ok);
    let (here, _) = server("server.pem", to(&format!("{there}/elsewhere.csv")));
    assert_eq!(update(&program("root.pem"), &here).code, 0);
}

/// A connection that is cut without the close of TLS looks like an end to who does not count.
#[test]
fn an_answer_that_is_cut_off_under_tls_is_no_answer() {
    let half = |_| format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{TABLE}", TABLE.len() + 400);
    let (mirror, _) = server("server.pem", half);
    let finished = update(&program("root.pem"), &mirror);
    assert!(finished.code == 1 && finished.stderr.contains("failed"), "{}", finished.stderr);
}
