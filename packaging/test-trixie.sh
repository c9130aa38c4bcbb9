#!/usr/bin/env bash
# test-trixie.sh [--libtorch DIR] [--package FILE.pt2] [--corpus DIR] [--work DIR] [CLEAN FOLDER]: in a clean Debian 13: the committed tree builds, the C++
# tests pass, and a package that was compiled on Debian 12 runs. With --libtorch the run engine is built too. Without a clean folder, which is copied,
# debootstrap makes one. Needs root. PT2SCOPE_JOBS: compilers at a time.
set -euo pipefail

libtorch='' package='' corpus='' work='' pristine=''
while [ $# -gt 0 ]; do
  case $1 in
    --libtorch) libtorch=$(realpath "$2"); shift ;;
    --package) package=$(realpath "$2"); shift ;;
    --corpus) corpus=$(realpath "$2"); shift ;;
    --work) work=$(realpath -m "$2"); shift ;;
    -h | --help) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "test-trixie.sh has no option $1." >&2; exit 2 ;;
    *) pristine=$1 ;;
  esac
  shift
done
work=${work:-${TMPDIR:-/var/tmp}/pt2scope-roots}
. "$(dirname "${BASH_SOURCE[0]}")/clean-root.sh"
require_root
mkdir -p "$work/ccache" "$work/out/trixie"
corpus=${corpus:-$root/../shared/corpus}
[ -d "$corpus" ] && corpus=$(realpath "$corpus") || corpus=''
# A package whose library asks for an executable stack is what Debian 13 alone refuses.
[ -n "$package" ] || [ -z "$corpus" ] || package=$corpus/2.13.0/aoti/tiny.pt2
log=$work/out/trixie

say "A clean Debian 13"
folder=$work/trixie-build
clean_copy trixie "$pristine" "$folder"
put_tree "$folder"
BINDS=
option=-DCMAKE_DISABLE_FIND_PACKAGE_LibTorch=ON
if [ -n "$libtorch" ]; then
  BINDS="$libtorch:/opt/libtorch"
  option=-DLIBTORCH=/opt/libtorch
fi
[ -z "$corpus" ] || BINDS+=" $corpus:/shared/corpus"
[ -z "$package" ] || { mkdir -p "$folder/given" && cp "$package" "$folder/given/model.pt2"; }

say "Building with warnings as errors"
in_root "$folder" trixie bash -c ". /src/packaging/setup.sh && export PT2SCOPE_NO_TORCH=1 && apt-get update -qq && install_system_packages &&
  configure release -DPT2SCOPE_WERROR=ON $option && build release" >"$log/build.log" 2>&1 || { tail -n 40 "$log/build.log"; die "it does not build on Debian 13 (whole log: $log/build.log)."; }
tail -n 1 "$log/build.log"

say "The C++ tests"
status=0
in_root "$folder" trixie bash -c 'cd /src/build/release && ctest --output-on-failure --no-tests=error -j "${PT2SCOPE_JOBS:-$(nproc)}"' >"$log/test.log" 2>&1 || status=$?
tail -n 15 "$log/test.log"

if [ -n "$libtorch" ] && [ -n "$package" ]; then
  say "A package compiled on Debian 12 runs"
  in_root "$folder" trixie bash -c '/src/build/release/bin/pt2 run /given/model.pt2' || status=1
fi
rm -rf --one-file-system "$folder"
[ "$status" = 0 ] || die "it does not hold on Debian 13 (logs: $log)."
say "Done: builds, passes its tests and runs on Debian 13"
