# SPDX-License-Identifier: Apache-2.0
"""Calls the functions in Python files that a plan names. Usage: driver.py REQUEST RESULTS

REQUEST (JSON) lists points. Of one with "store", the results of its reference are stored in files. Any other is called, compared
with its reference, and then called again and again in the NVTX range "range", for whoever profiles this process: first to be timed,
then in turn with others, so that each pass of counters sees all. RESULTS gets a line (JSON) when a point begins and one when it ends. An existing file stays as it is: the program that is profiled is run again
for counters, and results are those of the first run.
"""

import importlib.util
import inspect
import json
import os
import platform
import sys
import time
import traceback

import numpy as np

WARM_UP_CALLS = 3
MOST_CALLS = 100
FEWEST_CALLS = 10
CHUNK = 1 << 22  # elements that are made at a time
GUARD_BYTES = 64 << 10  # before and behind each argument, in which writes are noticed
LIBRARIES = ["torch", "triton", "cupy", "numba", "cutlass"]  # that make kernels

# BF16, which NumPy does not have, is FP32 with the values of BF16.
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.float32, "i64": np.int64, "i32": np.int32, "i16": np.int16,
         "i8": np.int8, "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8}
FRACTION_BITS = {"f64": 53, "f16": 11, "bf16": 8}


# ---- data: those of collector/file_kernels/argument_memory.h ----

