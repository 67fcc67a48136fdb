//! Texts behind the flags in `--help`: exit codes and two worked examples a command. A test runs every example.

/// Below the short help of the program.
pub const MAIN_SHORT: &str = "\
Start with: gpuadvise recommend --params 1e9 --task train

More: `gpuadvise COMMAND --help` (`-h` for a summary)";

/// Below the long help of the program.
pub const MAIN: &str = "\
Start with:
  gpuadvise recommend --params 1e9 --task train
  gpuadvise cost --hours 720

Settings: a flag comes before the environment (GPUADVISE_REGION for --region and so on), the environment before
[defaults] of the project file, that before the built-in default.

Exit codes:
  0  answered
  1  the tool itself failed (I/O, a bug)
  2  bad input: flag, file, unit, unknown or ambiguous name
  3  nothing fits or qualifies under the constraints
  4  a budget or policy is broken
  5  catalog problem: invalid, or every qualifying price unknown or too old";

/// Below the short help of a command.
pub const MORE: &str = "Exit codes and examples: --help";

/// Below the long help of `calibrate`.
pub const CALIBRATE: &str = "\
Reads the columns of `accuracy`: for training model, gpu, gpu_count, seq_len, method, precision, framework, micro_batch and
metric_tokens_per_s_per_gpu or metric_samples_per_s; for serving model, gpu, gpu_count, kind, engine, weight_precision,
input_len, output_len, batch_or_concurrency and a measured rate or time. Only the constants that the runs determine move.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, or fewer than 2 runs to fit to, 5 invalid catalog

Examples:
  # Then, with the --framework of the runs: gpuadvise recommend --params 8B --task train --catalog mine.toml
  gpuadvise calibrate --runs my-runs.csv --output mine.toml
  # Errors before and after, and what was skipped
  gpuadvise calibrate --runs my-runs.csv --json";

/// Below the long help of `export`.
pub const EXPORT: &str = "\
Makes what starts the machines of one row: provider, region, machine, nodes, spot or on demand, the price as a guard where the
tool has one, and the command with its layout as far as sources tell. What no source tells (images, accounts, your script) is
a variable without a value, on which the tool stops and says so. The row is that of a stored answer (--from), or of a search
with the flags of `recommend`. The file goes to stdout as it is; --format json has all files with notes.
Providers and their sources: docs/export.md.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 nothing fits or qualifies, 4 the best row costs more than
--fail-over, 5 invalid catalog or no usable price

Examples:
  # Serve a model on the cheapest machine of AWS, started by SkyPilot
  gpuadvise export --to skypilot --model llama-3-8b --task infer --provider aws --output sky.yaml
  # The same from a stored answer: gpuadvise recommend ... --json --output result.json
  gpuadvise export --to kubernetes --from result.json --rank 2";

/// Below the long help of `completions`.
pub const COMPLETIONS: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input

Examples:
  # Complete in this bash session: source <(gpuadvise completions bash)
  gpuadvise completions bash
  # For fish, for good
  gpuadvise completions fish --output gpuadvise.fish";

/// Below the long help of `man`.
pub const MAN: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input

Examples:
  # Read it: gpuadvise man | man -l -
  gpuadvise man
  # The page of one command
  gpuadvise man completions";

/// Below the long help of `rightsize`.
pub const RIGHTSIZE: &str = "\
Reads the nvidia-smi table, --query-gpu and --query-compute-apps as CSV with its header, dmon, pmon, -q -x (XML), and dcgmi
dmon; shapes may follow each other in one file. A poll is no series: let it run through a whole working day, best with
  dcgmi dmon -e 1002,1003,1004,1005,155,250,252 -d 10000

Exit codes: 0 answered (also when nothing else is advised), 1 the tool failed, 2 bad input, or a file of no known shape,
5 invalid catalog

Examples:
  # What is used of one machine, and what would do for less
  gpuadvise rightsize gpus.csv --instance aws/p4d.24xlarge
  # SM activity of DCGM beside memory of nvidia-smi, in Europe only
  gpuadvise rightsize gpus.csv dcgm.txt --same-host --jurisdiction eu --json";

/// Below the long help of `catalog`.
pub const CATALOG: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row passes the filters, 5 invalid catalog

Examples:
  gpuadvise catalog gpus
  gpuadvise catalog show H100-SXM";

/// Below the long help of `catalog gpus`.
pub const CATALOG_GPUS: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row passes the filters, 5 invalid catalog

