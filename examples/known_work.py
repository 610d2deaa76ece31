# SPDX-License-Identifier: Apache-2.0
"""A program to profile whose operations and bytes are known from shapes: how much of them was counted?

    rooflinectl profile --output runs -- python3 examples/known_work.py --how graphs
    python3 examples/known_work.py --compare runs/known_work/latest

Every operation of PyTorch runs in an NVTX range with its name, `--rounds` times: eagerly, in CUDA graphs, or compiled. The
comparison needs no PyTorch: it prints a row for each operation, and exits with 1 if one is beyond its tolerance or was not counted.
"""

import argparse
import collections
import json
import pathlib
import sys

ROUNDS = 24                                       # if nothing else is asked for
N = 4096                                          # products: N × N × N
BATCH, ROWS = 16, 1024                            # batched products: BATCH of ROWS × ROWS × ROWS
TEXTS, HEADS, LENGTH, DEPTH = 8, 16, 1024, 64     # attention
IMAGES, CHANNELS, PIXELS = 32, 128, 56            # convolution, 3 × 3
COUNT = 1 << 26                                   # elements of what streams through memory: far more than L2 holds
WIDTH = 8192                                      # of its rows
GATHERED = 1 << 13                                # rows that are gathered, and added to

# Within 2 %: kernels do some operations beside those of the shapes, and L2 keeps some bytes from one launch to the next.
TOLERANCE = 0.02

Known = collections.namedtuple("Known", "kind amount tolerance note", defaults=(TOLERANCE, ""))


def tensor(kind, amount):
    """Operations that only instructions for matrices can do: exact."""
    return Known(f"tensor_{kind}_ops", amount, 1e-6)


def moved(read, written, note=""):
    return Known("dram_bytes", read + written, TOLERANCE, note)


PRODUCT = 2 * N ** 3
ATTENTION = 4 * TEXTS * HEADS * LENGTH ** 2 * DEPTH
CONVOLUTION = 2 * IMAGES * PIXELS ** 2 * CHANNELS ** 2 * 9

# What one call of each operation does.
KNOWN = {
    "product bf16": tensor("bf16", PRODUCT),
    "product fp16": tensor("f16", PRODUCT),
    "product tf32": tensor("tf32", PRODUCT),
    "product fp32": Known("f32_flops", PRODUCT),
    "product fp64": Known("f64_flops", PRODUCT),
    "product int8": tensor("i8", PRODUCT),
    "product fp8": tensor("f8", PRODUCT),
    "product complex64": Known("f32_flops", 4 * PRODUCT),
    "product bf16 2 of 4": Known("tensor_bf16_ops", PRODUCT, 1e-6, "the hardware counts the zeros of a sparse matrix, too"),
    "batched products bf16": tensor("bf16", BATCH * 2 * ROWS ** 3),
    "attention forward": tensor("bf16", ATTENTION),
    "attention both ways": Known("tensor_bf16_ops", 3.5 * ATTENTION, TOLERANCE, "two products forward, and five backward"),
    "convolution": tensor("bf16", CONVOLUTION),
    "add fp32": moved(8 * COUNT, 4 * COUNT),
    "add bf16": moved(4 * COUNT, 2 * COUNT),
    "cast fp32 to bf16": moved(4 * COUNT, 2 * COUNT),
    "softmax fp32": moved(4 * COUNT, 4 * COUNT),
    "layer norm bf16": Known("dram_bytes", 4 * COUNT, 0.5, "PyTorch's own kernel reads each row twice, in part from L2"),
    "gather": moved(4 * GATHERED * WIDTH, 4 * GATHERED * WIDTH),
    "index_add": moved(8 * GATHERED * WIDTH, 4 * GATHERED * WIDTH, "each row is read, added to and written once"),
    "scan": moved(4 * COUNT, 4 * COUNT),
    "sort": Known("dram_bytes", None, None, "a radix sort's passes are its library's choice"),
    "fft": Known("dram_bytes", None, None, "a transform's passes are its library's choice"),
    "AdamW fused": moved(16 * COUNT, 12 * COUNT),
}


