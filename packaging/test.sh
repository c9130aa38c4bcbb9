#!/usr/bin/env bash
# test.sh [--full]: the set-up of run.sh, a build with warnings as errors, and every test.
# --full adds the recompiles of all programs of the corpus, the builds with sanitizers (address and undefined behaviour: core, command line,
# views; threads: core), the benchmarks, the run engine with other releases of torch (test-engines.sh) and, for root, all of it on Debian 13
# (test-trixie.sh, in a copy of the clean folder that PT2SCOPE_TRIXIE names or of one by debootstrap). The corpus is ../shared/corpus or PT2SCOPE_CORPUS.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

full=0
for argument in "$@"; do
  case $argument in
    --full) full=1 ;;
    -h | --help) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "Usage: packaging/test.sh [--full]" >&2; exit 2 ;;
  esac
done

passed=0 failed=0 skipped=0
summary=()

# run_tests NAME: ctest in build/NAME; adds to the totals what the tests themselves counted, and a failure for each that did not get so far.
run_tests() {
  local name=$1 folder=$root/build/$1 log p f s crashed
  log=$folder/Testing/Temporary/LastTest.log
  shift
  say "Tests of build/$name"
  local status=0
  (cd "$folder" && ctest --output-on-failure --no-tests=error -j "$(nproc)" "$@" | grep -vE '^ *Start +[0-9]+:') || status=$?
  read -r p f s < <(awk '/^Totals: [0-9]+ passed, / { p += $2; f += $4; s += $6 } END { print p + 0, f + 0, s + 0 }' "$log")
  # Test programs that ended without their own count: a crash or a time-out.
  crashed=$(awk '/^Test time =/ { if (open && !counted) n++; open = 0 } /^[0-9]+\/[0-9]+ Testing:/ { open = 1; counted = 0 }
                 /^Totals: / { counted = 1 } END { print n + 0 }' "$log")
  [ "$status" = 0 ] && crashed=0
  [ "$status" != 0 ] && [ $((f + crashed)) = 0 ] && crashed=1
  passed=$((passed + p)) failed=$((failed + f + crashed)) skipped=$((skipped + s))
  summary+=("$(printf '%-8s %5d passed, %d failed, %d skipped' "$name" "$p" $((f + crashed)) "$s")")
  [ "$s" = 0 ] || summary+=("$(left_out "$log")")
}

# left_out LOG...: why tests were skipped, each reason once. QSKIP writes "SKIP : Class::function(row) sentence".
left_out() {
  cat "$@" | sed -nE 's/^SKIP +: [^ ]*\([^)]*\) ?/         left out: /p' | sort | uniq -c | sed -E 's/^ *([0-9]+) +(.*)/         \2 (\1)/' | head -n 20
}

# all_recompiles: each program of the corpus compiled, run and compared, as many at a time as there are processors.
all_recompiles() {
  local function=programsCompileAndMatchEager logs=$release/Testing/recompiles p f s broken=0
  say "Recompiles of all programs"
  rm -rf "$logs"
  mkdir -p "$logs"
  export PT2SCOPE_FULL=1
  # Four rows a process; one that crashes or is stopped ends without its totals.
  (cd "$release/tests" && ./tst_recompile -datatags 2>/dev/null | awk -v name="$function" '$2 == name { print name ":" $3 }' |
    logs=$logs xargs -r -P "$(nproc)" -n 4 sh -c './tst_recompile "$@" >"$logs/$$" 2>&1; grep -q "^Totals: " "$logs/$$"' -) || broken=1
  unset PT2SCOPE_FULL
  cat "$logs"/* >"$logs.all" 2>/dev/null || true
  local rows="TestRecompile::$function\\("
  p=$(grep -cE "^PASS +: $rows" "$logs.all") || true
  f=$(grep -cE "^FAIL! +: $rows" "$logs.all") || true
  s=$(grep -cE "^SKIP +: $rows" "$logs.all") || true
  [ $((p + f + s)) -gt 0 ] || broken=1
  grep -E -A 3 "^FAIL! " "$logs.all" || true
  passed=$((passed + p)) failed=$((failed + f + broken)) skipped=$((skipped + s))
  summary+=("$(printf 'recompile %4d passed, %d failed, %d skipped' "$p" $((f + broken)) "$s")")
  summary+=("$(awk '/kernel links inferred,/ { n += $4; w += $8 } END { printf "          %d kernel links inferred, %d of them not what torch says", n, w }' "$logs.all")")
  [ "$s" = 0 ] || summary+=("$(left_out "$logs.all")")
}

# run_engines: the run engine with every release of torch; what test-engines.sh counted goes to the totals.
run_engines() {
  local log=$root/build/engines.log p f s status=0
  "$root/packaging/test-engines.sh" 2>&1 | tee "$log" || status=$?
  read -r p f s < <(tail -n 1 "$log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p; t; s/.*/0 0 0/p') || p=0 f=0 s=0
  # It ended without its count.
  [ "$status" = 0 ] || [ "$f" != 0 ] || f=1
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  summary+=("$(printf 'engines  %5d passed, %d failed, %d skipped' "$p" "$f" "$s")")
  [ "$s" = 0 ] || summary+=("$(sed -n 's/^  left out: /         left out: /p' "$log")")
}

# run_trixie: build, tests and a run on Debian 13; one test of its own.
run_trixie() {
  local reason='' options=() libtorch corpus=${PT2SCOPE_CORPUS:-$root/../shared/corpus}
  if [ "$(id -u)" != 0 ]; then
    reason="only root can make a Debian 13 in a folder"
  elif [ -z "${PT2SCOPE_TRIXIE:-}" ] && ! command -v debootstrap >/dev/null; then
    reason="neither debootstrap nor a clean folder in PT2SCOPE_TRIXIE is there"
  fi
  if [ -n "$reason" ]; then
    skipped=$((skipped + 1)) && summary+=("Debian 13 left out: $reason")
    return
  fi
  if [ -n "${PT2SCOPE_PYTHON:-}" ]; then
    libtorch=$("$PT2SCOPE_PYTHON" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])') && options+=(--libtorch "$libtorch")
  fi
  [ ! -d "$corpus" ] || options+=(--corpus "$corpus")
  if "$root/packaging/test-trixie.sh" "${options[@]}" ${PT2SCOPE_TRIXIE:+"$PT2SCOPE_TRIXIE"}; then
    passed=$((passed + 1)) && summary+=("Debian 13: it builds, passes its tests and runs")
  else
    failed=$((failed + 1)) && summary+=("Debian 13: it does not hold")
  fi
}

