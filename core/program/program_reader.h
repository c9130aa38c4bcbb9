#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/json_tokens.h"
#include "core/program/program_storage.h"

namespace pt2 {

/// A name of the file in a message: in quotes, cut when long.
inline std::string quoted(std::string_view text) {
    std::string out = "\"";
    out += text.substr(0, 80);
    if (text.size() > 80) out += "...";
    return out + "\"";
}

/// Fills a Program's arrays from its JSON in one pass (format.md 2.2). Nested graphs are noted where they stand and read afterwards, so that each
/// graph's nodes and values are consecutive and no recursion follows the file. Methods return false after a fault of the reader.
class ProgramReader {
public:
    ProgramReader(Program::Storage& out, const JsonTokens& tokens, Issues& issues) : out_(out), reader_(tokens, out.texts), issues_(issues) {}

    bool readDocument();
    const JsonReader& reader() const { return reader_; }

private:
    static constexpr std::uint32_t kGraphDepthLimit = 200;
    static constexpr int kArgumentDepthLimit = 16;
    static constexpr std::size_t kIssueLimit = 200;

    struct PendingGraph {
        std::uint32_t token = 0;
        GraphId parent = kNone;
        NodeId node = kNone;
        ArgumentId argument = kNone;
        std::string_view name;
        std::uint32_t depth = 0;
    };

    // program_parse.cpp
    struct Field {
        const char* name;
        std::uint32_t* token;
        std::initializer_list<Field> inner;  ///< fields to find inside of it; one level deep
    };
    struct GraphModuleFields {
        std::uint32_t module = kNone, graph = kNone, signature = kNone, calls = kNone, metadata = kNone, namedtuples = kNone;
    };
    bool findFields(std::initializer_list<Field> fields);
    void reserve(std::size_t jsonSize);
    bool readGraphModule(const GraphModuleFields& at);
    bool readSchemaVersion();
    bool readOpsetVersion();
    bool readRangeConstraints();
    bool readStrings(std::vector<std::string_view>& out);
    bool isMissing(std::uint32_t token, const char* field);

    // signature_parse.cpp
    bool readSignature();
    bool readInputSpec();
    bool readOutputSpec();
    bool readModuleCallGraph();
    bool readModuleCallSignature(ModuleCallEntry& entry);
    bool readNamedtupleFields();
    void checkTreeSpecs(std::uint32_t token);

    // graph_parse.cpp
    bool readGraph(const PendingGraph& pending);
    bool readGraphBody(GraphId graph);
    bool readNode();
    bool readNamedArgument(NamedArgument& out);
    bool checkMetadata();
    void linkGraph(GraphId graph);
    void nameNodes();
    /// Arguments of a list, as one range; `node` is where nested graphs hang.
    bool readArgumentList(IdRange& out, NodeId node);
    bool readArgument(Argument& out, NodeId node, int depth);
    bool readArgumentOf(ArgumentKind kind, Argument& out, NodeId node, int depth);
    bool readNameObject(Argument& out);
    bool readSymbolic(ArgumentKind kind, Argument& out);
    bool readGraphArgument(Argument& out, NodeId node);
    template <typename Read>
    bool readChildren(Argument& out, Read&& read);
    bool readInt(Argument& out);
    ArgumentId keep(const Argument& argument);

    // program_ranges.cpp
    void keepUsedRanges();
    void checkRanges();

    // value_parse.cpp
    bool readTensorValues();
    bool readTensorMeta(Value& out);
    bool readTensorMetaFields(Value& out);
    bool readSymbolicValues(ValueKind kind);
    bool readCustomObjects();
    bool readSymInt(SymInt& out);
    bool readSymInts(IdRange& out);
    bool readExpression(SymInt& out);
    bool readDevice(Device& out);
    Value& define(std::string_view name, ValueKind kind);

    void note(Severity severity, std::string code, std::uint32_t token, std::string message, std::string help = {});
    void noteAt(Severity severity, std::string code, std::string where, std::string message, std::string help = {});

    Program::Storage& out_;
    JsonReader reader_;
    Issues& issues_;
    GraphId graph_ = 0;
    bool creatingValues_ = true;  ///< false behind the root graph: names are then looked up only
    std::vector<PendingGraph> pending_;
    std::vector<Argument> scratch_;
    std::size_t issueCount_ = 0;
    TextTable metaTexts_;
    std::vector<Value> metas_;
};

}  // namespace pt2
