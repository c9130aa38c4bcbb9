#pragma once

#include <string>

#include "core/program/program.h"

namespace pt2 {

// Programs as torch 2.13 prints them after loading, character for character (format.md 2.8).

std::string printProgram(const Program& program);           ///< str(ExportedProgram)
std::string printReadable(const Program& program);          ///< graph_module.print_readable(print_output=False)
std::string printSignature(const Program& program);         ///< str(graph_signature), the text after "Graph signature: "
std::string printRangeConstraints(const Program& program);  ///< "{s77: VR[1, 1024]}"
/// One argument as Python prints it in a node line ("[1, 2]", "torch.float32", "x").
std::string printArgument(const Program& program, ArgumentId argument);

}  // namespace pt2
