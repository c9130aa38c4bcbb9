#!/usr/bin/env bash
# test-engines.sh [--headers DIR] [--cuda PYTHON|LIBTORCH] [--versions "2.8.0 ..."]: the run engine and the releases of torch. First, its files that include
# LibTorch are compiled, warnings as errors, against the headers of each release from 2.8 to 2.15, which packaging/torch_headers.py puts into DIR. Then it is
# built alone, as an installation does, for a build of torch with CUDA and without a CUDA toolkit, and runs a package on the CPU. Without --cuda or
# PT2SCOPE_CUDA, a Python environment with that torch is made in build/venv-cuda (3 GB to download). What cannot be had is left out, and said.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

headers=$root/build/torch-headers cuda=${PT2SCOPE_CUDA:-} versions='2.8.0 2.9.1 2.10.0 2.11.0 2.12.1 2.13.0 2.14.1 2.15.0'
cuda_version=2.14.1
while [ $# -gt 0 ]; do
  case $1 in
    --headers) headers=$(realpath -m "$2"); shift ;;
    --cuda) cuda=$2; shift ;;
    --versions) versions=$2; shift ;;
    -h | --help) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "Usage: packaging/test-engines.sh [--headers DIR] [--cuda PYTHON|LIBTORCH] [--versions \"2.8.0 ...\"]" >&2; exit 2 ;;
  esac
  shift
done
work=$root/build/engines
mkdir -p "$work"
passed=0 failed=0 skipped=0

passes() { printf '  ok    %s\n' "$1"; passed=$((passed + 1)); }
# fails SENTENCE [LOG]
fails() {
  printf '  FAILS %s\n' "$1"
  [ -z "${2:-}" ] || grep -vE '^ *$' "$2" | head -n 20 | sed 's/^/        /'
  failed=$((failed + 1))
}
leave_out() { printf '  left out: %s\n' "$1"; skipped=$((skipped + 1)); }
# check SENTENCE COMMAND...
check() {
  local sentence=$1
  shift
  if "$@" >"$work/check.log" 2>&1; then passes "$sentence"; else fails "$sentence" "$work/check.log"; fi
}

# --- Headers of every release -------------------------------------------------------------------------------------------------------------

# A Python that has pip, for torch_headers.py.
find_pip_python() {
  local python
  for python in "${PT2SCOPE_PYTHON:-}" "$venv/bin/python" python3 python3.13 python3.12 python3.11 python3.10; do
    [ -n "$python" ] && "$python" -m pip --version >/dev/null 2>&1 && { echo "$python"; return; }
  done
  return 1
}

# compile_against VERSION: the tree is configured for these headers, and its own command for each file runs without writing anything.
compile_against() {
  local version=$1 folder=$work/$1 log=$work/$1.log file command began=$SECONDS
  local sentence="torch $version"
  if ! cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPT2SCOPE_WERROR=ON -DPT2SCOPE_GUI=OFF -DPT2SCOPE_TESTS=OFF \
    -DLIBTORCH="$headers/$version" >"$log" 2>&1; then
    fails "$sentence: the build cannot be configured" "$log"
    return
  fi
  sentence=$(sed -nE 's/^-- pt2-worker: LibTorch ([^ ]+) ?([^ ]*) in .*/torch \1 \2/p' "$log")
  for file in "${including[@]}"; do
    command=$(ninja -C "$folder" -t commands "core/engine/CMakeFiles/pt2_engine.dir/$(basename "$file").o" 2>>"$log" |
      sed -nE 's/^.*ccache ([^ ]+ )/\1/; s/ -MD -MT [^ ]+ -MF [^ ]+ -o [^ ]+ -c / -fsyntax-only /p')
    if [ -z "$command" ]; then
      fails "$sentence: the build has no command for $file" "$log"
      return
    fi
    if ! (cd "$folder" && bash -c "$command") >"$log" 2>&1; then
      fails "$sentence: $file" "$log"
      return
    fi
  done
  passes "$sentence: ${including[*]} compile ($((SECONDS - began)) s)"
}

