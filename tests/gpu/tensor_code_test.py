#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tensor instructions found in machine code are those of the PTX that it was compiled from: every type and shape of `mma`, `wgmma` and
`tcgen05.mma`, for every architecture. Needs ptxas, and no GPU. With nvdisasm, its text is compared, too.

usage: tensor_code_test.py --print PROGRAM --ptxas FILE

Exits with 77 if there is no ptxas."""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
ARCHITECTURES = ["75", "80", "86", "87", "88", "89", "90a", "100a", "103a", "110a", "120a", "121a"]
COMPLETE = ["80", "86", "90a", "100a", "120a"]  # that have every instruction that is said to be native to them
SMALL_FLOATS = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, **{name: 8 for name in SMALL_FLOATS}}
CLASSES = {"s8": "i8", "u8": "i8", "s4": "i4", "u4": "i4", "s32": "i32", "e4m3": "f8", "e5m2": "f8", "e3m2": "f8f6f4", "e2m3": "f8f6f4",
           "e2m1": "f8f6f4"}

arguments = None  # of the command line


@dataclasses.dataclass(frozen=True)
class Product:
    """An instruction of PTX: D = A·B + C."""
    m: int
    n: int
    k: int
    d: str
    a: str
    b: str
    sparse: bool = False
    options: str = ""  # .satfinite, .xor.popc, or the layouts of m8n8k4
    scales: str = ""  # the kind of block scales and their type
    of: str = "warp"  # or warpgroup; with A in registers: warpgroup-registers

    @property
    def name(self):
        return re.sub(r"\W+", "_", f"{self.of} m{self.m}n{self.n}k{self.k} {self.d} {self.a} {self.b} {self.sparse} {self.options} "
                      f"{self.scales}")

    @property
    def type(self):
        if "mxf4" in self.scales:
            return "f4"
        a, b = CLASSES.get(self.a, self.a), CLASSES.get(self.b, self.b)
        return a if a == b else "f8f6f4"

    def body(self):
        """Of a kernel that executes it once."""
        narrow = 4 if "mxf4" in self.scales else BITS[self.a]
        word = 64 if self.a == "f64" else 32
        lanes = 128 if self.of != "warp" else 32
        a = max(1, self.m * self.k * narrow // lanes // word // (2 if self.sparse else 1))
        b = max(1, self.n * self.k * narrow // lanes // word)
        d = self.m * self.n // lanes // (2 if self.d == "f16" else 1)
        if (self.m, self.n, self.k, self.a) == (8, 8, 4, "f16"):
            a, b, d = 2, 2, 4 if self.d == "f16" else 8
        sources, results = f".b{word}" if word == 32 else ".f64", {"f32": ".f32", "f64": ".f64"}.get(self.d, ".b32")
        lines = [f".reg {sources} %a<{a}>, %b<{b}>;", f".reg {results} %c<{d}>, %d<{d}>;",
                 ".reg .b64 %da, %db;", ".reg .b32 %e, %s;", ".reg .b16 %z;", ".reg .pred %p;",
                 "ld.global.b64 %da, [%m];", "ld.global.b64 %db, [%m+8];", "ld.global.b32 %e, [%m+16];", "mov.b16 %z, 0;",
                 "ld.global.b32 %s, [%m+24];", "setp.ne.b32 %p, %s, 0;"]
        lines += [f"ld.global{type} %{name}{i}, [%m+{offset + 8 * i}];"
                  for name, count, type, offset in (("a", a, sources, 64), ("b", b, sources, 512), ("c", d, results, 1024))
                  for i in range(count)]

        def vector(name, count):
            return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"

        shape, types = f"m{self.m}n{self.n}k{self.k}", f"{self.a}.{self.b}"
        if self.of == "warp":
            operation = "mma.sp::ordered_metadata" if self.sparse else "mma"
            layouts = self.options if self.options.startswith((".row", ".col")) else ".row.col"
            options = "" if layouts == self.options else self.options
            scaled = self.scales.split()
            options += scaled[0] if scaled else ".kind::f8f6f4" if self.a in SMALL_FLOATS and set((self.a, self.b)) - {"e4m3", "e5m2"} else ""
            bits = options if self.a == "b1" else ""
            operands = [vector("d", d), vector("a", a), vector("b", b), vector("c", d)] + (["%e", "0"] if self.sparse else [])
            operands += ["{%s}, {%z, %z}, {%s}, {%z, %z}"] if scaled else []
            lines.append(f"{operation}.sync.aligned.{shape}{layouts}{'' if bits else options}.{self.d}.{types}.{self.d}{bits}"
                         f"{scaled[1] if scaled else ''} {', '.join(operands)};")
            result = "d"
        else:
            operands = [vector("c", d), vector("a", a) if self.of.endswith("registers") else "%da", "%db"]
            operands += ["%e", "0"] if self.sparse else []
            operands.append("%p")
            if self.d != "s32":
                operands += ["1", "-1"]
            if BITS[self.a] == 16:
                operands += ["1"] if self.of.endswith("registers") else ["1", "0"]
            options = ".and.popc" if self.a == "b1" else self.options
            lines += ["wgmma.fence.sync.aligned;",
                      f"wgmma.mma_async{'.sp' if self.sparse else ''}.sync.aligned.{shape}.{self.d}.{types}{options} {', '.join(operands)};",
                      "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
            result = "c"
        return lines + [f"st.global{results} [%m+{8192 + 8 * i}], %{result}{i};" for i in range(d)]

    def is_native(self, architecture):
        """Whether the architecture has an instruction for it: it may have several others in place of it."""
        number = int(architecture.rstrip("a"))
        if self.of != "warp":
            return True
        if self.a == "f64":
            return (self.m, self.k) == (8, 4) or number == 90
        if (self.m, self.n, self.k) == (8, 8, 4):
            return number == 75
        if self.a in ("s4", "u4"):
            return number < 90
        if self.a == "b1":
            return number < 90 or number == 90 and self.options.startswith(".and")
        if self.a in SMALL_FLOATS:
            return number == 89 or number >= 120
        return self.m == 16 or number < 100

    def expected(self):
        """As print_tensor_code writes it."""
        letters = {"b1": "B", "f64": "D", "f4": "O", "f8": "Q", "f8f6f4": "Q", "i8": "I", "i4": "I"}
        opcode = letters.get(self.type, "H") + ("MMA" if self.of == "warp" else "GMMA")
        operations = 2 * self.m * self.n * self.k // (1 if self.of == "warp" else 4)
        if opcode == "HMMA" and self.m == 8:  # four at once, in steps
            operations = 4 * operations // (4 if self.d == "f32" else 2)
        return (f"{opcode} {self.m} {self.n} {self.k} {self.type} {CLASSES.get(self.d, self.d)} "
                f"{'sparse 0' if self.sparse else f'dense {operations}'} {self.block_scales}")

    @property
    def block_scales(self):
        return "nv" if "ue4m3" in self.scales else "mx" if self.scales else "none"


def of_warps():
    both = (False, True)
    for layouts in (".row.col", ".col.row", ".row.row", ".col.col"):
        yield from (Product(8, 8, 4, d, "f16", "f16", options=layouts) for d in ("f16", "f32"))
    for sparse in both:
        factor = 2 if sparse else 1
        for k in (8 * factor, 16 * factor):
            yield from (Product(16, 8, k, d, "f16", "f16", sparse) for d in ("f16", "f32"))
            yield Product(16, 8, k, "f32", "bf16", "bf16", sparse)
        for k in (4 * factor, 8 * factor):
            yield Product(16, 8, k, "f32", "tf32", "tf32", sparse)
        for options in ("", ".satfinite"):
            for a in "su":
                for b in "su":
                    for k in (16 * factor, 32 * factor):
                        yield Product(16, 8, k, "s32", a + "8", b + "8", sparse, options)
                        yield Product(16, 8, 2 * k, "s32", a + "4", b + "4", sparse, options)
                    if not sparse:
                        yield Product(8, 8, 16, "s32", a + "8", b + "8", options=options)
                        yield Product(8, 8, 32, "s32", a + "4", b + "4", options=options)
        for a in SMALL_FLOATS:
            for b in SMALL_FLOATS:
                yield from (Product(16, 8, 32 * factor, d, a, b, sparse) for d in ("f16", "f32"))
                yield Product(16, 8, 32 * factor, "f32", a, b, sparse, scales=".kind::mxf8f6f4.block_scale.scale_vec::1X .ue8m0")
        for scales in (".kind::mxf4.block_scale.scale_vec::2X .ue8m0", ".kind::mxf4nvf4.block_scale.scale_vec::2X .ue8m0",
                       ".kind::mxf4nvf4.block_scale.scale_vec::4X .ue4m3"):
            yield Product(16, 8, 64 * factor, "f32", "e2m1", "e2m1", sparse, scales=scales)
    for a in ("e4m3", "e5m2"):
        yield from (Product(16, 8, 16, d, a, b) for b in ("e4m3", "e5m2") for d in ("f16", "f32"))
    yield from (Product(m, 8, k, "f64", "f64", "f64") for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)))
    for options in (".xor.popc", ".and.popc"):
        yield from (Product(m, 8, k, "s32", "b1", "b1", options=options) for m, k in ((8, 128), (16, 128), (16, 256)))


def of_warpgroups():
    narrow, integer = range(8, 257, 8), [8, 16, 24, 32, *range(48, 257, 16)]
    for of in ("warpgroup", "warpgroup-registers"):
        for sparse in (False, True):
            factor = 2 if sparse else 1
            for n in narrow if of == "warpgroup" and not sparse else (8, 64, 200, 256):
                yield Product(64, n, 16 * factor, "f32", "bf16", "bf16", sparse, of=of)
                yield Product(64, n, 8 * factor, "f32", "tf32", "tf32", sparse, of=of)
                yield Product(64, n, 32 * factor, "f32", "e4m3", "e4m3", sparse, of=of)
            for n in (8, 128, 256):
                yield from (Product(64, n, 16 * factor, d, "f16", "f16", sparse, of=of) for d in ("f16", "f32"))
                yield from (Product(64, n, 32 * factor, d, a, b, sparse, of=of)
                            for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2") for d in ("f16", "f32") if (a, b, d) != ("e4m3", "e4m3", "f32"))
            for n in integer:
                yield Product(64, n, 32 * factor, "s32", "s8", "u8", sparse, of=of)
                if not sparse and of == "warpgroup":
                    yield Product(64, n, 256, "s32", "b1", "b1", of=of)
            yield from (Product(64, 64, 32 * factor, "s32", a, b, sparse, ".satfinite", of=of) for a in ("s8", "u8") for b in ("s8", "u8"))


def of_sms():
    """`tcgen05.mma`, as name, body of a kernel, and what is known of it without its descriptor."""
    kinds = [("f16", "", "UTCHMMA 0 0 0 unknown unknown"), ("tf32", "", "UTCHMMA 0 0 0 unknown unknown"),
             ("i8", "", "UTCIMMA 0 0 0 i8 i32"), ("f8f6f4", "", "UTCQMMA 0 0 0 f8f6f4 unknown"),
             ("mxf8f6f4", ".block_scale.scale_vec::1X", "UTCQMMA 0 0 0 f8f6f4 f32"),
             ("mxf4", ".block_scale.scale_vec::2X", "UTCOMMA 0 0 0 f4 f32"),
             ("mxf4nvf4", ".block_scale.scale_vec::4X", "UTCOMMA 0 0 0 f4 f32")]
    for kind, scales, known in kinds:
        for group in (1, 2):
            for a in ("%da", "[%t]"):
                for sparse in (False, True):
                    name = re.sub(r"\W+", "_", f"sm {kind} {group} {a} {sparse}")
                    yield name, [".reg .b64 %da, %db;", ".reg .b32 %t, %i, %s;", ".reg .pred %p;", "ld.global.b64 %da, [%m];",
                                 "ld.global.b64 %db, [%m+8];", "ld.global.b32 %t, [%m+16];", "ld.global.b32 %i, [%m+24];",
                                 "ld.global.b32 %s, [%m+32];", "setp.ne.b32 %p, %i, 0;",
                                 f"tcgen05.mma{'.sp' if sparse else ''}.cta_group::{group}.kind::{kind}{scales} [%t], {a}, %db, "
                                 f"{'[%s], ' if sparse else ''}%i, {'[%s], [%s], ' if scales else ''}%p;"], f"{known} dense 0 {'nv' if '4X' in scales else 'mx' if scales else 'none'}"


def kernels(architecture):
    """For an architecture: name → body, what is to be found, whether it has an instruction for it."""
    found = {product.name: (product.body(), product.expected(), product.is_native(architecture)) for product in of_warps()}
    if architecture == "90a":
        found |= {product.name: (product.body(), product.expected(), True) for product in of_warpgroups()}
    if architecture in ("100a", "103a", "110a"):
        found |= {name: (body, known, True) for name, body, known in of_sms()}
    return found


def compiled(architecture, bodies, folder):
    """A cubin with a kernel for each of these, except for those that the architecture does not have; None if ptxas does not know it."""
    source, cubin = folder / f"{architecture}.ptx", folder / f"{architecture}.cubin"
    bodies = dict(bodies)
    while bodies:
        lines = [".version 9.0", f".target sm_{architecture}", ".address_size 64"]
        first_lines = {}
        for name, body in bodies.items():
            first_lines[len(lines) + 1] = name
            lines += [f".visible .entry {name}(.param .u64 p) {{", ".reg .u64 %m;", "ld.param.u64 %m, [p];", *body, "ret;", "}"]
        source.write_text("\n".join(lines) + "\n")
        done = subprocess.run([arguments.ptxas, f"-arch=sm_{architecture}", source, "-o", cubin], capture_output=True, text=True)
        if done.returncode == 0:
            return cubin
        refused = {max(line for line in first_lines if line <= int(number)) for number in re.findall(r"line (\d+); error", done.stderr)
                   if int(number) > 3}
        if not refused:
            return None
        for line in refused:
            del bodies[first_lines[line]]
    return None


def decoded(cubin):
    """(kernel, place) → what was decoded."""
    lines = subprocess.run([arguments.print, cubin], capture_output=True, text=True, check=True).stdout.splitlines()
    return {(kernel, int(place)): rest for kernel, place, rest in (line.split(" ", 2) for line in lines)}


def disassembler():
    return shutil.which("nvdisasm", path=os.pathsep.join([str(pathlib.Path(arguments.ptxas).parent), os.environ.get("PATH", "")]))


def disassembled(cubin):
    """(kernel, place) → `HMMA.16816.F32.BF16`, for every instruction."""
    found, kernel = {}, None
    for line in subprocess.run([disassembler(), "-c", cubin], capture_output=True, text=True, check=True).stdout.splitlines():
        if section := re.match(r"\s*\.text\.(\w+):", line):
            kernel = section[1]
        if instruction := re.match(r"\s*/\*([0-9a-f]+)\*/\s+\{?\s*(?:@\S+\s+)?([A-Z][\w.]*)", line):
            found[kernel, int(instruction[1], 16)] = instruction[2]
    return found


class TensorCode(unittest.TestCase):
    maxDiff = None

    def test_every_instruction_is_that_of_its_ptx(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture=architecture), tempfile.TemporaryDirectory() as folder:
                expected = kernels(architecture)
                cubin = compiled(architecture, {name: body for name, (body, _, _) in expected.items()}, pathlib.Path(folder))
                if cubin is None:
                    print(f"ptxas does not know sm_{architecture}")
                    continue
                found = decoded(cubin)
                by_kernel = {}
                for (kernel, _), text in found.items():
                    by_kernel.setdefault(kernel, set()).add(text)
                self.assertGreater(len(by_kernel), 10)
                if architecture in COMPLETE:
                    self.assertEqual([name for name, (_, _, is_native) in expected.items() if is_native and name not in by_kernel], [])
                for kernel, texts in by_kernel.items():
                    _, text, is_native = expected[kernel]
                    if is_native:
                        self.assertEqual(texts, {text}, kernel)
                    else:
                        self.assertFalse([other for other in texts if " 0 0 0 " in other], kernel)
                if disassembler():
                    self.compare_with_nvdisasm(found, disassembled(cubin))

    def compare_with_nvdisasm(self, found, texts):
        tensor = {place: text for place, text in texts.items() if re.match(r"(?:[HIDBQO]|[HIBQ]G|UTC[HIQO])MMA\b", text)}
        self.assertEqual(set(tensor), set(found))
        for place, text in tensor.items():
            opcode, *modifiers = text.split(".")
            known, m, n, k, type, accumulator, sparse, *_ = found[place].split()
            self.assertEqual(opcode, known, text)
            if opcode.startswith("UTC"):
                continue
            self.assertIn(m + n + k, [modifier.replace("x", "") for modifier in modifiers], text)
            self.assertEqual("SP" in modifiers, sparse == "sparse", text)
            for name in ("BF16", "TF32"):
                self.assertEqual(name in modifiers, type == name.lower(), text)
            if opcode in ("HMMA", "HGMMA", "QMMA", "QGMMA"):
                self.assertEqual("F32" in modifiers, accumulator == "f32", text)
            for name, kinds in (("S8 U8", "i8"), ("S4 U4", "i4")):
                if opcode in ("IMMA", "IGMMA"):
                    self.assertEqual(bool(set(name.split()) & set(modifiers)), type == kinds, text)


class CeilingCode(unittest.TestCase):
    """Of ceilings that only GPUs have on which they never ran: what they execute is what they declare."""

    def kinds(self, source, architecture):
        """The instructions that the machine code of a file has, each with its number."""
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder) / "code.cubin"
            subprocess.run([pathlib.Path(arguments.ptxas).parent / "nvcc", "-std=c++20", "-cubin", "-gencode",
                            f"arch=compute_{architecture},code=sm_{architecture}", "-I", SOURCE, source, "-o", cubin], check=True)
            return collections.Counter(decoded(cubin).values())

    def declared(self, source):
        """The registrations of a file: type, accumulator and scales of the products, and the kernel's template arguments."""
        text = re.sub(r"\s+", " ", source.read_text())
        return [(*match.groups("none")[1:], match[1]) for match in re.finditer(
            r"benchmark<ceiling_\w+, ([\w:]+)>\([^{]*\{\.type = TensorElement::(\w+), \.accumulator = TensorElement::(\w+)"
            r"(?:, \.scales = BlockScales::(\w+))?", text)]

    @unittest.skipUnless(shutil.which("g++"), "nvcc needs a compiler")
    def test_mma_of_12_is_what_its_ceiling_declares(self):
        source = SOURCE / "kernels/blackwell/mma.cu"
        ceilings = self.declared(source)
        self.assertEqual(len(ceilings), 3)
        found = {kind.split(" ", 1)[1]: count for kind, count in self.kinds(source, "120f").items()}
        self.assertEqual(found, {f"16 8 {k} {type} {accumulator} dense {2 * 16 * 8 * int(k)} {scales}": 512  # chains times steps
                                 for type, accumulator, scales, k in ceilings})
        self.assertEqual(self.kinds(source, "90a"), {})

    @unittest.skipUnless(shutil.which("g++"), "nvcc needs a compiler")
    def test_tcgen05_is_what_its_ceiling_declares(self):
        source = SOURCE / "kernels/blackwell/tcgen05.cu"
        ceilings = self.declared(source)
        self.assertEqual(len(ceilings), 6)
        expected = collections.Counter()
        for type, _, scales, _ in ceilings:
            # The descriptor, a number that the instruction is given, has shape and, without scales, types.
            opcode, of, accumulator = {"f16": ("UTCHMMA", "unknown", "unknown"), "bf16": ("UTCHMMA", "unknown", "unknown"),
                                       "f8": ("UTCQMMA", "f8f6f4", "unknown"), "f4": ("UTCOMMA", "f4", "f32")}[type]
            accumulator = "f32" if scales != "none" else accumulator
            expected[f"{opcode} 0 0 0 {of} {accumulator} dense 0 {scales}"] += 8  # steps of the loop
        for architecture in ("100f", "103f"):
            self.assertEqual(self.kinds(source, architecture), expected)
        self.assertEqual(self.kinds(source, "120f"), {})


