#!/usr/bin/env bash
# Configures and builds, nothing else: build/release/bin/{pt2scope,pt2,pt2-worker}. packaging/run.sh installs what is missing first.
# build.sh [CMAKE OPTION...], for instance -DPT2SCOPE_GUI=OFF or -DLIBTORCH=DIR
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

mkdir -p "$root/build"
PT2SCOPE_PYTHON=$(find_torch_python)
export PT2SCOPE_PYTHON
build_programs "$@"
echo "Built: $(cd "$release/bin" && ls -d pt2scope pt2 pt2-worker 2>/dev/null | tr '\n' ' ')in build/release/bin"