def hashed(positions):
    z = (positions + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def values_at(positions, fill, type_name):
    if fill["kind"] == "value":
        return np.full(positions.shape, float(fill["value"]))
    if fill["kind"] == "index":
        return positions.astype(np.float64)
    random = hashed(positions + np.uint64(fill["seed"] * 0xD1342543DE82EF95 % (1 << 64)))
    if fill["kind"] == "integers":
        from_0_to_14 = (((random >> np.uint64(32)) * np.uint64(15)) >> np.uint64(32)).astype(np.float64)
        return from_0_to_14 if type_name.startswith("u") else from_0_to_14 - 7
    bits = FRACTION_BITS.get(type_name, 24)
    return (random >> np.uint64(64 - bits)).astype(np.float64) / float(1 << bits)


def rounded(values, type_name):
    result = values.astype(TYPES[type_name])
    if type_name == "bf16":
        bits = result.view(np.uint32)
        bits += np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
        bits &= np.uint32(0xFFFF0000)
    return result


def filled(argument):
    result = np.empty(argument["count"], TYPES[argument["type"]])
    for begin in range(0, result.size, CHUNK):
        positions = np.arange(begin, min(begin + CHUNK, result.size), dtype=np.uint64)
        result[begin:begin + CHUNK] = rounded(values_at(positions, argument["fill"], argument["type"]), argument["type"])
    return result


def guard(type_name):
    """What stands beside an argument: values that every type has, BF16 too."""
    return (np.arange(GUARD_BYTES // size_of(type_name)) % 101 + 1).astype(TYPES[type_name])


def size_of(type_name):
    return 2 if type_name == "bf16" else np.dtype(TYPES[type_name]).itemsize


def poisoned(argument):
    """What a result holds before it is written: every bit is set."""
    kind = np.dtype(TYPES[argument["type"]])
    return np.full(argument["count"] * kind.itemsize, 0xFF, np.uint8).view(kind)


def scalar(argument):
    return rounded(np.array([float(argument["fill"]["value"])]), argument["type"])[0].item()


# ---- arrays on the GPU ----

class Torch:
    def __init__(self, module):
        self.module = module
        self.push, self.pop = module.cuda.nvtx.range_push, module.cuda.nvtx.range_pop

    def array(self, values, type_name):
        tensor = self.module.from_numpy(values).cuda()
        return tensor.to(self.module.bfloat16) if type_name == "bf16" else tensor

    def host(self, tensor):
        tensor = self.module.as_tensor(tensor).detach()
        return (tensor.float() if tensor.dtype == self.module.bfloat16 else tensor).cpu().numpy()

    def copy(self, target, source):
        target.copy_(source)

    def first_change(self, tensor, initial):
        """The place of the first element that differs; nothing if none does."""
        try:
            changed = (tensor != initial).reshape(-1)
            return int(changed.int().argmax()) if changed.any() else None
        except (RuntimeError, NotImplementedError):  # a type that PyTorch holds, but does not compare
            changed = self.host(tensor) != self.host(initial)
            return int(np.argmax(changed)) if changed.any() else None

    def wait(self):
        self.module.cuda.synchronize()


class CuPy:
    def __init__(self, module):
        self.module = module
        self.push, self.pop = module.cuda.nvtx.RangePush, module.cuda.nvtx.RangePop

    def array(self, values, type_name):
        if type_name == "bf16":
            raise TypeError("CuPy has no BF16: import torch in the file, whose tensors have")
        return self.module.asarray(values)

    def host(self, array):
        return self.module.asnumpy(array)

    def copy(self, target, source):
        target[...] = source

    def first_change(self, array, initial):
        changed = (array != initial).reshape(-1)
        return int(changed.argmax()) if changed.any() else None

    def wait(self):
        self.module.cuda.runtime.deviceSynchronize()


def library():
    """The one that the user's file imports; else whichever there is."""
    known = {"torch": Torch, "cupy": CuPy}
    for name in [name for name in known if name in sys.modules] or known:
        try:
            return known[name](importlib.import_module(name))
        except ImportError:
            continue
    raise ImportError("arrays on the GPU need PyTorch or CuPy, and this Python has neither")


# ---- calls ----

_modules = {}


def function_of(description):
    path = description["file"]
    if path not in _modules:
        sys.path.insert(0, os.path.dirname(path))
        spec = importlib.util.spec_from_file_location(f"rooflinectl_file_{len(_modules)}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        _modules[path] = module
    function = getattr(_modules[path], description["function"], None)
    if not callable(function):
        raise AttributeError(f"it has no function '{description['function']}'")
    return function


def bound_call(function, values):
    """Calls the function with those of the values that it has parameters for."""
    names = list(inspect.signature(function).parameters)
    unknown = [name for name in names if name not in values]
    if unknown:
        raise TypeError(f"no argument or axis is called '{unknown[0]}', as a parameter of the function is")
    given = {name: values[name] for name in names}
    return lambda: function(**given)


def results_of(returned, values, point):
    """By name: what the function returned or, if it returned nothing, wrote into its arguments."""
    names = point["results"]
    if returned is None:
        return {name: values[name] for name in names}
    if isinstance(returned, dict):
        return {name: returned[name] for name in names}
    if len(names) == 1:
        return {names[0]: returned}
    if len(returned) != len(names):
        raise TypeError(f"the function returned {len(returned)} results, not {len(names)}")
    return dict(zip(names, returned))


def data_of(point):
    """What each argument holds at first."""
    make = {"scalar": scalar, "out": poisoned}
    return {argument["name"]: make.get(argument["kind"], filled)(argument) for argument in point["arguments"]}


def expected_results(point, data):
    """Those of the reference on the host: of a function, which may change the data, or stored; nothing if the point has none."""
    reference = point["reference"]
    if "file" in reference:
        values = dict(point["axes"], **data)
        call = bound_call(function_of(reference), values)
        return {name: np.asarray(result) for name, result in results_of(call(), values, point).items()}
    if os.path.exists(reference.get("cause", "")):
        with open(reference["cause"], encoding="utf-8") as file:
            raise RuntimeError(file.read())
    types = {argument["name"]: argument["type"] for argument in point["arguments"]}
    return {name: np.load(path) if path.endswith(".npy") else np.fromfile(path, TYPES[types[name]])
            for name, path in reference.get("files", {}).items()}


# ---- comparing ----

def damage(region, argument, is_behind):
    """What was written into the guard region beside an argument; nothing if it is as it was."""
    size = size_of(argument["type"])
    expected = guard(argument["type"])
    written = np.flatnonzero(region != expected)
    if written.size == 0:
        return ""
    # Elements are counted from the argument on; its neighbour is number 0.
    first, last = (written[0], written[-1]) if is_behind else (expected.size - 1 - written[-1], expected.size - 1 - written[0])
    count = argument["count"]
    return (f"wrote outside '{argument['name']}' ({count} {'element' if count == 1 else 'elements'} of {argument['type']}): "
            f"bytes {first * size + 1} to {(last + 1) * size} {'behind its end' if is_behind else 'before its beginning'}"
            f"{', or more' if last + 1 == expected.size else ''}")


def compared(result, expected, argument, tolerance):
    """The largest error over its bound, and what is wrong with the first element that is beyond it."""
    name = argument["name"]
    result, expected = result.reshape(-1), expected.reshape(-1)
    if result.size != expected.size:
        return 0, f"'{name}' has {result.size} elements, but {expected.size} in the reference"
    relative = tolerance["relative"].get(name, 0)
    worst = 0.0
    for begin in range(0, result.size, CHUNK):
        a, b = result[begin:begin + CHUNK], expected[begin:begin + CHUNK]
        if np.array_equal(a, b):
            continue
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.abs(wide_a - wide_b)
            bound = tolerance["absolute"] + relative * np.abs(wide_b)
            alike = (a == b) | (np.isnan(wide_a) & np.isnan(wide_b))
            wrong = ~alike & ~(np.isfinite(wide_b) & (error <= bound) & (bound > 0))
            ratio = np.where(alike | wrong, 0, error / bound)
        worst = max(worst, float(ratio.max(initial=0)))
        if wrong.any():
            i = int(np.argmax(wrong))
            margin = f" ± {bound[i]:.3g}" if np.isfinite(bound[i]) and bound[i] > 0 else ""
            return worst, f"element {begin + i} of '{name}' is {a[i]:g}, expected {b[i]:g}{margin}"
    return worst, ""


class Calls:
    """Those of a point, and what is checked of them."""

    def __init__(self, point, l2_bytes):
        self.point = point
        function = function_of(point)
        self.gpu = library()
        values = data_of(point)
        self.values = dict(point["axes"])
        self.initial = {}  # of what is read
        self.memory = {}  # arguments between their guard regions
        for argument in point["arguments"]:
            name, kind = argument["name"], argument["kind"]
            if kind == "scalar":
                self.values[name] = values[name]
                continue
            data = values[name]
            beside = guard(argument["type"])
            self.memory[name] = self.gpu.array(np.concatenate([beside, data, beside]), argument["type"])
            self.values[name] = self.memory[name][beside.size:beside.size + data.size]
            if kind != "out":
                self.initial[name] = self.gpu.array(data, argument["type"])
        # Four times as large as L2.
        self.flushed = self.gpu.array(np.zeros(l2_bytes, np.float32), "f32") if point["cold"] else None
        self.changed = [argument["name"] for argument in point["arguments"] if argument["kind"] == "inout"]
        self.expected = expected_results(point, values)
        self.call = bound_call(function, self.values)
        self.worst, self.wrong = self.check(self.call())
        self.calls = 0

    def warm_up(self):
        for _ in range(WARM_UP_CALLS):
            self.call()
        self.gpu.wait()

    def call_in_range(self):
        for name in self.changed:
            self.gpu.copy(self.values[name], self.initial[name])
        if self.flushed is not None:
            self.flushed.sum()  # reads it
        self.gpu.push(self.point["range"])
        self.returned = self.call()
        self.gpu.pop()
        self.calls += 1

    def call_to_count(self):
        """In turn with other points, which leave nothing of this one in L2."""
        if self.flushed is None:
            self.call()
        self.call_in_range()

    def time(self):
        self.warm_up()
        end = time.monotonic() + self.point["time_limit_s"]
        while self.calls < MOST_CALLS and (self.calls < FEWEST_CALLS or time.monotonic() < end):
            self.call_in_range()

    def answer(self):
        if not self.wrong:
            last, self.wrong = self.check(self.returned)
            self.worst = max(self.worst, last)
            if self.wrong:
                self.wrong = f"right at first, wrong after {self.calls} timed calls: {self.wrong}"
        if self.wrong:
            return {"passed": False, "worst": self.worst, "detail": self.wrong, "versions": versions()}
        detail = f"as {self.point['reference']['name']}: worst error {self.worst:.2g} of the bound" if self.expected else ""
        return {"passed": True, "worst": self.worst, "detail": detail, "calls": self.calls, "versions": versions()}

    def check(self, returned):
        """The worst error over its bound, and what is wrong."""
        self.gpu.wait()
        arguments = {argument["name"]: argument for argument in self.point["arguments"]}
        for name, memory in self.memory.items():
            size = guard(arguments[name]["type"]).size
            end = size + arguments[name]["count"]
            wrong = (damage(self.gpu.host(memory[:size]), arguments[name], False) or
                     damage(self.gpu.host(memory[end:end + size]), arguments[name], True))
            if wrong:
                return 0, wrong
        for name, argument in arguments.items():
            if argument["kind"] == "in":
                changed = self.gpu.first_change(self.values[name], self.initial[name])
                if changed is not None:
                    return 0, f"changed element {changed} of '{name}', which is described as 'in'; what is read and written is 'inout'"
        worst = 0.0
        for name, result in results_of(returned, self.values, self.point).items():
            if name not in self.expected:
                continue
            error, wrong = compared(self.gpu.host(result), self.expected[name], arguments[name], self.point["tolerance"])
            if wrong:
                return error, wrong
            worst = max(worst, error)
        return worst, ""


def versions():
    """Of what made the kernels: Python and the libraries that were imported."""
    loaded = {name: getattr(sys.modules[name], "__version__", None) for name in LIBRARIES if name in sys.modules}
    return {"python": platform.python_version(), **{name: str(version) for name, version in loaded.items() if version}}


def store(point):
    for name, result in expected_results(point, data_of(point)).items():
        np.save(point["store"][name], np.ascontiguousarray(result))
    return {}


def text_of(error, point):
    """With the line of the user's file."""
    files = {point["file"], point["reference"].get("file")}
    text = f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return f"{frame.filename}:{frame.lineno}: {text}"
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    return text


def bytes_of(point):
    return sum(2 * argument["count"] * np.dtype(TYPES[argument["type"]]).itemsize for argument in point["arguments"])


def batches(points, memory_bytes):
    """Of points whose arguments fit into a third of the memory together."""
    batch, used = [], 0
    for place, point in enumerate(points):
        if batch and used + bytes_of(point) > memory_bytes / 3:
            yield batch
            batch, used = [], 0
        batch.append(place)
        used += bytes_of(point)
    yield batch


class Driver:
    def __init__(self, request, results):
        self.request, self.results = request, results
        self.points = request["points"]

    def write(self, **line):
        print(json.dumps(line), file=self.results, flush=True)

    def attempt(self, place, action):
        """What the action returns; nothing if it fails, which is the answer then."""
        try:
            return action()
        except Exception as error:  # whatever the user's code raises
            self.write(place=place, cause=text_of(error, self.points[place]))
            return None

    def store(self):
        for place, point in enumerate(self.points):
            self.write(place=place)
            stored = self.attempt(place, lambda: store(point))
            if stored is not None:
                self.write(place=place, **stored)

    def begun(self, place):
        """The calls of a point that is right, timed."""
        self.write(place=place)
        calls = self.attempt(place, lambda: Calls(self.points[place], self.request["l2_bytes"]))
        if calls is None:
            return None
        if calls.wrong:
            self.write(place=place, **calls.answer())
            return None
        return self.attempt(place, lambda: calls.time() or calls)

    def measure(self, batch):
        begun = {place: calls for place in batch if (calls := self.begun(place))}
        end = time.monotonic() + self.request["count_s"]
        while begun and time.monotonic() < end:
            for place in list(begun):
                if self.attempt(place, lambda: begun[place].call_to_count() or True) is None:
                    del begun[place]
        for place, calls in begun.items():
            answer = self.attempt(place, calls.answer)
            if answer is not None:
                self.write(place=place, **answer)

    def run(self):
        if self.points and "store" in self.points[0]:
            self.store()
            return
        for batch in batches(self.points, self.request["memory_bytes"]):
            self.measure(batch)


def main(request_file, results_file):
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    with open(os.devnull if os.path.exists(results_file) else results_file, "w", encoding="utf-8") as results:
        Driver(request, results).run()


main(*sys.argv[1:])
