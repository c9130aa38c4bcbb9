#include <string>
#include <vector>

#include "app/pt2/command_table.h"
#include "core/base/standard_descriptors.h"

int main(int argc, char** argv) {
    pt2::fillStandardDescriptors();
    return pt2::runCommandLine(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