def half_kernels(architecture):
    """Bodies of kernels by name, and whether they do arithmetic on FP16 or BF16."""
    def of(instruction, *registers, store="st.global.u32 [%m], %d;"):
        return [*registers, ".reg .b32 %a, %b, %c, %d;", "ld.global.u32 %a, [%m];", "ld.global.u32 %b, [%m+4];", "ld.global.u32 %c, [%m+8];",
                instruction, store]

    halves = [".reg .b16 %l, %h;", ".reg .f32 %f;"]
    converted = "mov.b32 {{%l, %h}}, %a; cvt.f32.{}".format
    kernels = {
        "to_f32_low": (of(converted("f16 %f, %l;"), *halves, store="st.global.f32 [%m], %f;"), False),
        "to_f32_high": (of(converted("f16 %f, %h;"), *halves, store="st.global.f32 [%m], %f;"), False),
        "constants": (of("mov.u32 %d, 0x3f800000;", ".reg .f32 %f;") + ["st.global.u32 [%m+16], 0x40490fdb;"], False),
        "add_f16x2": (of("add.rn.f16x2 %d, %a, %b;"), True),
        "mul_f16x2": (of("mul.rn.f16x2 %d, %a, %b;"), True),
        "fma_f16x2": (of("fma.rn.f16x2 %d, %a, %b, %c;"), True),
        "add_f16": (of("mov.b32 {%l, %h}, %a; add.rn.f16 %l, %l, %h;", *halves, store="st.global.b16 [%m], %l;"), True),
    }
    if int(architecture.rstrip("a")) >= 80:
        kernels["fma_bf16x2"] = (of("fma.rn.bf16x2 %d, %a, %b, %c;"), True)
        kernels["to_f32_of_bf16"] = (of("shl.b32 %d, %a, 16;"), False)
    if int(architecture.rstrip("a")) >= 90:
        kernels["add_bf16x2"] = (of("add.rn.bf16x2 %d, %a, %b;"), True)
    return kernels


