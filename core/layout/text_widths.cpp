#include "core/layout/text_widths.h"

#include <array>
#include <cstdint>

namespace pt2 {
namespace {

// Advance widths of the characters 32 … 126 in thousandths of the font size: Inter Regular and Inter SemiBold.
constexpr std::array<std::uint16_t, 95> kRegular = {281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 280, 460, 276, 357, 625, 464, 605,
                                                    636, 642, 608, 624, 571, 616, 624, 276, 280, 659, 659, 659, 507, 936, 676, 651, 727, 719, 598,
                                                    587, 743, 740, 264, 543, 652, 562, 889, 753, 761, 635, 761, 639, 638, 642, 741, 676, 949, 642,
                                                    665, 625, 362, 357, 362, 469, 452, 497, 564, 621, 558, 621, 582, 361, 609, 591, 237, 237, 544,
                                                    237, 869, 585, 597, 609, 609, 372, 523, 364, 581, 557, 812, 540, 557, 541, 362, 327, 362, 659};
constexpr std::array<std::uint16_t, 95> kSemiBold = {248, 309, 396, 643, 649, 844, 663, 213, 393, 393, 543, 673, 295, 466, 290, 379, 667, 481,  621,
                                                     652, 666, 632, 648, 587, 646, 648, 290, 295, 673, 673, 673, 544, 999, 724, 657, 744, 724,  608,
                                                     586, 755, 744, 275, 561, 677, 566, 906, 741, 775, 643, 776, 651, 649, 660, 734, 724, 1007, 690,
                                                     705, 653, 393, 379, 393, 481, 468, 497, 575, 630, 577, 630, 593, 377, 625, 613, 261, 261,  569,
                                                     261, 898, 610, 608, 625, 625, 397, 549, 380, 608, 576, 837, 562, 576, 562, 393, 358, 393,  673};
constexpr std::uint32_t kCodeAdvance = 600;

}  // namespace

float textWidth(std::string_view utf8, TextFace face, float size) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto c = static_cast<unsigned char>(utf8[i]);
        if (c < 0x80) {
            ++i;
            if (face == TextFace::Code) {
                sum += kCodeAdvance;
            } else if (c >= 32 && c < 127) {
                sum += (face == TextFace::SemiBold ? kSemiBold : kRegular)[c - 32];
            }
            continue;
        }
        // The lead byte tells the plane well enough: from U+1100 on characters are mostly as wide as high.
        const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
        sum += c > 0xE2 ? 1000 : face == TextFace::Code ? kCodeAdvance : 640;
        i += length;
    }
    return static_cast<float>(sum) * size / 1000.0F;
}

}  // namespace pt2
