#include "core/compiled/compiled_needs.h"

#include <string_view>
#include <utility>

#include "core/compiled/library_source.h"

namespace pt2 {
namespace {

std::string_view baseName(const Archive& archive, MemberIndex member) {
    const std::string_view name = archive.nameBelowRoot(member);
    return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

class NeedsReader {
public:
    NeedsReader(const Archive& archive, const CompiledModel& model, const ScanBudget& budget, const CancelToken& cancel)
        : archive_(archive), model_(model), budget_(budget), cancel_(cancel) {}

    CompiledNeeds run() {
        if (model_.library && model_.elf.isElf) {
            readLibrary(*model_.library, true);
            for (const MemberIndex member : model_.members) {
                if (member != *model_.library && baseName(archive_, member).ends_with(".so")) readLibrary(member, false);
            }
        }
        for (const MemberIndex member : model_.members) {
            if (isGpuFile(baseName(archive_, member))) needs_.gpu.push_back(readGpuFile(archive_, member));
        }
        if (model_.device != "cpu" || !needs_.gpu.empty()) needs_.absentGpuFiles = absentGpuFiles(archive_, model_);
        return std::move(needs_);
    }

private:
    void readLibrary(MemberIndex member, bool own) {
        ByteBuffer held;
        const Result<ByteSource> source = libraryBytes(archive_, member, held);
        ElfWanted wanted;
        wanted.code = true;
        const Result<ElfReading> elf = source ? readElf(*source, wanted) : fail(source.error());
        CodeScan scan;
        if (elf && elf->facts.isElf) {
            scan = scanCode(*source, *elf, budget_, cancel_);
        } else {
            scan.stopped = "it could not be read";
        }
        if (own) {
            needs_.code = std::move(scan);
            needs_.importsKnown = elf && elf->facts.isElf;
            if (needs_.importsKnown) {
                needs_.headerProblem = elf->headerProblem;
                needs_.imports = elf->unversionedImports;
                needs_.versions = elf->neededVersions;
            }
            return;
        }
        // A launcher beside the library runs with it: what it needs, the model needs.
        CodeScan& code = needs_.code;
        code.needed |= scan.needed;
        code.perhaps |= scan.perhaps;
        code.codeBytes += scan.codeBytes;
        code.undecoded += scan.undecoded;
        code.complete = code.complete && scan.complete;
        if (scan.choosesAtRunTime && !code.choosesAtRunTime) {
            code.choosesAtRunTime = true;
            code.chooser = scan.chooser;
        }
        if (code.stopped.empty() && !scan.stopped.empty()) code.stopped = "\"" + std::string(baseName(archive_, member)) + "\": " + scan.stopped;
    }

    const Archive& archive_;
    const CompiledModel& model_;
    const ScanBudget& budget_;
    const CancelToken& cancel_;
    CompiledNeeds needs_;
};

}  // namespace

CompiledNeeds readNeeds(const Archive& archive, const CompiledModel& model, const ScanBudget& budget, const CancelToken& cancel) {
    return NeedsReader(archive, model, budget, cancel).run();
}

}  // namespace pt2
