//! What stands around the rows: ranks and their devices, settings, footers, failures, and what NCCL itself logs.

use super::collective::Collective;

/// One rank as the header lists it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// Its number.
    pub rank: u32,
    /// Host.
    pub host: String,
    /// Device of the host.
    pub device: u32,
    /// Address of the device on the bus, as printed.
    pub bus: String,
    /// Name of the accelerator; empty where the tool prints none.
    pub gpu: String,
}

/// `Rank  0 Group  0 Pid 3801 on node0 device  0 [0x00] Tesla V100-SXM2-32GB`, with or without the group and the name.
pub(super) fn rank(words: &[&str]) -> Option<Rank> {
    let at = words.iter().position(|word| *word == "Rank")?;
    let words = &words[at..];
    let after = |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1));
    let rank = words.get(1)?.trim_end_matches(':').parse().ok()?;
    after("Pid")?.parse::<u64>().ok()?;
    let host = (*after("on")?).to_owned();
    let device = after("device")?.parse().ok()?;
    let bus = words.iter().rposition(|word| word.starts_with('[') && word.ends_with(']'));
    let gpu = bus.map_or_else(String::new, |bus| words[bus + 1..].join(" "));
    let bus = bus.map_or_else(String::new, |bus| words[bus].to_owned());
    Some(Rank { rank, host, device, bus, gpu })
}

/// Value behind `name` in a line of settings, such as `nGpus 8`.
pub(super) fn setting(words: &[&str], name: &str) -> Option<u32> {
    let at = words.iter().position(|word| *word == name)?;
    words.get(at + 1)?.parse().ok()
}

/// What the footer says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Footer {
    /// Average bus bandwidth, and whether it passed the test's own limit; `None` where nobody filled it in.
    Average(Option<f64>, bool),
    /// Values out of bounds.
    OutOfBounds(u64, bool),
}

pub(super) fn footer(line: &str) -> Option<Footer> {
    let value = |name: &str| {
        let at = line.find(name)?;
        line[at + name.len()..].split_once(':').map(|(_, rest)| rest.trim())
    };
    let passed = !line.contains("FAILED");
    if let Some(rest) = value("Avg bus bandwidth") {
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | '+' | '-')).unwrap_or(rest.len());
        let average = rest[..end].parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        return Some(Footer::Average(average, passed));
    }
    let rest = value("Out of bounds values")?;
    let count = rest.split_whitespace().next()?.parse().ok()?;
    Some(Footer::OutOfBounds(count, passed))
}

/// Whether this is the line that names the columns.
pub(super) fn names_columns(line: &str) -> bool {
    line.contains("algbw") && line.contains("busbw") && line.contains("size")
}

/// What failed, as NCCL, the test or the launcher says it.
pub(super) fn failure(line: &str) -> bool {
    const SIGNS: [&str; 23] = [
        "Failure running neuron-bench",
        "errors found - test failed",
        "Neuron DKMS Driver is not running",
        "CUDA out of memory",
        "DUE TO TIME LIMIT",
        "PMIX ERROR",
        "Test NCCL failure",
        "Test CUDA failure",
        "Test failure",
        "NCCL failure",
        "NCCL error",
        "NCCL WARN",
        "ncclSystemError",
        "ncclInternalError",
        "ncclInvalidUsage",
        "ncclRemoteError",
        "ncclUnhandledCudaError",
        "unhandled system error",
        "unhandled cuda error",
        "Segmentation fault",
        "srun: error:",
        "exited on signal",
        "Primary job terminated",
    ];
    let coded = line.strip_prefix("Exit code:").is_some_and(|code| code.trim() != "0");
    coded || SIGNS.iter().any(|sign| line.contains(sign))
}

