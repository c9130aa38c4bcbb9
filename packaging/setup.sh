# Shared by run.sh, test.sh and build.sh, which source it: finds what is missing, says what it will download, installs it, configures and builds.
# Everything is looked at anew each time, so a second run installs nothing and takes seconds.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$root/build/release
venv=$root/build/venv
requirements=$root/packaging/requirements.txt
torch_version=$(sed -n 's/^torch==//p' "$requirements")

# Clones in different folders share what ccache holds.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '\n== %s\n' "$*"; }
die() { printf 'Error: %s\n' "$*" >&2; exit 6; }

# --- System packages (HACKING.md says why each one) ---------------------------------------------------------------------------------------

system_packages=(
  g++ cmake ninja-build ccache mold pkg-config
  zlib1g-dev libzip-dev libssl-dev libfmt-dev nlohmann-json3-dev libsimdjson-dev libcli11-dev libexpected-dev libcapstone-dev
  qt6-base-dev qt6-svg-dev fonts-inter fonts-jetbrains-mono
  bubblewrap
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_system_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is no Debian system: packages are not installed. The build names the libraries it misses (list: HACKING.md)."
    return
  fi
  local wanted=("${system_packages[@]}") missing=() package
  if [ "${PT2SCOPE_NO_TORCH:-}" != 1 ] && ! find_base_python >/dev/null && [ -z "$(find_torch_python)" ]; then wanted+=(python3 python3-venv python3-dev); fi
  # A session that is Wayland only needs Qt's plugin for it.
  if [ -n "${WAYLAND_DISPLAY:-}" ] && [ -z "${DISPLAY:-}" ]; then wanted+=(qt6-wayland); fi
  for package in "${wanted[@]}"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0

  say "System packages to install: ${missing[*]}"
  local release_name=unknown
  [ -r /etc/os-release ] && release_name=$(. /etc/os-release && echo "${PRETTY_NAME:-unknown}")
  case $release_name in
    "Debian GNU/Linux 12"* | "Debian GNU/Linux 13"*) ;;
    *) echo "pt2scope is made for Debian 12 and 13; this is $release_name, and package names may differ." ;;
  esac
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    die "neither root nor sudo is at hand to install them. As root: apt-get install --no-install-recommends ${missing[*]}"
  as_root apt-get update -qq || echo "The package lists could not be refreshed; those at hand are used."
  # The simulation of apt says how large the download is.
  LC_ALL=C apt-get install --assume-no -o Debug::NoLocking=true --no-install-recommends "${missing[@]}" 2>/dev/null | grep -E '^(Need to get|After this)' || true
  mkdir -p "$root/build"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$root/build/apt.log" 2>&1 || {
    { grep -aA 1 -E '^(E:|dpkg: error)' "$root/build/apt.log" || tail -n 15 "$root/build/apt.log"; } | head -n 15 >&2
    die "apt could not install them (whole log: build/apt.log)."
  }
}

# --- Python with torch --------------------------------------------------------------------------------------------------------------------

# Whether a Python has torch at the pinned version, and numpy; asked of the installed metadata, since importing torch takes seconds.
has_torch() {
  "$1" - "$torch_version" >/dev/null 2>&1 <<'P'
import importlib.metadata as m, sys
m.version("numpy")
sys.exit(m.version("torch").split("+")[0] != sys.argv[1])
P
}

# A Python from which a virtual environment with torch can be made: 3.10 to 3.13, with venv, pip's wheel and the C headers (the compiler needs
# them to build models).
find_base_python() {
  local python
  for python in python3 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3; do
    command -v "$python" >/dev/null || continue
    if "$python" - >/dev/null 2>&1 <<'P'
import ensurepip, os, sys, sysconfig, venv
ok = (3, 10) <= sys.version_info[:2] <= (3, 13) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
sys.exit(not ok)
P
    then
      command -v "$python"
      return 0
    fi
  done
  return 1
}

