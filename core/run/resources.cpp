#include "core/run/resources.h"

#include <string>
#include <system_error>
#include <vector>

#include "core/base/environment.h"

namespace pt2 {

namespace fs = std::filesystem;

std::optional<fs::path> findResource(const fs::path& name) {
    std::vector<fs::path> folders;
    if (std::string given = environmentValue("PT2SCOPE_RESOURCES"); !given.empty()) folders.emplace_back(std::move(given));
    if (const fs::path binary = folderOfBinary(); !binary.empty()) folders.push_back(binary.parent_path() / "share" / "pt2scope");
    if (const fs::path tree = PT2SCOPE_RESOURCES_FOLDER; !tree.empty()) folders.push_back(tree);
    for (const fs::path& folder : folders) {
        std::error_code code;
        if (fs::exists(folder / name, code)) return (folder / name).lexically_normal();
    }
    return std::nullopt;
}

}  // namespace pt2