def operations(torch):
    """The operations by name, without those that this GPU or this version does not have."""
    def random(*shape, dtype=torch.float32):
        return torch.randn(*shape, device="cuda").to(dtype)

    def product(dtype):
        a, b = random(N, N, dtype=dtype), random(N, N, dtype=dtype)
        return lambda: a @ b

    def product_int8():
        a, b = (torch.randint(-8, 8, (N, N), dtype=torch.int8, device="cuda") for _ in range(2))
        return lambda: torch._int_mm(a, b.t())

    def product_fp8():
        a, b = (random(N, N).to(torch.float8_e4m3fn) for _ in range(2))
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    def product_sparse():
        kept = torch.tensor([0, 0, 1, 1], device="cuda", dtype=torch.bfloat16).tile(N, N // 4)
        a = torch.sparse.to_sparse_semi_structured(random(N, N, dtype=torch.bfloat16) * kept)
        b = random(N, N, dtype=torch.bfloat16)
        return lambda: torch.mm(a, b)

    def batched():
        a, b = (random(BATCH, ROWS, ROWS, dtype=torch.bfloat16) for _ in range(2))
        return lambda: torch.bmm(a, b)

    def attention():
        from torch.nn.attention import SDPBackend, sdpa_kernel
        q, k, v = (random(TEXTS, HEADS, LENGTH, DEPTH, dtype=torch.bfloat16).requires_grad_() for _ in range(3))

        def forward():
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return forward, q, k, v

    def attention_forward():
        forward, *_ = attention()
        return forward

    def attention_both_ways():
        forward, q, k, v = attention()
        gradient = torch.randn_like(q)
        return lambda: torch.autograd.grad(forward(), (q, k, v), gradient)

    def convolution():
        x = random(IMAGES, CHANNELS, PIXELS, PIXELS, dtype=torch.bfloat16).to(memory_format=torch.channels_last)
        weights = random(CHANNELS, CHANNELS, 3, 3, dtype=torch.bfloat16).to(memory_format=torch.channels_last)
        return lambda: torch.nn.functional.conv2d(x, weights, padding=1)

    def binary(dtype):
        a, b, out = random(COUNT, dtype=dtype), random(COUNT, dtype=dtype), torch.empty(COUNT, device="cuda", dtype=dtype)
        return lambda: torch.add(a, b, out=out)

    def of_rows(function, dtype):
        x = random(COUNT // WIDTH, WIDTH, dtype=dtype)
        return lambda: function(x)

    def gather():
        x = random(4 * GATHERED, WIDTH)
        rows = torch.randperm(4 * GATHERED, device="cuda")[:GATHERED]
        return lambda: torch.index_select(x, 0, rows)

    def index_add():
        x, added = random(4 * GATHERED, WIDTH), random(GATHERED, WIDTH)
        rows = torch.randperm(4 * GATHERED, device="cuda")[:GATHERED]
        return lambda: x.index_add_(0, rows, added)

    def adamw():
        parameter = torch.nn.Parameter(random(COUNT))
        parameter.grad = random(COUNT)
        optimizer = torch.optim.AdamW([parameter], lr=1e-4, fused=True, capturable=True)
        return optimizer.step

    def flat(function, dtype=torch.float32):
        x = random(COUNT, dtype=dtype)
        return lambda: function(x)

    makers = {
        "product bf16": lambda: product(torch.bfloat16),
        "product fp16": lambda: product(torch.float16),
        "product tf32": lambda: product(torch.float32),
        "product fp32": lambda: product(torch.float32),
        "product fp64": lambda: product(torch.float64),
        "product int8": product_int8,
        "product fp8": product_fp8,
        "product complex64": lambda: product(torch.complex64),
        "product bf16 2 of 4": product_sparse,
        "batched products bf16": batched,
        "attention forward": attention_forward,
        "attention both ways": attention_both_ways,
        "convolution": convolution,
        "add fp32": lambda: binary(torch.float32),
        "add bf16": lambda: binary(torch.bfloat16),
        "cast fp32 to bf16": lambda: flat(lambda x: x.to(torch.bfloat16)),
        "softmax fp32": lambda: of_rows(lambda x: torch.softmax(x, 1), torch.float32),
        "layer norm bf16": lambda: of_rows(lambda x: torch.nn.functional.layer_norm(x, (WIDTH,)), torch.bfloat16),
        "gather": gather,
        "index_add": index_add,
        "scan": lambda: flat(lambda x: torch.cumsum(x, 0)),
        "sort": lambda: flat(lambda x: torch.sort(x)),
        "fft": lambda: of_rows(torch.fft.fft, torch.complex64),
        "AdamW fused": adamw,
    }
    assert makers.keys() == KNOWN.keys()
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    for name, make in makers.items():
        set_up(torch, name)
        try:
            operation = make()
            operation()
            torch.cuda.synchronize()
        except (AttributeError, ImportError, RuntimeError) as error:
            print(f"{name} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        yield name, operation


def set_up(torch, name):
    """What is not an argument of the operation."""
    torch.backends.cuda.matmul.allow_tf32 = name == "product tf32"


def prepared(torch, operation, how):
    """The operation as it is to be run."""
    if how == "compiled":
        operation = torch.compile(operation)
    for _ in range(3 if how == "compiled" else 1):
        operation()
    if how != "graphs":
        return operation
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        operation()

    def replay():
        graph.replay()
        return operation  # which has the memory that the graph reads
    return replay


def run(rounds, how):
    try:
        import torch
    except ImportError:
        sys.exit("known_work.py: needs PyTorch: pip install torch")
    if not torch.cuda.is_available():
        sys.exit("known_work.py: PyTorch finds no GPU")
    torch.manual_seed(0)
    all_of_them = {name: prepared(torch, operation, how) for name, operation in operations(torch)}
    for _ in range(rounds):
        for name, operation in all_of_them.items():
            set_up(torch, name)
            with torch.cuda.nvtx.range(name):
                operation()
    torch.cuda.synchronize()
    print(f"{rounds} rounds of {len(all_of_them)} operations, {how}")


def number(counters, *terms):
    """The sum of counters times factors; None if one is unavailable that the chip has."""
    total = 0
    for key, factor in terms:
        value = counters.get(key, 0)
        if isinstance(value, dict):
            if value["unavailable"] == "this chip has no such counter":
                continue
            return None
        total += factor * value
    return total


def counted_work(counters, kind):
    if kind == "dram_bytes":
        return number(counters, ("dram_read_bytes", 1), ("dram_write_bytes", 1))
    if kind == "f32_flops":
        return number(counters, ("fadd", 1), ("fmul", 1), ("ffma", 2), ("fadd2", 2), ("fmul2", 2), ("ffma2", 4))
    if kind == "f64_flops":
        return number(counters, ("dadd", 1), ("dmul", 1), ("dfma", 2), ("tensor_f64_ops", 1))
    return number(counters, (kind, 1))


def counted_of(measured):
    """What a run counted of each operation that ran: its name, the work of a round, and how many of its groups were not counted."""
    words = measured["application"]["command_line"]
    rounds = int(words[words.index("--rounds") + 1]) if "--rounds" in words else ROUNDS
    groups = collections.defaultdict(list)
    for measurement in measured["measurements"]:
        groups[measurement["axes"].get("path", "").split("/")[0]].append(measurement)
    for name in KNOWN.keys() & groups.keys():
        counted = [(counted_work(one["counters"], KNOWN[name].kind), one["launches"]["count"]) for one in groups[name]]
        yield name, sum((work or 0) * launches for work, launches in counted) / rounds, sum(work is None for work, _ in counted)


def compare(folder):
    """The exit code."""
    file = folder / "run.json" if folder.is_dir() else folder
    with open(file, encoding="utf-8") as content:
        counted = {name: (work, missing) for name, work, missing in counted_of(json.load(content))}
    is_wrong = False
    print("| operation | what | known | counted | counted / known | |\n|---|---|---:|---:|---:|---|")
    for name, known in KNOWN.items():
        if name not in counted:
            print(f"| {name} | {known.kind} | | | | did not run |")
            continue
        work, missing = counted[name]
        if known.amount is None:
            print(f"| {name} | {known.kind} | | {work:.6g} | | {known.note} |")
            continue
        ratio = work / known.amount
        is_off = abs(ratio - 1) > known.tolerance
        remark = f"groups not counted: {missing}" if missing else "beyond its tolerance" if is_off else known.note
        is_wrong |= missing > 0 or is_off
        print(f"| {name} | {known.kind} | {known.amount:.6g} | {work:.6g} | {ratio:.6f} | {remark} |")
    return int(is_wrong)


def main():
    parser = argparse.ArgumentParser(description="operations of PyTorch whose work is known")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="NUMBER", help=f"default: {ROUNDS}")
    parser.add_argument("--how", choices=["eager", "graphs", "compiled"], default="eager", help="default: eager")
    parser.add_argument("--compare", type=pathlib.Path, metavar="RUN", help="a run of this program, or its folder")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    if options.compare:
        sys.exit(compare(options.compare))
    run(options.rounds, options.how)


if __name__ == "__main__":
    main()