# A Python that has torch already: PT2SCOPE_PYTHON, the virtual environment of the build folder, that of the PATH. Empty when there is none.
find_torch_python() {
  local python
  for python in "${PT2SCOPE_PYTHON:-}" "$venv/bin/python" python3; do
    [ -n "$python" ] && command -v "$python" >/dev/null || continue
    if has_torch "$python"; then
      "$python" -c 'import sys; print(sys.executable)'
      return 0
    fi
  done
  return 0
}

install_python() {
  local python stamp=$venv/.pt2scope-requirements hash
  if [ "${PT2SCOPE_NO_TORCH:-}" = 1 ]; then
    say "PT2SCOPE_NO_TORCH=1: no torch, so everything but running and compiling models works."
    return
  fi
  hash=$(sha256sum "$requirements" | cut -d ' ' -f 1)
  python=$(find_torch_python)
  # The environment of our own follows requirements.txt; one of the user's is left as it is.
  if [ -n "$python" ] && { [ "$python" != "$venv/bin/python" ] || [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ]; }; then
    export PT2SCOPE_PYTHON=$python
    return
  fi
  local base
  base=$(find_base_python) || die "no Python from 3.10 to 3.13 with venv and its headers was found. PT2SCOPE_PYTHON names one that has torch."
  say "Python environment in build/venv (from $base): torch $torch_version and numpy"
  echo "To download: about 200 MB for a build of torch for the CPU, about 3 GB for the one with CUDA that pip takes by default on x86-64."
  echo "PT2SCOPE_PIP_ARGS passes arguments to pip${PT2SCOPE_PIP_ARGS:+ (now: $PT2SCOPE_PIP_ARGS)}; the README says how to choose a CPU build."
  [ -x "$venv/bin/python" ] && "$venv/bin/python" -c '' 2>/dev/null || "$base" -m venv --clear "$venv"
  # Unquoted on purpose: several arguments.
  # shellcheck disable=SC2086
  "$venv/bin/python" -m pip install --disable-pip-version-check --quiet ${PT2SCOPE_PIP_ARGS:-} -r "$requirements" ||
    die "pip could not install torch. PT2SCOPE_NO_TORCH=1 builds without the run engine."
  has_torch "$venv/bin/python" || die "torch $torch_version is still not in build/venv."
  printf '%s\n' "$hash" >"$stamp"
  export PT2SCOPE_PYTHON=$venv/bin/python
}

prepare() {
  mkdir -p "$root/build"
  install_system_packages
  install_python
}

# --- Build --------------------------------------------------------------------------------------------------------------------------------

# configure PRESET [OPTION...]
configure() {
  local preset=$1 log=$root/build/configure-$1.log cache
  shift
  if command -v mold >/dev/null; then set -- -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold "$@"; fi
  # ccache fails each compile when it cannot write its folder, for instance in a home that is read-only.
  if command -v ccache >/dev/null; then
    cache=$(ccache --get-config cache_dir)
    { mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; } || export CCACHE_DIR=$root/build/ccache
  fi
  (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 || {
    tail -n 25 "$log" >&2
    die "cmake could not configure the build (whole log: ${log#"$root"/})."
  }
  grep -E 'pt2-worker' "$log" || true
}

# build PRESET [TARGET...]: one line of progress on a terminal, errors otherwise.
build() {
  local preset=$1
  shift
  NINJA_STATUS='[%f/%t] ' cmake --build "$root/build/$preset" -- -j "${PT2SCOPE_JOBS:-$(nproc)}" "$@"
}

# The three programs, for build.sh and run.sh. Warnings are errors, as in the tests, so that neither of the two builds everything again after the
# other; a compiler that knows more warnings gets a second try without.
build_programs() {
  say "Building (build/release)"
  configure release -DPT2SCOPE_WERROR=ON "$@"
  local targets=(pt2)
  ninja -C "$release" -t query pt2scope >/dev/null 2>&1 && targets+=(pt2scope)
  ninja -C "$release" -t query pt2-worker >/dev/null 2>&1 && targets+=(pt2-worker)
  build release "${targets[@]}" && return
  say "Once more without warnings as errors"
  configure release -DPT2SCOPE_WERROR=OFF "$@"
  build release "${targets[@]}"
}
