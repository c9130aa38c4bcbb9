"""Writes casts.npz: what torch's .to(dtype) makes of tricky values, for every pair of dtypes.

Keys: "src.DTYPE" holds the values of a source dtype, "SRC.DST" what torch made of them; all as unsigned views of the same width.
Usage: python make_casts.py OUT.npz   (needs torch and numpy)
"""
import sys
import numpy as np
import torch

INTEGERS = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
FLOATS = SMALL + ["float32", "float64"]
COMPLEX = ["complex32", "complex64", "complex128"]
ALL = INTEGERS + ["bool"] + FLOATS + COMPLEX
UNSIGNED = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}

inf, nan = float("inf"), float("nan")
TRICKY = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.1, 1 / 3, 127.0, 128.0, 200.7, -128.9, 255.0, 256.0, -300.4, 447.9, 448.0, 463.0, 464.0, 465.0, 480.0,
          240.0, 247.9, 248.0, 249.0, 57344.0, 61439.0, 61440.0, 65504.0, 65519.0, 65520.0, 65536.0, 32767.5, -32768.0, 2147483000.0, -2147483648.0,
          6e-8, 2.9e-8, 2.98023223876953125e-08, 3.1e-8, 5.96e-8, 6.1e-5, 0.001953125, 0.0009765625, 0.0014, 0.015625, 0.00390625, 1e-40, 1.1754943508222875e-38,
          5.877471754111438e-39, 1.401298464324817e-45, 1e38, 3.3895313892515355e38, 3.4e38, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, 1 + 3 * 2.0**-11,
          1 + 2.0**-11 + 2.0**-24, 17.0, 18.0, 19.0, inf, -inf, nan]


def view(t):
    if t.dtype == torch.bool:
        return t.to(torch.uint8)
    if t.dtype.is_complex:
        t = torch.view_as_real(t.contiguous())
    return t.contiguous().view(UNSIGNED[t.element_size()])


def source(name):
    dtype = getattr(torch, name)
    if name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        return torch.arange(256).to(torch.uint8).view(dtype)
    if name in ("float16", "bfloat16"):
        steps = torch.arange(0, 65536, 797).to(torch.int32)
        extra = torch.tensor(TRICKY, dtype=torch.float64).to(dtype)
        return torch.cat([steps.to(torch.uint16).view(dtype), extra])
    if name in ("float32", "float64"):
        base = torch.tensor(TRICKY + [-v for v in TRICKY] + [9.3e18, 1.8e19, 2e19, 4294967295.0, 4294967296.5, 1e300, 1e-310], dtype=torch.float64)
        return base.to(dtype)
    if name in COMPLEX:
        base = torch.tensor(TRICKY, dtype=torch.float64)
        both = torch.complex(base, torch.flip(base, [0]))
        return both.to(dtype)
    if name == "bool":
        return torch.tensor([False, True])
    info = torch.iinfo(dtype)
    values = {0, 1, 2, 3, 100, 127, 128, 255, 256, 257, 2049, 2051, 65504, 65519, 65520, 65535, 65536, 16777217, 2**31 - 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63 - 1,
              info.max, info.min, info.max - 1, -1, -2, -128, -129, -32769, -(2**31), -(2**31) - 1}
    return torch.tensor([v for v in sorted(values) if info.min <= v <= info.max and v < 2**63] + ([info.max] if info.max < 2**63 else []), dtype=dtype)


out = {}
skipped = []
for src in ALL:
    values = source(src)
    out["src." + src] = view(values).numpy()
    for dst in ALL:
        try:
            # One element at a time and all at once must agree, or the pair has no single answer (vectorised code differs) and stays out.
            together = view(values.to(getattr(torch, dst))).numpy()
            alone = view(torch.cat([v.reshape(1).to(getattr(torch, dst)) for v in values])).numpy()
        except (RuntimeError, NotImplementedError) as error:
            skipped.append((src, dst, str(error)[:60]))
            continue
        out[f"{src}.{dst}"] = together
        if not np.array_equal(together, alone):
            out[f"{src}.{dst}.alone"] = alone
np.savez_compressed(sys.argv[1], **out)
print(len(out), "arrays;", "skipped:", skipped)
