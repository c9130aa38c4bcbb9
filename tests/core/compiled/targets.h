#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/compiled_needs.h"
#include "core/compiled/target.h"

namespace pt2::tests {

/// A LibTorch that exports what these needs ask for, and nothing else.
inline std::shared_ptr<const SymbolNames> symbolsFor(const CompiledNeeds& needs, const std::string& without = {}) {
    SymbolNames symbols;
    for (const std::string& name : needs.imports) {
        if (name != without) symbols.names.push_back(name);
    }
    symbols.prefixes.emplace_back();
    return std::make_shared<const SymbolNames>(std::move(symbols));
}

/// A described machine of 2015 with Debian 12 and a LibTorch 2.13 for the CPU that exports what is asked for.
inline Target goodTarget(const CompiledNeeds& needs) {
    Target target;
    target.name = "good";
    target.platform = "linux";
    target.machine = "x86_64";
    target.cpuFeatures = {"avx2", "fma", "f16c", "bmi1", "bmi2", "popcnt", "movbe", "abm", "cx16", "lahf_lm", "adx", "xsave"};
    target.glibc = "2.36";
    target.glibcxx = "3.4.30";
    target.libraries = {"libc.so.6", "libgcc_s.so.1", "libgomp.so.1", "libm.so.6", "libstdc++.so.6"};
    target.torchState = Target::Torch::Present;
    target.torch.version = "2.13.0";
    target.torch.variant = "cpu";
    target.torch.devices = {"cpu"};
    target.torch.libraries = {"libc10.so", "libtorch.so", "libtorch_cpu.so"};
    target.torch.symbols = symbolsFor(needs);
    target.gpus.emplace();
    return target;
}

}  // namespace pt2::tests
