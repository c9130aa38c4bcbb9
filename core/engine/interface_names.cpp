#include "core/engine/interface_names.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace pt2 {

namespace {

using GetCount = std::int32_t (*)(void* container, std::size_t* count);
using GetName = std::int32_t (*)(void* container, std::size_t index, const char** name);

// A library's word is not to be trusted with memory: beyond this it has no names.
constexpr std::size_t kMostNames = 16'384, kMostNameBytes = 128 << 10;

std::vector<std::string> ask(void* library, void* container, const char* countFunction, const char* nameFunction) {
    std::vector<std::string> names;
    const auto getCount = reinterpret_cast<GetCount>(::dlsym(library, countFunction));
    const auto getName = reinterpret_cast<GetName>(::dlsym(library, nameFunction));
    std::size_t count = 0;
    if (getCount == nullptr || getName == nullptr || getCount(container, &count) != 0) return names;
    if (count > kMostNames) return names;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const char* name = nullptr;
        if (getName(container, i, &name) != 0 || name == nullptr) return {};
        names.emplace_back(name, ::strnlen(name, kMostNameBytes));
        bytes += names.back().size();
        if (bytes >= kMostNameBytes) return {};
    }
    return names;
}

}  // namespace

InterfaceNames interfaceNames(const std::filesystem::path& library, void* container) {
    // The runner has loaded it; this only adds to the count of its users, so that it can be asked.
    const std::unique_ptr<void, int (*)(void*)> loaded(::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD),
                                                       [](void* handle) { return ::dlclose(handle); });
    if (!loaded || container == nullptr) return {};
    return {ask(loaded.get(), container, "AOTInductorModelContainerGetNumInputs", "AOTInductorModelContainerGetInputName"),
            ask(loaded.get(), container, "AOTInductorModelContainerGetNumOutputs", "AOTInductorModelContainerGetOutputName")};
}

}  // namespace pt2
