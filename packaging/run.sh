#!/usr/bin/env bash
# run.sh [FILE]: installs what is missing, builds, and opens the window on FILE or on the bundled sample.
# Without a display it does the same job on the command line: inspect, recompile for this machine, run at another batch, compare with eager.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[ $# -le 1 ] || { echo "Usage: packaging/run.sh [FILE]" >&2; exit 2; }
case ${1:-} in -h | --help) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
sample=$root/resources/sample/sample.pt2
file=${1:-$sample}
[ -e "$file" ] || { echo "There is no file \"$file\"." >&2; exit 2; }
file=$(realpath "$file")

prepare
build_programs

# A display counts when something answers there: the socket of a local X server, or the Wayland socket.
has_display() {
  local number
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    case $WAYLAND_DISPLAY in
      /*) [ -S "$WAYLAND_DISPLAY" ] && return 0 ;;
      *) [ -S "${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/$WAYLAND_DISPLAY" ] && return 0 ;;
    esac
  fi
  case ${DISPLAY:-} in
    '') return 1 ;;
    :*) number=${DISPLAY#:}; [ -S "/tmp/.X11-unix/X${number%%.*}" ] || grep -qs "@/tmp/.X11-unix/X${number%%.*}$" /proc/net/unix ;;
    *) return 0 ;;
  esac
}

if [ -x "$release/bin/pt2scope" ] && has_display; then
  say "Opening ${file#"$root"/} in the window"
  exec "$release/bin/pt2scope" "$file"
fi

say "There is no display (DISPLAY and WAYLAND_DISPLAY lead nowhere), so the same job is done on the command line"
pt2=$release/bin/pt2
show() { printf '\n$ pt2 %s\n' "$*"; "$pt2" "$@"; }

show inspect "$file"
if [ ! -x "$release/bin/pt2-worker" ] || [ -z "${PT2SCOPE_PYTHON:-}" ]; then
  say "There is no torch, so the model is neither compiled nor run."
  exit 0
fi

# What the file offers: whether it holds a program, and a size for its first dynamic dimension that is legal and not the exported one.
plan=$("$pt2" inspect --json "$file" | "$PT2SCOPE_PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
programs = d.get("programs") or {}
name = "model" if "model" in programs else next(iter(programs), "")
size = ""
for i in programs.get(name, {}).get("inputs", []):
    shape = i.get("shape") or []
    if i.get("kind") == "USER_INPUT" and shape and not str(shape[0]).isdigit():
        low, high = (programs[name].get("range_constraints", {}).get(shape[0]) or [None, None])[:2]
        n = max(7, low or 0)
        n = n if high is None else min(n, high)
        size = f"{shape[0]}={n}"
        break
print("program" if programs else "compiled", size)')
read -r kind size <<<"$plan"
sizes=()
[ -n "$size" ] && sizes=(--size "$size")

compiled=$file
if [ "$kind" = program ]; then
  compiled=$root/build/sample-compiled.pt2
  [ "$file" = "$sample" ] || compiled=$root/build/$(basename "${file%.*}")-compiled.pt2
  show recompile "$file" -o "$compiled" --force
fi
show run "$compiled" "${sizes[@]}"
if [ "$kind" = program ]; then
  show compare "$compiled" --reference torch "${sizes[@]}"
  say "Done: compiled for this machine${size:+, run at $size, a size it was not exported with}, and within tolerance of torch eager. The package is ${compiled#"$root"/}."
else
  say "Done: the compiled model ran${size:+ at $size}."
fi
