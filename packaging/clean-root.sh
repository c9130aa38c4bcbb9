# Shared by test-deb.sh and test-trixie.sh, which source it: folders that hold a clean Debian, and commands in them. Needs root, debootstrap (or a clean
# folder given by name) and unshare; nothing outside the folder is changed.
# Set before: work, the folder for all of it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${PT2SCOPE_MIRROR:-http://deb.debian.org/debian}

say() { printf '\n== %s\n' "$*"; }
die() { printf 'Error: %s\n' "$*" >&2; exit 6; }

require_root() {
  [ "$(id -u)" = 0 ] || die "this makes Debian systems in folders, which only root can do."
  command -v unshare >/dev/null || die "unshare is missing (util-linux)."
}

# clean_copy SUITE PRISTINE FOLDER: FOLDER becomes a clean SUITE, a copy of PRISTINE or, when that is empty, made by debootstrap once a SUITE.
clean_copy() {
  local suite=$1 pristine=$2 folder=$3
  if [ -z "$pristine" ]; then
    pristine=$work/$suite-pristine
    if [ ! -e "$pristine/etc/debian_version" ]; then
      command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
      say "debootstrap $suite (about 100 MB to download)"
      debootstrap --variant=minbase "$suite" "$pristine" "$mirror" >"$work/debootstrap-$suite.log" 2>&1 || die "debootstrap failed ($work/debootstrap-$suite.log)."
    fi
  fi
  [ -e "$pristine/etc/debian_version" ] || die "$pristine is no Debian system."
  rm -rf --one-file-system "$folder"
  cp -a --reflink=auto "$pristine" "$folder"
  printf 'deb %s %s main\n' "$mirror" "$suite" >"$folder/etc/apt/sources.list"
  case $mirror in
    *://deb.debian.org/*) printf 'deb %s %s-updates main\ndeb %s-security %s-security main\n' "$mirror" "$suite" "$mirror" "$suite" >>"$folder/etc/apt/sources.list" ;;
  esac
  # The folder does not outlive the test, so nothing has to reach the disk.
  echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/pt2scope-test"
  mkdir -p "$work/apt-$suite/partial"
}

# in_root FOLDER SUITE COMMAND...: with mounts and processes of its own, which go with it. BINDS has further "OUTSIDE:INSIDE" pairs, read-only unless
# they end in ":rw"; the downloaded packages and the compiler's cache are shared between runs.
in_root() {
  local folder=$1 suite=$2
  shift 2
  ROOT_FOLDER=$folder ROOT_APT=$work/apt-$suite ROOT_BINDS="${BINDS:-} $work/ccache:/mnt/ccache:rw" unshare --mount --pid --fork --kill-child --propagation private bash -c '
set -euo pipefail
r=$ROOT_FOLDER
mount --bind "$r" "$r"
mount -t proc proc "$r/proc"
mount --rbind /dev "$r/dev"
mount -t tmpfs -o mode=1777 tmpfs "$r/dev/shm"
mount --bind "$ROOT_APT" "$r/var/cache/apt/archives"
for bind in $ROOT_BINDS; do
  IFS=: read -r outside inside mode <<<"$bind"
  mkdir -p "$r$inside"
  mount --bind "$outside" "$r$inside"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$r$inside"
done
cp /etc/resolv.conf /etc/hosts "$r/etc/"
exec chroot "$r" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
  DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/mnt/ccache CCACHE_COMPILERCHECK="${CCACHE_COMPILERCHECK:-mtime}" PT2SCOPE_JOBS="${PT2SCOPE_JOBS:-}" "$@"' in_root "$@"
}

# The committed tree, as a folder of its own in FOLDER: what is tested is what others get.
put_tree() {
  local folder=$1
  mkdir -p "$folder/src"
  git -C "$root" archive --format=tar HEAD | tar -x -C "$folder/src"
}