Examples:
  # Cards of 24 to 48 GB
  gpuadvise catalog gpus --gpu 24GB..48GB
  # What AWS rents out, for a spreadsheet
  gpuadvise catalog gpus --provider aws --format csv";

/// Below the long help of `catalog instances`.
pub const CATALOG_INSTANCES: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row passes the filters, 5 invalid catalog

Examples:
  # Machines with eight H100, with all fields
  gpuadvise catalog instances --gpu H100:8 --json
  # With their own prices for them
  gpuadvise catalog instances --provider aws,gcp --min-ram 1TiB";

/// Below the long help of `catalog prices`.
pub const CATALOG_PRICES: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row passes the filters, 5 invalid catalog

Examples:
  # What one machine costs everywhere, under every contract
  gpuadvise catalog prices --instance aws/p5.48xlarge
  # Spot prices of A100 in Europe
  gpuadvise catalog prices --gpu A100 --billing spot --region 'eu*'";

/// Below the long help of `catalog providers`.
pub const CATALOG_PROVIDERS: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row passes the filters, 5 invalid catalog

Examples:
  gpuadvise catalog providers
  # Who has H100 in the EU, run by a company with its seat there
  gpuadvise catalog providers --gpu H100 --jurisdiction eu --operator-jurisdiction eu";

/// Below the long help of `catalog models`.
pub const CATALOG_MODELS: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 5 invalid catalog

Examples:
  gpuadvise catalog models
  gpuadvise catalog models --format csv";

/// Below the long help of `catalog scenarios`.
pub const CATALOG_SCENARIOS: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 5 invalid catalog

Examples:
  gpuadvise catalog scenarios
  gpuadvise catalog scenarios --json";

/// Below the long help of `catalog rules`.
pub const CATALOG_RULES: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 5 invalid catalog

Examples:
  gpuadvise catalog rules
  gpuadvise catalog rules --format markdown";

/// Below the long help of `catalog show`.
pub const CATALOG_SHOW: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, unknown or ambiguous name, 5 invalid catalog

Examples:
  gpuadvise catalog show aws/p5.48xlarge
  gpuadvise catalog show llama-3-8b --json";

/// Below the long help of `catalog check`.
pub const CATALOG_CHECK: &str = "\
Exit codes: 0 no errors (warnings may be there), 1 the tool failed, 2 bad input, 5 a finding is an error

Examples:
  # The catalog of this program
  gpuadvise catalog check
  # Your own prices, before they are used with --catalog
  gpuadvise catalog check my-prices.toml";

/// Below the long help of `catalog update`.
#[cfg(feature = "refresh")]
pub const CATALOG_UPDATE: &str = "\
The only command that opens a network connection. Proxies: HTTPS_PROXY, NO_PROXY; roots to trust: SSL_CERT_FILE. Keys are
read from the environment and sent to their own source only: GOOGLE_API_KEY, LAMBDA_API_KEY, RUNPOD_API_KEY, VAST_API_KEY;
a provider whose source needs a key that is not there is skipped. The prices are kept in the folder of --data and used by
every later command; --no-updates leaves them out.

Exit codes: 0 answered: every source is good, 1 a source failed (its last good prices stay, the others are kept), 2 bad input,
4 a source was refused by a limit

Examples:
  # Without a network: a folder that holds skypilot/v8/aws/vms.csv and so on
  gpuadvise catalog update --from mirror --as-of 2026-11-25
  # What would change
  gpuadvise catalog update --from mirror --as-of 2026-11-25 --provider aws --dry-run --json";

/// Below the long help of `catalog history`.
pub const CATALOG_HISTORY: &str = "\
Every `catalog update` adds a snapshot of a day. The mean counts each snapshot once, however far they are apart.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no snapshot has such a price, 5 invalid catalog

Examples:
  # Spot prices of all that was kept
  gpuadvise catalog history --window 36500 --billing spot --data data
  # For a spreadsheet
  gpuadvise catalog history --window 36500 --format csv --data data";

