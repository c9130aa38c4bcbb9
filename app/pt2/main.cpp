#include "app/pt2/command_table.h"

int main(int argc, char** argv) { return pt2::runCommandLine(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)); }
