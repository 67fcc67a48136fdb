//! Verdicts and causes in words: what is said of each, and what to do.

/// A cause, or what else is worth telling, with its advice.
pub(super) struct Words {
    pub(super) id: &'static str,
    pub(super) message: &'static str,
    pub(super) advice: &'static str,
}

macro_rules! words {
    ($($id:literal: $message:literal, $advice:literal;)*) => {
        pub(super) const CAUSES: &[Words] = &[$(Words { id: $id, message: $message, advice: $advice },)*];
    };
}

words! {
    "plugin-missing": "the plugin of the fabric (libfabric, EFA, TCPX) may not be loaded, so that data goes over TCP sockets",
        "install the plugin of the fabric and put it on LD_LIBRARY_PATH (aws-ofi-nccl, nccl-rdma-sharp, GPUDirect-TCPX); run again with NCCL_DEBUG=INFO and look for `Using network`";
    "socket": "the rate is that of TCP sockets, not of the fast fabric",
        "run again with NCCL_DEBUG=INFO: `Using network Socket` or `NET/Socket` confirms it; then check the plugin, NCCL_IB_HCA, NCCL_SOCKET_IFNAME and the devices inside the container";
    "no-plugin-found": "the log says that no network plugin was found",
        "install the plugin of the fabric in the container and put it on LD_LIBRARY_PATH";
    "no-nvlink-path": "data between the GPUs goes over PCIe although they have a faster link",
        "look at `nvidia-smi topo -m` and `nvidia-smi nvlink -s`, at NCCL_P2P_DISABLE, and whether the fabric manager runs";
    "pcie-cards": "these cards have no link of their own: PCIe is all there is",
        "keep tensor parallelism off such nodes; data parallelism with gradient accumulation, or LoRA, moves less";
    "peer-off": "copies between cards go through the memory of the host (no peer-to-peer), which is how GeForce cards come",
        "data-centre cards have peer-to-peer copies; until then expect about half of the PCIe slot";
    "peer-off-cards": "copies between the cards seem to go through the memory of the host: peer-to-peer copies are off (virtual machine, ACS, IOMMU), or the cards sit on different CPUs",
        "look at `nvidia-smi topo -m` and `nvidia-smi topo -p2p r`, at NCCL_P2P_DISABLE and NCCL_P2P_LEVEL, and ask the provider whether its machines allow peer-to-peer copies";
    "pcie-pairs": "a bridge joins two of these cards at most; between the others, or without it, PCIe is all there is",
        "look at `nvidia-smi topo -m` (NV# is a bridge), and keep tensor parallelism inside the pairs";
    "host-memory-path": "so slow that data goes through the memory of the host: peer-to-peer copies between the GPUs are off",
        "take NCCL_P2P_DISABLE=1 away, look at `nvidia-smi topo -p2p r`, and give containers of one node one IPC namespace and enough /dev/shm";
    "bridge-needed": "whether that is enough depends on the bridge, which is optional for these cards: without it this is what PCIe carries, with it too slow",
        "look at `nvidia-smi topo -m` (NV# is a bridge), or say the machine with `--platform PROVIDER/TYPE`";
    "link-unlisted": "faster than the PCIe slot, so a link joins these cards of which the catalog has no figure",
        "compare with the figure of the bridge's maker; a `[[gpu]]` row with `link-gb-s` in a `--catalog` overlay makes it known";
    "in-place-slower": "the in-place column is much slower than the other one, and is the one that is compared: training sums its gradients in place",
        "run again; where it stays, try another version of NCCL";
    "ethernet-rate": "the rate is what plain Ethernet gives",
        "with faster cards in the machines, run again with NCCL_DEBUG=INFO and look for `Using network`, NCCL_SOCKET_IFNAME and NCCL_IB_HCA";
    "mixed-gpus": "the run mixes unlike GPUs, so it is as fast as the slowest of them and no figure of one kind is its measure",
        "run the test on each kind of GPU by itself";
    "said-otherwise": "what is said of the cluster contradicts what the file lists",
        "leave out `--platform`, `--gpu`, `--ranks` or `--nodes`, or give the file of that cluster";
    "above-the-link": "more than the links between such GPUs can carry, so the figure is of something else",
        "check that file, GPU and number of ranks belong together";
    "not-this-platform": "more than the network cards of the machine can carry, so it is another one",
        "leave `--platform` out, or say the machine that was measured";
    "nvls-off": "the rate is that of a ring: sums in the NVLink switch (NVLS) are not used",
        "do not set NCCL_NVLS_ENABLE=0 or NCCL_ALGO=Ring, start the fabric manager, and use an NCCL from 2.18 on";
    "link-degraded": "a link of the node is down or slow, or a GPU is throttled",
        "compare the nodes one by one, then `nvidia-smi nvlink -s`, `dcgmi diag -r 3`, clocks and temperatures; give a node that stays slow back";
    "cards-missing": "not all network cards of each node are used, or some run at a lower speed",
        "run again with NCCL_DEBUG=INFO and count the NET devices; check NCCL_IB_HCA, the rate of each port, and that each GPU has its card near it";
    "no-gpudirect": "data between network card and GPU may go through the memory of the host (no GPUDirect RDMA)",
        "load nvidia-peermem or DMA-BUF support; the log then says GDRDMA";
    "congestion": "the switches between the nodes may be oversubscribed or busy",
        "ask for nodes in one placement group or rail, and run the test on pairs of nodes to find the slow ones";
    "not-saturated": "the bus bandwidth still rises at the largest size, so the plateau is higher",
        "run with sizes up to 8 GiB: `-b 8 -e 8G -f 2`";
    "one-size": "only one size was measured",
        "run with many sizes: `-b 8 -e 8G -f 2`";
    "cut-off": "the output ends without its footer, so the run or the file was cut",
        "keep the whole output, and see whether the run ended by itself";
    "died": "the test stopped with an error after some sizes",
        "run again with NCCL_DEBUG=WARN; the first line that says WARN names the cause";
    "no-table": "the test failed before it measured anything",
        "run again with NCCL_DEBUG=WARN, first on one node, then on two";
    "corruption": "values arrived wrong: memory, a link or the software corrupts data",
        "take the node out of use; `dcgmi diag -r 3`, `nvidia-smi -q -d ECC` and another version of NCCL and driver tell which of them it is";
    "below-own-limit": "the average is below the limit that the test itself was given",
        "see NCCL_TESTS_MIN_BW, and remember that the average depends on the sizes";
    "one-gpu": "with a single GPU nothing crosses any link, so the bus bandwidth is 0 by definition",
        "run with all GPUs: `-g 8`, or one rank for each under mpirun or srun";
    "template": "figures are placeholders such as XX.XX that nobody filled in",
        "run the test and give its real output";
    "contradiction": "bus bandwidth, algorithm bandwidth, size and time of a row do not belong together",
        "check the collective and the number of ranks (`--collective`, `--gpus`), and whether the file was edited or mixed from several runs";
    "platform-needed": "whether that is enough depends on the machine: those with such GPUs have networks of very different speed",
        "say the machine: `--platform PROVIDER/TYPE`";
    "gpu-needed": "neither the table nor the text around it says which GPU it is of",
        "say it: `--gpu NAME`, or the machine with `--platform PROVIDER/TYPE`";
    "size-needed": "how many GPUs and nodes took part is not known",
        "say it: `--gpus N --nodes N`";
    "no-reference": "no source tells what such a cluster reaches",
        "say the machine with `--platform PROVIDER/TYPE`, or add a `[[fabric]]` row with its source in a `--catalog` overlay";
    "collective-needed": "the table does not say which collective it is of",
        "say it: `--collective all_gather` or another";
    "nvls": "above the link itself: with sums in the NVLink switch the formula of the bus bandwidth overstates; no error",
        "";
    "latency-high": "small messages take longer than on such a platform elsewhere",
        "small collectives bound tensor parallelism and large rings: check GPUDirect, core affinity and power states of the CPU";
    "drops-at-the-top": "the largest size is slower than smaller ones",
        "run again; where it stays, look for throttling and for flow control (PFC, ECN) on the fabric";
}

/// The words of a cause.
pub(super) fn cause(id: &str) -> Option<&'static Words> {
    CAUSES.iter().find(|words| words.id == id)
}