/// Below the long help of `catalog import`.
pub const CATALOG_IMPORT: &str = "\
Formats:
  aws               AWS Price List bulk offer file of AmazonEC2 in JSON: on-demand, standard reserved with upfront
  aws-spot          answer of `aws ec2 describe-spot-price-history --output json`
  aws-spot-advisor  Spot Instance Advisor data; savings are no prices, so all of it is listed as left out
  azure             pages of the Azure Retail Prices API: consumption, spot, reservation, savings plan
  gcp               pages of Google Cloud Billing SKUs of Compute Engine; machines are summed up from their parts
  gpuhunt           gpuhunt (dstack) catalog CSV of one provider
  lambda, runpod, vast, oci, nebius   answers of their price APIs in JSON
  plain             a CSV of your own: provider, instance, region, billing, usd_per_hour (or per_hour, currency), and
                    where wanted upfront, as_of, gpu, gpus, vcpus, ram_gib, nvme_gb
  skypilot          SkyPilot catalog CSV (v5 to v8) of one cloud, such as catalogs/v8/aws/vms.csv

As a table the answer is the overlay itself, ready for --catalog, and what was left out stands on stderr; other formats
hold both. Prices that the checks of a catalog refuse are left out and counted. No price is derived from another.

Exit codes: 0 answered, 1 the tool failed, 2 bad input or no date, 3 nothing of it can be used, 5 invalid catalog

Examples:
  # Then: gpuadvise recommend --params 1e9 --task train --catalog mine.toml
  gpuadvise catalog import plain my-prices.csv --as-of 2026-11-30 --output mine.toml
  # What was read and what was left out, and why
  gpuadvise catalog import plain my-prices.csv --as-of 2026-11-30 --json";

/// Below the long help of `catalog diff`.
pub const CATALOG_DIFF: &str = "\
OLD and NEW are catalog files or folders, or the word `embedded` for the catalog of this program. Beside it the other is
what it makes of that catalog; two files are compared by their own rows. --max-change holds every price, up or
down, in per cent of the lower of the two: half the price and twice the price are both 100.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 4 a limit is broken, 5 invalid catalog

Examples:
  # What do my prices change?
  gpuadvise catalog diff embedded my-prices.toml
  # Refuse a new price list that lost rows or jumped
  gpuadvise catalog diff my-prices.toml my-prices.toml --max-lost 5 --max-change 40 --json";

/// Below the long help of `check`.
pub const CHECK: &str = "\
The project file holds [[workload]] tables (any flag of recommend without its dashes, and name, pick, instance, nodes, scenario),
a [budget] for all of them together (total, monthly, hourly, max-age-days, unknown-price), a [discount] in per cent by
provider and billing kind, and [[policy]] tables (id, level, when, message). `gpuadvise schema project` has all fields.

Exit codes: 0 answered (pass, or warnings only), 1 the tool failed, 2 bad input, 4 a limit or policy is broken or a
price unknown; else 5 every price older than max-age; else 3 nothing fits a workload

Examples:
  # The nearest gpuadvise.toml; the table says what each workload costs and breaks
  gpuadvise check
  # For a pull request: a comment in Markdown, and JUnit XML for the CI system
  gpuadvise check gpuadvise.toml --format markdown --output comment.md --junit gpuadvise.xml";

/// Below the long help of `diff`.
pub const DIFF: &str = "\
Each change is split in two that add up to it: what the prices did to the old workload, and the rest. What is unknown on
one side is unknown, never a saving. --max-increase holds the sum of all workloads (check), the best row (recommend) or
each row (cost), where a new row counts with all that it costs and one without a price in both answers does not. Any
other change that is not known does not pass. A commitment counts with all that it owes.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 4 the cost rises by more than --max-increase

Examples:
  # What does this branch cost more than the main branch, and why?
  gpuadvise diff main.json branch.json
  # Fail above a rise of 1,000 dollars
  gpuadvise diff main.json branch.json --max-increase 1000 --format markdown";

/// Below the long help of `explain`.
pub const EXPLAIN: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 unknown code

Examples:
  gpuadvise explain price-far-below-median
  gpuadvise explain seq-len --json";

/// Below the long help of `accuracy`.
pub const ACCURACY: &str = "\
Columns, in any order, blank where not known. Training: model, gpu, gpu_count, framework, params_b, layers, hidden,
heads, kv_heads, ffn_hidden, vocab, seq_len, method, precision, optimizer, sharding, tp, pp, dp, cp, ep,
activation_checkpointing, micro_batch, grad_accum, global_batch_seqs, nodes, memory_kind. Inference: kind, engine,
engine_version, weight_precision, kv_precision, input_len, output_len, batch_or_concurrency, max_model_len besides.
Measured: metric_tokens_per_s_per_gpu, metric_samples_per_s, peak_memory_gb, ttft_ms, tpot_ms, latency_ms, fits ...

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 no row can be predicted, 4 above --fail-above

