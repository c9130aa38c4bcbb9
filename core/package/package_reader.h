#pragma once

#include "core/package/package.h"

namespace pt2 {

/// Fills a Package from an archive: finds programs, compiled models, configs, samples and extra files by their places (format.md 1).
class PackageReader {
public:
    PackageReader(std::shared_ptr<const Archive> archive, Issues issues, const CancelToken& cancel, const ProgressSink& progress);
    Result<std::shared_ptr<const Package>> read();

private:
    void readMarkers();
    Status readPrograms();
    void readProgram(std::string name, MemberIndex member, std::optional<MemberIndex> sampleInputs);
    void readArchiveWeights(ProgramEntry& entry);
    void readExportZipWeights(ProgramEntry& entry);
    std::vector<WeightEntry> readWeights(const std::string& configName, std::string_view folder, const std::string& torchSaveName);
    std::vector<WeightEntry> readTorchSave(MemberIndex member);
    void checkSignature(const ProgramEntry& entry);
    Status readCompiledModels();
    void readExtraFiles();
    void noteUnusedMembers();
    void note(Severity severity, const char* code, std::string where, std::string message, std::string help = {});
    std::string memberAddress(MemberIndex member) const;

    std::shared_ptr<Package> package_;
    CancelToken cancel_;
    ProgressSink progress_;
    std::vector<Error> unreadable_;  ///< programs that could not be read
};

}  // namespace pt2
