//! Collectives of nccl-tests: names, and how their bus bandwidth is made of the algorithm's (nccl-tests, PERFORMANCE.md).

/// One collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collective {
    /// Everyone gets the sum.
    AllReduce,
    /// Everyone gets the parts of all.
    AllGather,
    /// Everyone gets a part of the sum.
    ReduceScatter,
    /// Everyone sends a part to everyone.
    AllToAll,
    /// One sends to all.
    Broadcast,
    /// One gets the sum.
    Reduce,
    /// Everyone sends to its neighbour.
    SendRecv,
    /// One gets the parts of all.
    Gather,
    /// One sends a part to each.
    Scatter,
    /// Exchanges along the edges of a cube.
    Hypercube,
}

/// All collectives with the name of their program, and what else they are called in command lines and texts.
const ALL: [(Collective, &str, &[&str]); 10] = [
    (Collective::AllReduce, "all_reduce", &["allreduce", "all-reduce", "allr"]),
    (Collective::AllGather, "all_gather", &["allgather", "all-gather", "allg"]),
    (Collective::ReduceScatter, "reduce_scatter", &["reducescatter", "reduce-scatter", "redsct"]),
    (Collective::AllToAll, "alltoall", &["all_to_all", "all-to-all", "alltoallv"]),
    (Collective::Broadcast, "broadcast", &["bcast"]),
    (Collective::Reduce, "reduce", &[]),
    (Collective::SendRecv, "sendrecv", &["send_recv", "sendrcv"]),
    (Collective::Gather, "gather", &[]),
    (Collective::Scatter, "scatter", &[]),
    (Collective::Hypercube, "hypercube", &[]),
];

impl Collective {
    /// Name of its program without `_perf`.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(own, ..)| *own == self).map_or("", |(_, name, _)| name)
    }

    /// The collective with this name, as people and programs write it.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix("_perf_mpi").or_else(|| name.strip_suffix("_perf")).unwrap_or(&name);
        let is = |(_, own, others): &&(Self, &str, &[&str])| *own == name || others.contains(&name);
        ALL.iter().find(is).map(|(collective, ..)| *collective)
    }

    /// Names of all collectives.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|(_, name, _)| *name)
    }

    /// Bus bandwidth over algorithm bandwidth for `n` ranks; `None` where the table does not say it that way.
    pub fn factor(self, n: f64) -> Option<f64> {
        match self {
            Self::AllReduce => Some(2.0 * (n - 1.0) / n),
            Self::AllGather | Self::ReduceScatter | Self::AllToAll | Self::Gather | Self::Scatter => {
                Some((n - 1.0) / n)
            }
            Self::Broadcast | Self::Reduce | Self::SendRecv => Some(1.0),
            Self::Hypercube => None,
        }
    }

    /// Whether its name is no common word, so that it means the collective wherever it stands.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::AllReduce | Self::AllGather | Self::ReduceScatter | Self::AllToAll)
    }

    /// Whether a ring carries it, whose every link is as busy as the bus bandwidth says.
    pub fn is_ring(self) -> bool {
        matches!(
            self,
            Self::AllReduce | Self::AllGather | Self::ReduceScatter | Self::Broadcast | Self::Reduce
        )
    }

    /// What the network card of each GPU carries at least, as a share of the bus bandwidth, with `n` ranks on `k` nodes:
    /// (k-1)/(n-1) for collectives that need the data of a node once (stas00/ml-engineering, network/README.md),
    /// (n-n/k)/(n-1) where every rank has something for every other.
    pub fn wire_share(self, n: f64, k: f64) -> Option<f64> {
        if k < 2.0 || n <= 1.0 {
            return None;
        }
        match self {
            Self::AllReduce | Self::AllGather | Self::ReduceScatter => Some((k - 1.0) / (n - 1.0)),
            Self::AllToAll => Some((n - n / k) / (n - 1.0)),
            _ => None,
        }
    }
}