Examples:
  # The sample of published measurements in this program
  gpuadvise accuracy
  # By GPU, as JSON, with a picture
  gpuadvise accuracy --by gpu --json --plot accuracy.svg";

/// Below the long help of `network`.
pub const NETWORK: &str = "\
Reads what nccl-tests prints, old and new, with or without tags of launchers and lines of NCCL between the rows, several
runs in one file, rccl-tests and nccom-test. It judges the bus bandwidth at the largest size, not the average, by published
runs and health checks of the same machine, else by a share of its links. With a workload it says what that network costs
it: the share of a step that is communication, and how it scales; `recommend --nccl FILE` plans with it.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, or no output of such a test, 4 --fail-below, 5 invalid catalog

Examples:
  # Two nodes: fast enough, and what would be?
  gpuadvise network nccl.txt
  # What does it mean for training 7B on 32 such GPUs?
  gpuadvise network nccl.txt --platform aws/p5.48xlarge --params 7B --task train --gpus 32
  # In CI
  gpuadvise network nccl.txt --fail-below 80 --json";

/// Below the long help of `schema`.
pub const SCHEMA: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 unknown name

Examples:
  gpuadvise schema
  gpuadvise schema recommend --output recommend.schema.json";

/// Below the long help of `recommend`.
pub const RECOMMEND: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 nothing fits or qualifies, 4 the best row costs more than
--fail-over, 5 invalid catalog or no usable price

Examples:
  # Train a model of a billion parameters, on the usual 20 tokens per parameter
  gpuadvise recommend --params 1e9 --task train
  # Serve a 70B model to 32 requests at a time, at AWS or Google in Europe
  gpuadvise recommend --model llama-3-70b --task infer --concurrency 32 --provider aws,gcp --jurisdiction eu";

/// Below the long help of `fit`.
pub const FIT: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 it fits none of the GPUs, 5 invalid catalog

Examples:
  # QLoRA of a 70B model on one GPU of 80 GB
  gpuadvise fit --model llama-2-70b --task finetune --method qlora --gpu A100-80GB
  # Which GPUs can serve an 8B model?
  gpuadvise fit --model llama-3-8b --task infer";

/// Below the long help of `commitments`.
pub const COMMITMENTS: &str = "\
Usage is a CSV file with a header and one row an hour: `hour` (0, 1, 2 ... or a timestamp) and `instances` (parts of an
instance allowed). It is repeated until the horizon is full. Burst is always on demand, and on spot with
--max-spot-share; --billing says which commitments may be bought. The answer is the exact optimum of commitments that
start with the horizon and follow each other; one that starts later is not looked at, so ask again when usage changes.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 nothing qualifies, 5 invalid catalog or no usable price

Examples:
  # Two machines for twenty hours a day: does a commitment pay?
  gpuadvise commitments --instances 2 --hours-per-day 20 --instance aws/p4d.24xlarge
  # An hourly profile that grows, over three years
  gpuadvise commitments --usage usage.csv --gpu A100:8 --provider aws --horizon 3y --growth 20";

/// Below the long help of `cost`.
pub const COST: &str = "\
Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 nothing qualifies, 4 the cheapest row costs more than
--fail-over, 5 invalid catalog or no usable price

Examples:
  # A month of each GPU at its cheapest, under each contract
  gpuadvise cost --hours 720
  # One machine for a year, reserved or on demand
  gpuadvise cost --instance aws/p5.48xlarge --hours 1y --billing on-demand,committed
  # A short run with its disks, which are kept for a week, and the data that leaves
  gpuadvise cost --gpu H100:8 --hours 20m --billing on-demand --startup 10m --storage 500GiB --stopped 7d --egress 1TB";

/// Below the long help of `tco`.
pub const TCO: &str = "\
Rent by the hour is paid for busy hours, commitments and servers of one's own for all hours. What no source tells is n/a,
and a sum without it is marked as `at least`.

Exit codes: 0 answered, 1 the tool failed, 2 bad input, 3 nothing qualifies, 5 catalog problem

Examples:
  # Buy eight H100 or rent them, needed 60 % of the time?
  gpuadvise tco --gpu H100:8 --utilisation 60 --electricity 0.12
  # An API or machines of one's own for these tokens a month?
  gpuadvise tco --model llama-3.3-70b --input-tokens 4B --output-tokens 1B";
