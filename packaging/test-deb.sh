#!/usr/bin/env bash
# test-deb.sh [--libtorch DIR] [--package FILE.pt2] [--deb FILE] [--work DIR] SUITE[=CLEAN FOLDER]...: for each release of Debian (bookworm, trixie), in clean folders:
# makes the .deb of the committed tree, installs it with apt into a second clean folder, starts the programs, looks at the desktop's registration, and with
# --libtorch builds the run engine and runs the package with it. A .deb is made on the release it is for; the compiler's cache is shared between runs.
# --deb tests one that was made already. Without "=CLEAN FOLDER", which is copied, debootstrap makes one. Needs root.
set -euo pipefail

libtorch='' package='' given='' work='' suites=()
while [ $# -gt 0 ]; do
  case $1 in
    --libtorch) libtorch=$(realpath "$2"); shift ;;
    --package) package=$(realpath "$2"); shift ;;
    --deb) given=$(realpath "$2"); shift ;;
    --work) work=$(realpath -m "$2"); shift ;;
    -h | --help) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "test-deb.sh has no option $1." >&2; exit 2 ;;
    *) suites+=("$1") ;;
  esac
  shift
done
work=${work:-${TMPDIR:-/var/tmp}/pt2scope-roots}
. "$(dirname "${BASH_SOURCE[0]}")/clean-root.sh"
[ ${#suites[@]} -gt 0 ] || { echo "Usage: packaging/test-deb.sh [--libtorch DIR] [--package FILE.pt2] [--deb FILE] [--work DIR] SUITE[=CLEAN FOLDER]..." >&2; exit 2; }
[ -z "$libtorch" ] || [ -e "$libtorch/lib/libtorch_cpu.so" ] || { echo "$libtorch holds no LibTorch." >&2; exit 2; }
require_root
mkdir -p "$work/ccache" "$work/out"
passed=0 failed=0

# check SENTENCE COMMAND...: counts, and shows what was said when it fails.
check() {
  local sentence=$1 log=$work/check.log
  shift
  if "$@" >"$log" 2>&1; then
    printf '  ok    %s\n' "$sentence"
    passed=$((passed + 1))
  else
    printf '  FAILS %s\n' "$sentence"
    tail -n 20 "$log" | sed 's/^/        /'
    failed=$((failed + 1))
  fi
}

# The .deb and the tarball of $suite, into $out.
make_deb() {
  say "$suite: making the .deb"
  BINDS=
  clean_copy "$suite" "$pristine" "$work/$suite-build"
  put_tree "$work/$suite-build"
  in_root "$work/$suite-build" "$suite" bash -c 'apt-get update -qq && cd /src && packaging/make-deb.sh && cp build/package/pt2scope_*.deb /src/out.deb' \
    >"$out/make.log" 2>&1 || { tail -n 30 "$out/make.log"; die "the .deb could not be made on $suite (whole log: $out/make.log)."; }
  cp "$work/$suite-build/src/out.deb" "$out/$(basename "$(ls "$work/$suite-build"/src/build/package/pt2scope_*.deb)")"
  cp "$work/$suite-build"/src/build/package/pt2scope-*.tar.gz "$out/"
  rm -rf --one-file-system "$work/$suite-build"
}

for entry in "${suites[@]}"; do
  suite=${entry%%=*} pristine=''
  [ "$entry" = "$suite" ] || pristine=${entry#*=}
  out=$work/out/$suite
  rm -rf "$out" && mkdir -p "$out"

  if [ -n "$given" ]; then
    cp "$given" "$out/"
  else
    make_deb
  fi
  deb=$(ls "$out"/*.deb)
  dpkg-deb --field "$deb" Package Version Depends Recommends | sed 's/^/  /'

  say "$suite: installing it into a clean folder"
  test=$work/$suite-test
  clean_copy "$suite" "$pristine" "$test"
  mkdir -p "$test/given"
  cp "$deb" "$test/given/pt2scope.deb"
  [ -z "$package" ] || cp "$package" "$test/given/model.pt2"
  BINDS=${libtorch:+$libtorch:/opt/libtorch}
  inside() { in_root "$test" "$suite" "$@"; }
  check "apt installs it with what it depends on, and with no more" \
    inside bash -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /given/pt2scope.deb'
  sample=/usr/share/pt2scope/sample/sample.pt2
  check "pt2 --version" inside pt2 --version
  check "pt2 inspect opens the sample" inside bash -c "pt2 inspect $sample | grep -q ."
  check "pt2scope --version" inside pt2scope --version
  check "pt2scope draws the sample" inside bash -c "pt2scope $sample --screenshot /given/window.png && test -s /given/window.png"
  cp "$test/given/window.png" "$out/" 2>/dev/null || true
  check "nothing in the package names the folder it was made in" inside bash -c '! grep -l /src/ $(dpkg -L pt2scope | while read -r f; do [ -f "$f" ] && echo "$f"; done)'
  check "the run engine's absence is said, with what to do" inside bash -c 'pt2 run '$sample' 2>&1 | grep -q . ; pt2 engine list 2>&1 | grep -q "pt2 engine install"'
  check "a folder without LibTorch is refused" inside bash -c 'pt2 engine install --libtorch /tmp 2>&1 | grep -q "no LibTorch"'
  [ -z "$libtorch" ] || check "without a compiler the set-up says what to install" \
    inside bash -c 'pt2 engine install --libtorch /opt/libtorch 2>&1 | grep -q "apt install g++"'
  check "the man pages and the completions are there" \
    inside bash -c 'test -s /usr/share/man/man1/pt2.1 && test -s /usr/share/man/man1/pt2scope.1 && bash -n /usr/share/bash-completion/completions/pt2'

  inside apt-get install -y -qq shared-mime-info xdg-utils desktop-file-utils >"$out/tools.log" 2>&1 || die "the tools of the desktop could not be installed ($out/tools.log)."
  check "a .pt2 is of the type application/x-pytorch-pt2" \
    inside bash -c "test \"\$(XDG_CURRENT_DESKTOP=X-Generic xdg-mime query filetype $sample)\" = application/x-pytorch-pt2"
  check "pt2scope is what opens it" inside bash -c 'test "$(xdg-mime query default application/x-pytorch-pt2)" = pt2scope.desktop'
  check "the desktop entry is valid" inside desktop-file-validate /usr/share/applications/pt2scope.desktop
  check "the icons are there" inside bash -c 'test -s /usr/share/icons/hicolor/scalable/apps/pt2scope.svg'

  if [ -n "$libtorch" ]; then
    inside bash -c 'apt-get install -y -qq $(dpkg-query -W -f="\${Recommends}" pt2scope | sed "s/|[^,]*//g; s/,/ /g")' >"$out/recommends.log" 2>&1 ||
      die "what the package recommends could not be installed ($out/recommends.log)."
    check "pt2 engine install builds the run engine" \
      inside bash -c 'pt2 engine install --libtorch /opt/libtorch || { cat ~/.local/share/pt2scope/engines/build.log; false; }'
    check "it is found afterwards" inside bash -c 'pt2 engine list | grep -q chosen'
    if [ -n "$package" ]; then
      check "a compiled package runs with it" inside bash -c 'pt2 run /given/model.pt2'
      tail -n 8 "$work/check.log" | sed 's/^/        /'
    fi
  fi
  check "apt removes it, and nothing stays in its folders" inside bash -c 'apt-get remove -y -qq pt2scope && ! test -e /usr/share/pt2scope && ! test -e /usr/bin/pt2'
  rm -rf --one-file-system "$test"
done

printf '\n%d passed, %d failed; packages and pictures: %s\n' "$passed" "$failed" "$work/out"
[ "$failed" = 0 ]
