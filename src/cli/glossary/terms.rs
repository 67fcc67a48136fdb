//! The paragraphs behind the ids of assumptions, warnings and rejections. A test holds that every id that the program
//! can print stands here once.

use super::Term;

macro_rules! terms {
    ($($kind:ident { $($id:literal: $text:literal;)* })*) => {
        /// All ids, by kind.
        pub(super) const TERMS: &[Term] = &[$($(Term { id: $id, kind: stringify!($kind), text: $text },)*)*];
    };
}

terms! {
    assumption {
        "task": "What to do with the model was not said; it was taken from the flags that were given. Say `--task train|finetune|infer`.";
        "shape": "Only the size of the model is known, so its layers, width and heads were inferred from published models of that size. Memory and time carry this guess. Name a preset with `--model`, give its `config.json`, or the shape by hand.";
        "years": "Years over which renting, owning and calling an API are compared. Say `--years`.";
        "utilisation": "Share of all hours in which the machines are needed. Rent by the hour is paid for these alone; commitments and servers of one's own cost all hours. Say `--utilisation`.";
        "server-price": "What a server like the rented machine costs to buy, where the catalog has a sourced price; prices of servers are quotes, not lists. Say `--server-price`.";
        "server-kw": "The most that such a server draws, by its data sheet. On average it draws less, so energy is an upper bound. Say `--server-kw`.";
        "useful-life": "Years over which a server is written off, and after which it is bought again. Large operators take 4 to 6. Say `--useful-life`.";
        "pue": "Energy of the whole data centre for each unit that servers use. Hyperscalers reach 1.1 to 1.2, rooms on premise 1.58 on average. Say `--pue`.";
        "colocation": "Space, cooling and connection for one kW of IT power and month, energy apart. Say `--colocation`.";
        "residual": "What a server is worth after its life. Nothing is assumed, since no source is good enough. Say `--residual`.";
        "peak": "Machines are rented for the busiest hour. Without `--peak` the tokens come evenly over the month, which traffic of people never does.";
        "heads": "The number of attention heads was not given. Say `--heads`, or `--head-dim`.";
        "kv-heads": "The number of key and value heads was not given. Say `--kv-heads`.";
        "vocab": "The size of the vocabulary was not given. Say `--vocab`.";
        "ffn": "The width of the MLP was not given. Say `--ffn`.";
        "samples": "Images, recordings or other samples of the training data. Without `--samples` the data set of the published recipe of such networks is taken. Say `--samples`.";
        "evaluations": "Passes of a denoiser for one image: its steps, twice with guidance. Rates are those of so many passes; half as many give twice the rate.";
        "method": "Fine-tuning changes all weights unless `--method lora` or `qlora` says otherwise.";
        "lora-rank": "Rank of the adapters: their size, and with it gradients and optimizer states. Say `--lora-rank`.";
        "epochs": "Passes over the samples. Say `--epochs`.";
        "optimizer": "The optimizer decides how many bytes of state each parameter has. Say `--optimizer`.";
        "tokens": "The amount of training data decides the time. Without `--tokens` (or `--samples` and `--epochs`) training takes 20 tokens per parameter (Hoffmann et al. 2022) and fine-tuning 50 million.";
        "seq-len": "The length of a training sequence. Say `--seq-len`.";
        "global-batch": "Sequences per optimizer step over all GPUs. It bounds how far data parallelism can go. Say `--global-batch`.";
        "precision": "The arithmetic. BF16 where the GPU has it, else FP16 with a warning; `--strict` refuses such GPUs. Say `--precision`.";
        "recompute": "Whether activations are recomputed instead of kept is searched for each machine: the fastest way that fits. Say `--recompute` to fix it.";
        "offload": "What training keeps in the memory of the host: nothing, the optimizer states with gradients and master weights (`optimizer`), or the weights as well (`all`). It needs main memory and waits for PCI Express, and is done only on request. Say `--offload`.";
        "sharding": "What data-parallel GPUs share out between them is searched for each machine. Say `--sharding` to fix it.";
        "attention": "The attention kernel. `flash` keeps memory linear in the sequence, `eager` lets it grow with the square. Say `--attention`.";
        "framework": "The class of training software, which decides the reached share of the peak. Say `--framework`, or measure your own.";
        "quota-each": "`check` holds each workload against the quotas by itself, as if it ran alone. Workloads that run at the same time and need the same quota may need more of it together: add them up, or give each its own share in the quota file.";
        "max-gpus": "The search goes up to this many GPUs unless told otherwise. Say `--max-gpus`, or `--gpus` for an exact number.";
        "goodput": "Share of the wall time in which a job makes progress; the rest is restarts, checkpoints and stalls. Taken from a sourced table by size of job. Say `--goodput`.";
        "input-len": "Tokens of a prompt. Say `--input-len`.";
        "output-len": "Tokens of an answer. Say `--output-len`.";
        "concurrency": "Requests in flight at the same time over all replicas. Say `--concurrency`, or `--rps` for a rate.";
        "rps": "Requests per second. Say `--rps`.";
        "hours": "Hours of operation that are paid. Say `--hours`.";
        "engine": "The class of serving software. Say `--engine`.";
        "quantization": "How the weights are stored. Say `--quantization`.";
        "kv-precision": "How keys and values are stored. Say `--kv-precision`.";
        "kv-rule": "What the engine reserves for layers that do not look at the whole sequence. Say `--kv-rule`.";
        "max-model-len": "The longest sequence that the engine must hold, and with it the KV cache. Say `--max-model-len`.";
        "spot-interruptions": "How often one spot machine is taken away, for an hour in which it runs. From traces of the same GPU and provider where there are any, else from the V100 traces, with the best bucket of a vendor's advisor as the low end. The range is wide and depends on GPU, region and day. Say `--interruptions-per-hour` from what you see.";
        "spot-gang": "Machines of a gang are lost together more often than one by one: the interruptions of a gang grow with this power of its size, between measured gangs and independent machines. A stated `--interruptions-per-hour` counts machines as independent.";
        "capacity-wait": "Time without machines after an interruption. It is not billed, but it is part of the wall time and of the chance to meet a deadline. Say `--capacity-wait`.";
        "checkpoint-interval": "Time between checkpoints: the one with the least expected time (Daly 2006). Say `--checkpoint-interval DUR`, or `none` where the job writes none and starts again after each interruption.";
        "checkpoint-time": "Time that writing one checkpoint takes where no job is known: that of a very large one. Say `--checkpoint-time`.";
        "checkpoint-size": "Bytes of one checkpoint, which with the write rate give its time. Say `--checkpoint-time`.";
        "checkpoint-write": "Rate at which a node writes a checkpoint. Say `--checkpoint-time`.";
        "bill-parts": "The bill is that of machines and their hours of work. What the value lists was not asked for and is not in it: `--startup` and `--idle` add billed time, `--storage` disks for the whole time that they exist (with `--stopped` also while the machines are stopped), `--egress` data that leaves for the internet.";
        "egress-allowance": "Providers let an account send some data for free each month. Nobody knows here what is left of it, so all data is priced, evenly over the months of the job, at the price of what leaves in a month.";
        "discount": "The `[discount]` of the project file was taken off the list prices of this provider and billing kind, those of overlays too. Leave a price that is net already out of one of the two.";
        "exchange-rate": "Money was converted at this rate: units of the currency for one US dollar, with its day. A rate on the command line goes above one of the catalog; without a day it is of the day of the run. Say `--fx CODE=RATE@DAY`.";
        "commitment-discount": "`--assume-commitment-discount` put a flat discount on the price on demand wherever no price of such a term is known. Nobody offers these prices; real ones differ by family and region. Use it to see whether asking for an offer is worth it.";
        "in-sample": "The sample of the program is part of what its constants were fitted on, so these errors are lower than those of machines and software that nobody measured. `docs/estimates.md` has the left-out errors; `--measurements FILE` judges by your own runs.";
        "updated-prices": "Prices that `catalog update` fetched stand in for those of the program that are older; the value has the newest day of each provider. Overlays of `--catalog` still come last. `--no-updates` leaves them out.";
        "usage-profile": "Usage was given as a week instead of a file. Say `--usage FILE` with a row for each hour.";
        "usage-repeated": "Usage is shorter than the horizon, so it is repeated from its start until the horizon is full. A year of hours shows seasons too.";
        "usage-cut": "Usage is longer than the horizon, so its latest hours are taken. `--horizon 3y` takes more of them.";
        "usage-growth": "Usage grows by `--growth` per cent a year: each hour uses so much more than the same hour a year before.";
        "usage-unit": "No machine was asked for by name or by number of GPUs, so one instance of the usage is one GPU. Say `--instance`, or `--gpu NAME:N` for nodes of N.";
        "cheapest-place": "Several regions or GPUs qualify; the one with the lowest total was taken. Say `--region` or a GPU by its full name.";
        "term-starts": "Commitments begin with the horizon and follow each other without a gap; each term may be of another size. That keeps the optimum exact.";
        "term-in-full": "A term that is longer than the horizon is owed in full, also for the time after it. `--horizon 3y` looks at the whole of a three-year term.";
        "commitment-parts": "Savings plans are a sum of money for each hour, so they may pay for a part of an instance; reserved machines, committed use and subscriptions are of whole instances. `--whole` plans all as whole, `--whole=false` all in parts.";
        "mix-left-open": "Whole instances of one contract beside parts of another, with terms of several lengths or with spot, are not searched in every mix. The figure is the distance to a plan in which everything could be bought in parts, which no plan can beat.";
        "spot-without-reruns": "Spot is taken at its price for the hour: an hourly usage does not say which work writes checkpoints, so nobody can say what is done twice. The line has the interruptions that measured rates mean for these hours, and how many more hours spot bears before it is dearer than on-demand. What interruptions add for one job is the answer of `recommend --billing spot`.";
        "restart-time": "Billed time from a restart until work goes on. Say `--restart-time`.";
        "present-machine": "Which machine is rented now was not said, so its price is that of the cheapest one with as many of these GPUs. Say `--instance PROVIDER/TYPE`, and the region.";
        "rightsize-headroom": "A smaller GPU must hold the peak of memory and the 95th percentile of activity (its peak, where work comes in bursts) with this much on top, up to what the present GPU has. `explain rightsize-memory-headroom` has the source.";
        "rightsize-scaling": "How busy another GPU would be with the same work: by the ratio of dense peaks (BF16, else FP16, else FP32) and by that of memory bandwidth, whichever asks for more. A share of time in which something ran is the most that can have been needed. Try the smaller machine before you give the present one back.";
        "rightsize-host": "Logs of GPUs say nothing of CPUs, main memory and disks. Say `--min-vcpus` and `--min-ram`.";
        "rightsize-stopped": "What stopping a machine saves counts a stopped one as free and takes the log for every month. Disks, addresses and reserved capacity are billed on, commitments too, and where GPUs are scarce a stopped machine may not start again: keep what it needs on a disk and try it.";
        "measured-network": "The links of your own cluster, as `--nccl FILE` measured them, stand in for the catalog's: the bus bandwidth of the plateau with no share taken off, and the time of small messages spread over the steps of a collective. Between nodes the network cards of the machine are the upper bound, since trees move less than the bus bandwidth says. Other machines keep the catalog's links.";
        "nccl-collective": "The table does not say which collective it is of, the text around it or the name of the file does. Say `--collective`.";
        "nccl-gpus": "The table lists no ranks; their number follows from its columns (bus bandwidth over algorithm bandwidth, or size over count). Say `--ranks`.";
        "nccl-gpu": "The table does not name its GPU, the text around it or the name of the file does. Say `--gpu`.";
        "nccl-nodes": "The table lists no hosts; the number of machines follows from the size of the machine, or is that of machines with eight GPUs. Say `--nodes`.";
        "nccl-platform": "The text around the table or the name of the file names this machine. Say `--platform PROVIDER/TYPE`.";
    }
    warning {
        "not-legal-advice": "A country, a jurisdiction or the seat of an operator was asked for. The catalog knows what its sources tag regions and companies with, and what it does not know is left out. Whether a law is kept, which level a region is certified for (MLPS, FedRAMP, C5 …) and what reaches through a parent company stands in contracts and certificates, not here.";
        "updates-unusable": "The folder of `catalog update` holds something that cannot be used (damaged, edited, a link), so the answer stands on the prices of the program alone. Fetch them again, or say `--no-updates`.";
        "nccl-not-used": "The measured network of `--nccl` is that of other machines than those looked at, or of the other kind (a node has no network between nodes), so the catalog's links stand. Look at machines with the same GPU and as many of them, or give the output of such a cluster.";
        "impact-unknown": "What the measured network means for the workload cannot be said; the message has the reason. It is worked out for training of networks that work on tokens, from a table of a collective that a ring carries.";
        "exchange-rate-old": "Money was converted at a rate that is older than `--max-age` allows prices to be. Say a newer one with its day, `--fx CODE=RATE@DAY`.";
        "no-exchange-rate": "Machines that would qualify are priced in a currency of which no rate is known, so they cannot be compared with others and never count as the cheapest. Say the rate with its day, `--fx CNY=RATE@DAY`; or `--currency CNY` for an answer about these machines alone, without any rate.";
        "api-ended": "Prices of APIs whose end was announced for a day in the past are left out.";
        "api-unknown": "The catalog has no price of an API that serves this network. `--api PROVIDER/MODEL` compares another model.";
        "cached-price-unknown": "The source has no price of cached input, so cached tokens count at the price of input: the bill of the API is an upper bound. `--cached-price` says it.";
        "gpu-not-in-catalog": "The catalog has no GPU of this name, so no price and no peak of it are known. Add a row with `--catalog`, or say `--gpu`. A table cuts long names; `nvidia-smi --query-gpu=name --format=csv` does not.";
        "several-cards": "The driver calls several cards by this name, and memory and power limit do not tell them apart. Say `--gpu`.";
        "part-of-machine": "The machine has more GPUs than the log shows, for example since it was written inside a container. The price is that of the whole machine, with the share of those in the log beside it. A share cannot be given back, so no saving is named until the whole machine can go.";
        "driver-failure": "A tool printed this instead of figures. A GPU that fell off the bus, or a driver that does not answer, is paid for all the same: replace the machine.";
        "gpu-errors": "The driver printed ERR!, a lost GPU or an unknown error where a figure should stand. Drain the machine, look for the Xid in the kernel log, and have it replaced.";
        "memory-from-catalog": "The driver gives no total memory (`[N/A]`, 0 MiB, Not Supported, as on machines with unified memory), or the log has no such column. The figure of the catalog is taken, never 0.";
        "memory-by-process": "The driver gives no memory in use of the GPU, so that of its processes is added up. Contexts and reserves of the driver are not in it.";
        "memory-unknown": "Memory in use is not in the log, so nothing smaller can be advised. Query `memory.used`, or run `nvidia-smi dmon -s pucm`.";
        "driver-reserve": "Memory in use and free memory add up to less than the total: the driver keeps the rest.";
        "above-100-pct": "Shares of time or of cycles above 100 %, which DCGM prints for MIG instances, count as 100 %.";
        "mig-no-utilisation": "With MIG on, the driver has no utilisation of the GPU. DCGM has SM activity of each instance: `dcgmi dmon -e 1002,1004,1005`.";
        "activity-unknown": "Where a figure of activity should stand, there is none. MIG is on, or the card does not tell.";
        "utilisation-only": "GPU utilisation is the share of time in which any kernel ran: a single busy SM reads 100 %. Verdicts from it have low confidence. DCGM has the activity of SMs (1002), tensor cores (1004) and device memory (1005).";
        "busy-at-low-power": "Something runs nearly all the time, and the GPU draws little of its power limit: few of its SMs may be busy. SM activity tells.";
        "memory-preallocated": "This program takes most of the memory at its start, whatever it needs. Its own log or metrics say how much of it is used; lower its share, or look there before you rent less.";
        "memory-flat": "Memory in use never moves and is most of what there is, as with programs that take it ahead of need and allocators that keep what they took. Then it does not say what is needed, and near the limit it does not say that the next allocation fails.";
        "video-engine": "The video encoder or decoder is busy. GPUs differ in how many they have (A100 and H100 have no encoder), which the catalog does not know, so nothing else is advised.";
        "memory-by-instance": "With MIG on, DCGM tells memory of each instance and not of the GPU. What is in use is taken as the sum of the peaks of its instances: an upper bound, since they need not come together.";
        "mig-empty-instances": "With MIG on, a GPU is cut into instances, and those named hold no more memory than an empty one shows. They are paid for with the GPU: give them to other work, or put them together.";
        "log-longer": "One poll, or two, show a moment: the memory in it is a lower bound of what the work needs, and a busy GPU can read 0 % in it. Log over the whole of the work, every few seconds, and give the file.";
        "no-timestamps": "The polls have no times, so nobody knows how long they cover. Query `timestamp`, or run `dmon -o DT`.";
        "mig-slice-holds-peak": "The GPU can be cut into instances, and one of them would hold the peak. Several such jobs then share one GPU.";
        "memory-growing": "Memory in use of the last third of the log is above that of the first two, and by a tenth of the peak or more above the first: a leak, a growing cache or longer inputs. The peak is not the end of it, so nothing smaller is advised. Watch it until it stays, or mend the leak.";
        "bursty": "The peak of activity is far above its 95th percentile: work comes in bursts that take little of the time. The peak counts as what is needed, and confidence is low. If the bursts may take longer, a smaller GPU does; if they are far apart, start the machine for them.";
        "memory-impossible": "Memory in use above all the memory of the GPU is a bad reading (a wrong unit, columns that are swapped, a broken exporter). Such figures do not count. Look at the columns and units of the log.";
        "loaded-but-idle": "Nothing runs, and memory is taken: a server without requests, a notebook with a model in it, or a process that was left behind. It may wait for requests that come later, so confidence is low. Look what it is before you release the GPU.";
        "duty-cycle": "Nothing ran for long stretches of the log. Stop the machine in them and start it for the work (a schedule, or an autoscaler that goes to zero); a commitment is owed all the same.";
        "spot-refused": "Spot was asked for, and on these rows its reruns cost more than it saves, or the job would never end. Such an offer is never ranked; the row keeps the figures. Write checkpoints, write them faster, take fewer machines, or fall back with `--spot-fallback-after`.";
        "measured-unreadable": "Cells of measured columns hold something that is no figure above 0 (a thousands separator, a unit, NaN), or `fits` is neither yes nor oom. They are compared with nothing. Write plain numbers.";
        "part-unknown": "Storage or egress was asked for, and the catalog has no price for it at this provider and region. The total is at least what it says, the part is `null`, and the row stands behind all that are wholly known; with a budget it does not qualify. Add a `[[charge]]` row with its source in a `--catalog` overlay.";
        "commitment-owed": "The first row is ranked by the job's share of a term, `--budget` and `--fail-over` hold that share, and the contract owes the whole term, used or not; the message has both sums. `check` and `diff` count what is owed. Leave commitments out with `--billing on-demand`, or see `commitments` for what a term is worth.";
        "commitment-never-pays": "The price of this commitment is not below that on demand, so no usage makes it pay. Check the price; the plan does not use it.";
        "several-places": "Base and burst are cheapest at different providers or in different regions. Data and images must be in all of them, and moving data may cost more than it saves. `--provider` and `--region` keep the plan in one place.";
        "bf16-fallback": "This GPU has no BF16 arithmetic, so the job is planned in FP16, which needs loss scaling. `--strict` leaves such GPUs out.";
        "encoder-by-formula": "Training of an encoder such as BERT is planned with constants that were fitted on decoders. `accuracy` compares encoders with measured rates instead, so its errors do not hold here. On V100 published rates are two to three times as fast. Measure some steps before you rent for long.";
        "moe-balanced-routing": "Memory and time of a mixture of experts take every expert for equally busy, as most published runs are measured. Real routing is uneven: GPUs with popular experts need more memory and the others wait for them. Published rates of one setup also differ by up to a half between releases of the same software, so the range of the time is wide. `--ep` fixes over how many GPUs the experts are spread.";
        "params-disagree": "The shape and the stated number of parameters do not agree; the message says by how much. Check both against the model card.";
        "seq-len-above-native": "The model was trained on shorter sequences than `--seq-len` asks for. Memory and time are right, the quality of the result is not known.";
        "max-model-len-above-native": "The engine is asked to hold longer sequences than the model was trained for. Memory and time are right, the quality of the answers is not known.";
        "model-reading": "Something in the description of the model was missing or unusual and was read in the way the message says. Check it against the model card.";
        "other-version": "The two answers come from different versions of the program. Where the versions estimate differently, `diff` counts that as workload. Make both answers with one version to compare prices.";
    }
    rejection {
        "block-too-short": "Capacity is sold in blocks of whole days or weeks there, and none is as long as the job. Split the job, or take another contract.";
        "instance": "Another machine than `--instance` asks for.";
        "provider": "Another provider than `--provider` asks for.";
        "tier": "A kind of provider that `--tier` leaves out. Marketplaces rent out machines of third parties and are left out unless asked for.";
        "stack": "The accelerator runs other software than `--stack` asks for (by default CUDA).";
        "gpu": "Another GPU than `--gpu` asks for.";
        "gpus-per-node": "Another number of GPUs in one machine than the `:N` of `--gpu` asks for.";
        "fractional": "A share of a GPU, which `--no-fractional` leaves out.";
        "min-vcpus": "Fewer virtual CPUs than `--min-vcpus`, or their number is not known.";
        "min-ram": "Less main memory than `--min-ram`, or it is not known.";
        "region": "No price in a region that `--region` allows.";
        "country": "No price in a region of a country that `--country` allows; an unknown country complies with nothing.";
        "jurisdiction": "No price in a region under a jurisdiction that `--jurisdiction` allows; an unknown one complies with nothing.";
        "operator": "No price in a region whose operator has its seat where `--operator-country` or `--operator-jurisdiction` allows; an unknown seat complies with nothing. A seat is not a promise about data: parent companies and contracts count too.";
        "billing": "Not sold under a contract that `--billing` allows.";
        "max-age": "The price is older than `--max-age` allows, counted from the earliest day that its source allows.";
        "not-offered": "Not sold under the asked contracts in the allowed regions.";
        "price-unknown": "The machine is sold, but the catalog has no price for it, or one in a currency without a rate; or storage or egress was asked for whose price is not known, and no budget holds for that. Add it with a `--catalog` overlay, or say the rate: `--fx CNY=RATE`, units for one US dollar.";
        "price-too-old": "Every price is older than `--max-age` allows.";
        "spot-not-worth-it": "With its reruns (the nearest miss has the expected hours and both costs), or by `--min-spot-discount`, spot is not cheaper than on-demand.";
        "host-memory": "What `--offload` keeps on the host needs more main memory than a node has. More nodes, `--offload optimizer` instead of `all`, sharding, or a machine with more RAM help.";
        "memory": "Even the layout that needs least does not fit the memory of the GPU. More GPUs, more sharding, recomputation, a smaller batch or context, LoRA or quantised weights need less.";
        "layout": "No parallel layout exists: the pins, the heads, the layers or the batch do not divide.";
        "gpu-count": "The asked number of GPUs cannot be made of whole machines of this kind.";
        "deadline": "The job takes longer than `--deadline`.";
        "max-hourly": "An hour of the configuration costs more than `--max-hourly`.";
        "budget": "The job costs more than `--budget`.";
        "ttft": "The first token comes later than `--ttft` allows, even on an idle replica.";
        "tpot": "Output tokens come slower than `--tpot` allows.";
        "nodes": "More machines would be needed than `--max-nodes` or the known network allows.";
        "precision-unsupported": "The GPU has no such arithmetic. The catalog's flags decide: no BF16 on V100 or T4, no FP8 on A100.";
        "unsupported-by-engine": "The serving engine does not run on GPUs of this compute capability; the message names the lowest one and its source. Say another `--engine`.";
        "quantization-unsupported": "No kernels for weights in this format run on GPUs of this compute capability; the message names the lowest one and its source. Say another `--quantization`.";
        "peak-unknown": "No source gives the peak of this GPU in this precision, so its time cannot be estimated.";
        "network-unknown": "The network between these machines is in no source, so they are offered alone. `--assume-network GBPS` takes one for granted.";
        "link-unknown": "No source says how fast the accelerators of one node are linked, so only one of them is judged. Add `link-gb-s` or `pcie-gen` to the GPU in an overlay.";
        "kv-rule-unknown": "The KV cache of this model follows no rule that is known here, so serving is not estimated.";
        "quota": "More than a quota of `--quota` allows in every region that is left; the message has both numbers. Ask for more quota, or take fewer or other machines.";
        "rate-unknown": "No rate of this network, nor of one that uses a GPU alike, was measured for this task, and no formula reaches that far. Add a `[[measured-rate]]` row with its source in a `--catalog` overlay.";
        "load": "As many of these machines as may be rented do not bear the asked rate of samples. Raise `--max-gpus`, or lower `--rps`.";
        "not-on-tokens": "The network works on samples, and formulas for tokens say nothing about it.";
        "constant-missing": "The catalog has no constant for this GPU, precision and class of software. Add a `[[constant]]` row with its source.";
        "specification-missing": "The catalog lacks a figure of this GPU that the estimate needs. Add it with its source.";
    }
    verdict {
        "errors": "The GPU or its driver fails. Nothing else is said of it.";
        "too-small": "Peak memory is so near to what can be used that the next allocation may fail. Frameworks keep freed memory, so it can be less tight than it looks. `fit` says what the workload needs.";
        "not-enough-data": "The log does not say enough: too few polls, or no memory or no activity in it. The reason stands beside it.";
        "idle": "Nothing runs on it. Release it, or start it when it is needed.";
        "oversized": "Less than half of its memory and of its time is used, or some of several GPUs are idle.";
        "memory-bound": "Memory, or its bandwidth, is what keeps the workload on this GPU, and not arithmetic.";
        "right-sized": "It is used. Something cheaper may hold the workload all the same, and is then named.";
    }
    violation {
        "budget-total": "All workloads of the project, each once and to its end, cost more than `total` in `[budget]` allows. A commitment counts with all that is owed. Each workload says which part is its own.";
        "budget-monthly": "A month of 730 hours of all workloads costs more than `monthly` in `[budget]` allows. A workload that ends within 730 billed hours counts in full.";
        "budget-hourly": "An hour in which all workloads run costs more than `hourly` in `[budget]` allows.";
        "budget-max-age-days": "The price of the choice is older than `max-age-days` in `[budget]` allows, counted from the earliest day that its source allows. Update the catalog, or put the current price into an overlay.";
        "unknown-price": "Something fits, but no price of it is known, or none of its storage or egress, so no budget can be held. It fails unless `unknown-price` in `[budget]` is `warn`. Add the price with a `--catalog` overlay.";
        "every-price-too-old": "Something fits, but every price of it is older than `max-age` allows. Update the catalog, or allow older prices.";
        "nothing-fits": "No machine holds the workload under its constraints; the message has the nearest miss. Loosen the constraint that it names.";
        "workload-fail-over": "The workload costs more than its own `fail-over`.";
    }
    verdict {
        "healthy": "The bus bandwidth at the largest size is what published runs or health checks of such machines reach, or the usual share of their links. It is not compared by the average, which depends on the sizes.";
        "pcie-only": "Data between the GPUs goes over PCIe. Of cards without a link of their own that is all there is, and passes where it is what the slot carries; of GPUs with NVLink it means that the link is not used, and fails. Below about half of the slot, copies go through the memory of the host.";
        "degraded": "Slower than such clusters are: below the limit of a health check, or below 85 % of published runs (operators warn there, and report below 64 to 75 %). The causes are listed, the likeliest first.";
        "socket-fallback": "Several nodes, so slow that the fast fabric is not used at all: data goes over TCP. The usual cause is a network plugin that was not loaded; the test ends with `0 OK` all the same.";
        "sizes-too-small": "The sizes end before the bus bandwidth has stopped rising, so nothing can be said. Run with `-b 8 -e 8G -f 2`.";
        "depends-on-platform": "Enough for some machines with such GPUs and too slow for others; or several nodes slower than all machines of the catalog, which need not be one of them. Say `--platform PROVIDER/TYPE`. With cards whose bridge is optional it is the bridge that decides.";
        "unknown-platform": "There is nothing to hold the figures against: the GPU, the number of ranks or nodes, or a published figure is missing; or it is faster than all that is known of such GPUs. The message says which.";
        "single-gpu": "A single GPU sends nothing over any link, so its bus bandwidth is 0 and says nothing.";
        "inconsistent": "The file contradicts what is said of it or itself. Ranks are listed with other GPUs, or other numbers, than `--platform` and its like say; a run mixes unlike GPUs; it is faster than the links or network cards of that machine can carry; or the columns of most rows contradict each other: bus bandwidth is not algorithm bandwidth times the factor of the collective (2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter and alltoall, 1 for broadcast and reduce), or size over time is not the algorithm bandwidth.";
        "wrong-results": "Values arrived wrong. Nothing else matters before that is mended: take the node out of use.";
        "failed": "The test failed before or while it measured, or missed the limit that it was given.";
        "truncated": "There is a header and no row: the run or the file was cut.";
        "template-not-filled": "Placeholders such as XX.XX stand where figures belong: a page that shows what the output looks like, not an output.";
    }
    skipped {
        "commitment-not-below-on-demand": "A price with a term that is above the on-demand price of the same machine and region, of this import or of the catalog. Almost always a slip of columns or units, or an on-demand price that is out of date. Import the on-demand prices of the same day, or write the row by hand with a waiver.";
        "conflicting-prices": "The source has two prices for the same machine, region, billing kind and upfront. None is taken; the example has both.";
        "currency-not-known": "The currency is no code of ISO 4217, or a row has several.";
        "date-not-usable": "The day of the row is no day of the calendar, or lies in the future.";
        "gpu-ambiguous": "The source's name for the GPU could mean several, and neither its memory nor the machines of the provider leave one. Add the machine to a `--catalog` overlay, then import again.";
        "gpu-count-differs": "The source gives another number of GPUs than the machine of the catalog with this name has, or a number that cannot be.";
        "gpu-memory-differs": "No GPU of this name has the memory that the source gives, per GPU or as the total of all.";
        "gpu-not-known": "The catalog has no GPU under this name. A `[[gpu]]` row, or an alias, in a `--catalog` overlay makes it known.";
        "local-zone": "A local or wavelength zone, which AWS lists under its region at other prices.";
        "machine-not-known": "The catalog does not have the machine, and the source does not say which GPU is in it. Add an `[[instance]]` row in a `--catalog` overlay.";
        "name-not-usable": "A name of a machine, region, zone or GPU that is missing, longer than 128 characters, or holds control codes.";
        "no-billing-kind": "A contract that the catalog has no kind for: convertible reservations, low priority, other terms.";
        "no-gpu": "A machine without an accelerator, which the catalog does not hold.";
        "no-price": "The source leaves the price blank.";
        "not-a-price": "A saving in per cent or the least bid: no price is made of either.";
        "not-offered-there": "The source says that it is not offered there now; the price beside it is a placeholder.";
        "older-quote": "A newer price of the same zone is in the source.";
        "other-product": "Something else than a machine with accelerators or a part of one.";
        "other-software": "With Windows, or with other software that is paid by the hour.";
        "other-tenancy": "Dedicated hosts, dedicated instances, reserved capacity and cloud services.";
        "parts-missing": "The price of the machine is a sum, and one part of it has no price there.";
        "price-not-usable": "A price of zero or below, not a finite number, or above a million an hour.";
        "provider-not-known": "No provider of the catalog has this name, and the file does not say one. Say `--provider`, or add a `[[provider]]` row in a `--catalog` overlay.";
        "row-malformed": "A row with another number of fields than the header, or one that is not UTF-8.";
        "secondary-meter": "The same machine and region once more, in a meter region that is not the primary one.";
        "spot-equals-on-demand": "A spot price that equals on-demand, outside the hyperscalers: the provider has no spot market and repeats the figure.";
        "three-year-not-below-one-year": "A three-year price above the one-year price of the same kind, machine and region. Almost always two columns swapped.";
        "too-many-quotes": "More than 4,000 quotes of one price; the first ones count.";
    }
}