/// What the log of NCCL and the environment tell about the path that data takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent signs in a log, always named")]
pub struct Evidence {
    /// Network that NCCL says it uses.
    pub network: Option<String>,
    /// It talks over TCP sockets.
    pub socket: bool,
    /// It talks over InfiniBand, `RoCE`, EFA or a plugin.
    pub fast: bool,
    /// It looked for a network plugin and found none.
    pub no_plugin: bool,
    /// Copies between GPUs of a node are switched off.
    pub no_peer: bool,
    /// Sums in the switch are switched off, or the ring is asked for.
    pub no_nvls: bool,
    /// Version of NCCL or RCCL.
    pub version: Option<String>,
}

impl Evidence {
    /// Takes in one line.
    pub(super) fn read(&mut self, line: &str) {
        let has = |text: &str| line.contains(text);
        if let Some((_, rest)) = line.split_once("Using network ") {
            let network: String = rest.trim().chars().take(40).collect();
            self.socket |= network.eq_ignore_ascii_case("socket");
            self.fast |= !network.eq_ignore_ascii_case("socket") && !network.is_empty();
            self.network = Some(network);
        }
        if let Some((_, rest)) =
            line.split_once("elected Provider is ").or_else(|| line.split_once("elected provider is "))
        {
            let provider = rest.split([' ', ',']).next().unwrap_or_default();
            let slow = matches!(provider, "tcp" | "sockets" | "udp") || provider.starts_with("tcp;");
            self.socket |= slow;
            self.fast |= !slow && !provider.is_empty();
        }
        self.socket |=
            has("via NET/Socket") || has("NCCL_NET=Socket") || has("NCCL_NET set by environment to Socket");
        self.fast |= has("via NET/IB") || has("via NET/OFI") || has("via NET/AWS") || has("GDRDMA");
        self.no_plugin |= has("No plugin found")
            || (has("libnccl-net") && (has("Could not find") || has("cannot open shared object")));
        self.socket |= has("NCCL_IB_DISABLE=1") || has("NCCL_IB_DISABLE set by environment to 1");
        self.no_peer |= has("NCCL_P2P_DISABLE=1")
            || has("NCCL_P2P_DISABLE set by environment to 1")
            || has("P2P is disabled");
        self.no_nvls |= has("NCCL_NVLS_ENABLE=0")
            || has("NCCL_NVLS_ENABLE set by environment to 0")
            || has("NCCL_ALGO=Ring")
            || has("NCCL_ALGO set by environment to Ring");
        if let Some((_, rest)) = line.split_once("NCCL version ").or_else(|| line.split_once("RCCL version "))
        {
            let version = rest.split([' ', '+']).next().unwrap_or_default();
            let known = version.starts_with(|c: char| c.is_ascii_digit());
            self.version = self.version.take().or_else(|| known.then(|| version.chars().take(20).collect()));
        }
    }
}

/// Collectives that a line names by their program, such as `/opt/nccl-tests/bin/all_reduce_perf`.
pub(super) fn programs(line: &str) -> Vec<Collective> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.contains("_perf")).filter_map(Collective::from_name).collect()
}

/// The collective of a command line of nccom-test: `nccom-test -r 2 allr`.
pub(super) fn nccom_command(words: &[&str]) -> Option<Collective> {
    let at = words.iter().position(|word| word.ends_with("nccom-test"))?;
    words[at + 1..].iter().find_map(|word| Collective::from_name(word))
}

/// Ranks and machines of a command line of nccom-test: `-r 64 -N 2`; the tool takes one machine unless told.
pub(super) fn nccom_asked(words: &[&str]) -> Option<(Option<u32>, Option<u32>)> {
    let at = words.iter().position(|word| word.ends_with("nccom-test"))?;
    let value = |names: [&str; 2]| {
        let at = words[at..].iter().position(|word| names.contains(word))? + at;
        words.get(at + 1)?.parse().ok()
    };
    let ranks = value(["-r", "--nworkers"]);
    ranks.is_some().then(|| (ranks, value(["-N", "--nnodes"]).or(Some(1))))
}