say "The run engine's sources against the headers of each torch"
# Not one of them may be overlooked: the engine's folder is the only one that includes LibTorch (tst_structure).
mapfile -t including < <(cd "$root" && grep -lE '^#include <(ATen|c10|torch)/' core/engine/*.cpp)
[ ${#including[@]} -gt 0 ] || die "no file of core/engine includes LibTorch."
pip_python=$(find_pip_python) || pip_python=''
for version in $versions; do
  if [ ! -d "$headers/$version" ]; then
    if [ -z "$pip_python" ]; then
      leave_out "torch $version: there is no Python with pip to get its headers with"
      continue
    fi
    status=0
    "$pip_python" "$root/packaging/torch_headers.py" "$version" -o "$headers" >"$work/headers.log" 2>&1 || status=$?
    if [ $status = 4 ]; then
      leave_out "$(sed -n 's/^Error: //p' "$work/headers.log" | tail -n 1)"
      continue
    elif [ $status != 0 ]; then
      fails "torch $version: its headers cannot be had" "$work/headers.log"
      continue
    fi
  fi
  compile_against "$version"
done

# --- A build for CUDA, on a machine that need not have any --------------------------------------------------------------------------------

# The environment in build/venv-cuda becomes $cuda, or $missing says why it cannot.
make_cuda_environment() {
  local folder=$root/build/venv-cuda base free
  if [ -e "$folder/.complete" ] && "$folder/bin/python" -c '' 2>/dev/null; then
    cuda=$folder/bin/python
    return
  fi
  [ "${PT2SCOPE_NO_TORCH:-}" != 1 ] || { missing="PT2SCOPE_NO_TORCH=1"; return; }
  base=$(find_base_python) || { missing="there is no Python from 3.10 to 3.13 with venv and its headers"; return; }
  free=$(df --output=avail -BG "$root/build" | tail -n 1 | tr -dc 0-9)
  [ "$free" -ge 15 ] || { missing="torch with CUDA needs 15 GB of the disk, and $free GB are free"; return; }
  say "Python environment in build/venv-cuda (from $base): torch $cuda_version with CUDA, about 3 GB to download"
  # Arguments of the user's may choose the build for the CPU, so they are not passed on.
  if "$base" -m venv --clear "$folder" && "$folder/bin/python" -m pip install --disable-pip-version-check --quiet "torch==$cuda_version" numpy \
    >"$work/pip.log" 2>&1; then
    touch "$folder/.complete"
    cuda=$folder/bin/python
  else
    missing="pip could not install torch $cuda_version: $(grep -E '^ERROR' "$work/pip.log" | tail -n 1)"
    rm -rf "$folder"
  fi
}

# without_toolkit COMMAND...: no CUDA toolkit is named, and where we may, none is seen.
without_toolkit() {
  local hide='for folder in /usr/local/cuda*; do [ ! -d "$folder" ] || [ -L "$folder" ] || mount -t tmpfs tmpfs "$folder"; done; exec "$@"'
  local plain=(env -u CUDA_HOME -u CUDA_PATH -u CUDA_ROOT -u CUDACXX -u CUDAToolkit_ROOT)
  if [ "$(id -u)" = 0 ] && unshare --mount --propagation private true 2>/dev/null; then
    "${plain[@]}" unshare --mount --propagation private bash -c "$hide" without_toolkit "$@"
  else
    "${plain[@]}" "$@"
  fi
}

# What packaging/worker describes, built for $libtorch in $tree. Generator and place are those of "pt2 engine install", which then finds it in ccache.
build_worker() {
  without_toolkit cmake -S "$release/share/pt2scope/worker" -B "$tree/build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DLIBTORCH="$libtorch" &&
    without_toolkit cmake --build "$tree/build" --target pt2-worker --parallel "${PT2SCOPE_JOBS:-$(nproc)}"
}

# No file of a toolkit was looked for or read.
needs_no_toolkit() {
  local read
  find "$tree/build" -name '*.d' -size +0 | grep -q . || { echo "The build does not tell what it read."; return 1; }
  read=$(grep -rhoE --include='*.d' '[^ ]*/(cuda|cuda_runtime|cuda_runtime_api|driver_types|cublas_v2)\.h' "$tree/build" | sort -u || true)
  read+=$(grep -E '^(CUDA|CMAKE_CUDA)' "$tree/build/CMakeCache.txt" || true)
  [ -z "$read" ] || { echo "$read"; return 1; }
}

# refused STATUS COMMAND...: it ends with this status, and says why.
refused() {
  local wanted=$1 status=0
  shift
  "$@" >"$work/said" 2>&1 || status=$?
  cat "$work/said"
  echo "status $status"
  [ $status = "$wanted" ] && grep -q '^pt2: ' "$work/said" && grep -q ' why: ' "$work/said"
}

