#!/usr/bin/env bash
# make-deb.sh [CMAKE OPTION...]: builds without LibTorch and packs build/package/pt2scope_*.deb and a tarball. A .deb belongs to the release of Debian it
# is made on, since library names differ between them; packaging/test-deb.sh makes and tests one in a clean folder for each.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in -h | --help) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
mkdir -p "$root/build"
export PT2SCOPE_NO_TORCH=1
system_packages+=(dpkg-dev file)
install_system_packages

say "Building (build/package)"
# Warnings are errors as in the tests, so that the compiler's cache serves both; a compiler that knows more warnings gets a second try without.
targets=(pt2 pt2scope worker_sources generated_docs)
configure package -DPT2SCOPE_WERROR=ON "$@"
build package "${targets[@]}" || {
  say "Once more without warnings as errors"
  configure package -DPT2SCOPE_WERROR=OFF "$@"
  build package "${targets[@]}"
}
say "Packing"
(cd "$root/build/package" && rm -f pt2scope[_-]*.deb pt2scope-*.tar.gz && cpack >"$root/build/cpack.log" 2>&1) || {
  tail -n 25 "$root/build/cpack.log" >&2
  die "cpack failed (whole log: build/cpack.log)."
}
for file in "$root"/build/package/pt2scope_*.deb "$root"/build/package/pt2scope-*.tar.gz; do
  [ -e "$file" ] && echo "Made: ${file#"$root"/} ($(du -h "$file" | cut -f 1))"
done
