#!/usr/bin/env python3
"""run_bench.py BENCH_OPEN CORPUS [--python EXE] [--nodes N] [--weights MB] [--keep DIR]: how fast programs open.

Ratios are printed, not seconds: machines differ. EXE is a Python with torch (default: this one); without torch only the peers of the
standard library are timed. Files are made by the corpus' own scripts and removed afterwards unless --keep names a folder for them.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile

TORCH = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import torch
start = time.perf_counter()
program = torch.export.load(sys.argv[1])
print(json.dumps({"seconds": time.perf_counter() - start, "nodes": len(program.graph.nodes)}))
"""


def make(python, script, arguments, out):
    if not os.path.exists(out):
        print(f"making {os.path.basename(out)}", file=sys.stderr)
        subprocess.run([python, script, *arguments, out], check=True, stdout=subprocess.DEVNULL)
    return out


def opened(bench, path, repeats):
    return json.loads(subprocess.run([bench, path, str(repeats)], check=True, capture_output=True, text=True).stdout)


def json_seconds(path):
    with zipfile.ZipFile(path) as archive:
        data = archive.read(next(n for n in archive.namelist() if "/models/" in n))
    best = None
    for _ in range(3):
        start = time.perf_counter()
        json.loads(data)
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
    return best


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("corpus")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--weights", type=int, default=1024, help="MB of the file with large weights")
    parser.add_argument("--keep")
    options = parser.parse_args()
    scripts = os.path.join(options.corpus, "make")
    failed = False
    if not has_torch(options.python):
        print(f"{options.python} has no torch: nothing can be made or compared")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        huge = make(options.python, os.path.join(scripts, "make_huge.py"), [str(options.nodes)], os.path.join(folder, f"huge{options.nodes}.pt2"))
        ours = opened(options.bench, huge, 9)
        plain = json_seconds(huge)
        torch = json.loads(subprocess.run([options.python, "-c", TORCH, huge], check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        ratio = torch["seconds"] * 1000 / ours["median_ms"]
        print(f"{ours['nodes']} nodes, everything resolved: {ours['median_ms']:.1f} ms (checksum {ours['checksum']})")
        print(f"  torch.export.load {torch['seconds']:.1f} s: {ratio:.0f}x (goal 300)")
        print(f"  json.loads alone {plain * 1000:.0f} ms: {plain * 1000 / ours['median_ms']:.1f}x")
        failed |= ratio < 300

        heavy = make(options.python, os.path.join(scripts, "make_big_weights.py"), [str(options.weights)], os.path.join(folder, f"weights{options.weights}.pt2"))
        light = make(options.python, os.path.join(scripts, "make_big_weights.py"), ["1"], os.path.join(folder, "weights1.pt2"))
        times = {path: opened(options.bench, path, 51)["median_ms"] for path in (light, heavy)}
        factor = times[heavy] / times[light]
        print(f"{options.weights} MB of weights against 1 MB: {times[heavy]:.2f} ms and {times[light]:.2f} ms, {factor:.2f}x (goal 1, at most 1.5)")
        failed |= factor > 1.5
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
