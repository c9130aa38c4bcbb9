#include "core/run/model_message.h"

#include <algorithm>

namespace pt2 {

std::string modelMessage(std::string_view text) {
    // c10::Error writes "Exception raised from FUNCTION at FILE:LINE (most recent call first):" before its frames, torch's own trace otherwise
    // "C++ CapturedTraceback:" or numbered frames at once.
    for (const std::string_view mark :
         {std::string_view("Exception raised from "), std::string_view("C++ CapturedTraceback:"), std::string_view("frame #0: ")}) {
        if (text.substr(0, mark.size()) == mark) return {};
        const std::size_t found = text.find("\n" + std::string(mark));
        if (found != std::string_view::npos) text = text.substr(0, found);
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    return std::string(text);
}

}  // namespace pt2