class HalfCode(unittest.TestCase):
    def test_arithmetic_is_told_from_conversions_and_constants(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture=architecture), tempfile.TemporaryDirectory() as folder:
                expected = half_kernels(architecture)
                bodies = {name: body for name, (body, _) in expected.items()}
                cubin = compiled(architecture, bodies, pathlib.Path(folder))
                if cubin is None:
                    print(f"ptxas does not know sm_{architecture}")
                    continue
                lines = subprocess.run([arguments.print, "--half", cubin], capture_output=True, text=True, check=True).stdout.splitlines()
                found = {(kernel, int(place)) for kernel, place in map(str.split, lines)}
                self.assertEqual({kernel for kernel, _ in found}, {name for name, (_, is_arithmetic) in expected.items() if is_arithmetic})
                if disassembler():
                    real = {place for place, text in disassembled(cubin).items()
                            if re.match(r"H(ADD2|MUL2|FMA2)\b", text) and not re.match(r"HADD2(\.\w+)*\.F32\b", text)}
                    self.assertEqual({place for place in found if place not in real}, set())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", required=True)
    parser.add_argument("--ptxas", required=True)
    arguments, rest = parser.parse_known_args()
    if not os.access(arguments.ptxas, os.X_OK):
        print("there is no ptxas")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])