prepare
say "Release build, warnings are errors"
configure release -DPT2SCOPE_WERROR=ON
build release
started=$(date +%s)
run_tests release
[ $full = 0 ] || all_recompiles
if [ $full = 1 ]; then
  export PT2SCOPE_WORKER=$release/bin/pt2-worker
  say "Build with the address and undefined behaviour sanitizers"
  configure asan -DPT2SCOPE_WERROR=ON
  build asan
  # An allocation that cannot be had returns null, as it does without a sanitizer: the tests want to see it refused.
  ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$root/packaging/lsan.supp run_tests asan
  say "Build with the thread sanitizer"
  configure tsan -DPT2SCOPE_WERROR=ON
  build tsan
  # QProcess starts programs by vfork, whose child shares the memory: the sanitizer takes the parent for a forked child, which must start no threads.
  TSAN_OPTIONS=allocator_may_return_null=1:die_after_fork=0:suppressions=$root/packaging/tsan.supp run_tests tsan
  say "Benchmarks"
  # They miss their goals loudly: a ratio below its goal counts as one failed test.
  corpus=${PT2SCOPE_CORPUS:-$root/../shared/corpus}
  if [ -n "${PT2SCOPE_PYTHON:-}" ] && [ -d "$corpus" ]; then
    if "$PT2SCOPE_PYTHON" "$root/tests/bench/run_bench.py" "$release/tests/bench_open" "$corpus"; then
      passed=$((passed + 1)) && summary+=("benchmarks reach their goals")
    else
      failed=$((failed + 1)) && summary+=("benchmarks miss a goal")
    fi
  else
    skipped=$((skipped + 1)) && summary+=("benchmarks left out: they need the corpus' scripts and a Python with torch")
  fi
  say "The run engine with other releases of torch"
  run_engines
  say "Debian 13"
  run_trixie
fi

say "Summary ($(($(date +%s) - started)) s of tests)"
printf '%s\n' "${summary[@]}"
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