# The worker itself, asked over its protocol (core/run/protocol.h) for a model on the GPU: pt2 refuses a model for the CPU before it gets so far.
worker_refuses_gpu() {
  "$1" - "$2" <<'P'
import json, struct, subprocess, sys

worker = subprocess.Popen([sys.argv[1], "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def send(sequence, body):
    head = json.dumps({"sequence": sequence, "payload": 0, "descriptors": 0, "body": body}).encode()
    worker.stdin.write(struct.pack("<I", len(head)) + head)
    worker.stdin.flush()

def receive(sequence):
    while True:
        head = json.loads(worker.stdout.read(struct.unpack("<I", worker.stdout.read(4))[0]))
        worker.stdout.read(head["payload"])
        if head["sequence"] == sequence and head["body"].get("type") != "progress":
            return head["body"]

preamble = worker.stdout.read(12)
hello = receive(0)
print(hello)
worker.stdin.write(preamble)
for number, device in enumerate(("cuda", "cuda:0", "cuda:7"), 1):
    send(number, {"request": "load", "library": "/nowhere/model.so", "device": device})
    answer = receive(number)
    print(answer)
    error = answer["error"]
    assert answer["type"] == "error" and error["code"] == "run.device" and error["why"] == "LibTorch finds no device of this kind.", answer
send(9, {"request": "describe"})
assert receive(9)["devices"] == ["cpu"]
worker.stdin.close()
print("ended with", worker.wait(30))
P
}

test_cuda() {
  local libtorch name file python='' pt2=$release/bin/pt2 worker=$work/pt2-worker list corpus=${PT2SCOPE_CORPUS:-$root/../shared/corpus} option
  if [ -d "$cuda" ]; then
    libtorch=$(realpath "$cuda") option=--libtorch
  else
    python=$cuda option=--python
    libtorch=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])') || { fails "$cuda has no torch"; return; }
  fi
  if [ ! -e "$libtorch/lib/libtorch_cuda.so" ]; then
    fails "the LibTorch in $libtorch was built without CUDA"
    return
  fi
  # "2.14.1+cu130", of a wheel or of an archive.
  file=$libtorch/version.py
  [ -e "$file" ] || file=$libtorch/build-version
  name=$(sed -nE "s/^(__version__ = ')?([0-9][^']*)'?$/\2/p" "$file" | head -n 1)
  say "The run engine for LibTorch $name, with CUDA"
  # The sources that an installation would hold, as they are now.
  [ -e "$release/build.ninja" ] || configure release -DPT2SCOPE_WERROR=ON
  build release pt2 worker_sources
  ! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  local tree began=$SECONDS
  tree=$(mktemp -d "${TMPDIR:-/tmp}/pt2scope-engine-XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$tree'" EXIT
  if ! build_worker >"$work/worker.log" 2>&1; then
    tail -n 30 "$work/worker.log" >"$work/check.log"
    fails "it builds from packaging/worker" "$work/check.log"
    return
  fi
  passes "it builds from packaging/worker ($((SECONDS - began)) s)"
  cp "$tree/build/pt2-worker" "$worker"
  check "the build needs no CUDA toolkit" needs_no_toolkit

  list=$(PT2SCOPE_WORKER=$worker "$pt2" engine list 2>&1) || true
  check "pt2 engine list shows it as the chosen one" grep -q "^chosen  $name in" <<<"$list"
  check "pt2 doctor finds it" bash -c 'PT2SCOPE_WORKER=$1 "$2" doctor | tee /dev/stderr | grep -q "^run engine  *found  *torch $3"' - "$worker" "$pt2" "${name%%+*}"
  local compiled=$corpus/2.13.0/aoti/tiny.pt2 program=$corpus/2.13.0/tiny.pt2
  if [ -e "$compiled" ]; then
    check "a package compiled for the CPU runs" env PT2SCOPE_WORKER="$worker" "$pt2" run "$compiled"
    check "a model for the CPU is refused on the GPU in words" refused 4 env PT2SCOPE_WORKER="$worker" "$pt2" run "$compiled" --device cuda
    if [ -x "$release/tests/tst_worker" ]; then
      check "the tests of the run engine pass with it" env PT2SCOPE_WORKER="$worker" "$release/tests/tst_worker"
    fi
  else
    leave_out "running packages: the corpus is not there"
  fi
  if [ -n "$python" ] && [ -e "$program" ]; then
    check "a program compiles with its torch, and runs" env PT2SCOPE_WORKER="$worker" PT2SCOPE_PYTHON="$python" \
      bash -c '"$1" recompile "$2" -o "$3" --force && "$1" run "$3" && "$1" compare "$3" --reference torch' - "$pt2" "$program" "$work/tiny-compiled.pt2"
    check "compiling for a GPU that is not there is refused in words" refused 4 env PT2SCOPE_WORKER="$worker" PT2SCOPE_PYTHON="$python" \
      "$pt2" recompile "$program" -o "$work/tiny-gpu.pt2" --force --device cuda
  fi
  if ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    leave_out "what the run engine says without a GPU: there is one here"
  else
    check "without a GPU the run engine lists the CPU alone" bash -c '! grep -E "cuda:[0-9]" <<<"$1"' - "$list"
    check "without a GPU the run engine refuses one in words, and lives on" worker_refuses_gpu "${python:-python3}" "$worker"
  fi
  rm -rf "$work/home"
  check "pt2 engine install $option builds it" without_toolkit env -u PT2SCOPE_WORKER XDG_DATA_HOME="$work/home" "$pt2" engine install "$option" "$cuda"
  check "it is found afterwards" bash -c 'env -u PT2SCOPE_WORKER XDG_DATA_HOME="$1" "$2" engine list | tee /dev/stderr | grep -F "$3 in" | grep -qF "$1"' - \
    "$work/home" "$pt2" "$name"
}

missing=''
[ -n "$cuda" ] || make_cuda_environment
if [ -n "$missing" ]; then
  say "The run engine for a LibTorch with CUDA"
  leave_out "$missing"
elif [ ! -d "$cuda" ] && ! command -v "$cuda" >/dev/null; then
  say "The run engine for a LibTorch with CUDA"
  fails "there is no $cuda"
else
  [ -d "$cuda" ] || cuda=$(command -v "$cuda")
  test_cuda
fi

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
