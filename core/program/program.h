#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/issue.h"
#include "core/base/result.h"
#include "core/symbol/expression.h"
#include "core/tensor/dtype.h"

namespace pt2 {

// An ExportedProgram in flat arrays with stable 32-bit ids (design.md 3; the JSON's schema is format.md 2.2). Names are interned; argument lists are
// ranges into one array; node metadata is text of the JSON that is parsed when somebody looks. The JSON text stays with the Program, and every
// string_view points into it or into the Program's own store: a Program is held by shared_ptr and outlives its views.

using GraphId = std::uint32_t;
using NodeId = std::uint32_t;
using ValueId = std::uint32_t;
using ArgumentId = std::uint32_t;
using ExprId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// A half-open range of one of Program's arrays.
struct IdRange {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
};

/// Byte range of the JSON text (at most 4 GiB), so that what is not edited can be written back to the letter.
struct TextRange {
    std::uint32_t begin = 0, end = 0;
};

struct Device {
    std::string_view type;  ///< "cpu", "cuda"
    std::optional<int> index;
};

/// The union's tag (format.md 2.2). Unknown keeps the raw JSON in `text`.
enum class ArgumentKind : std::uint8_t {
    None,
    Tensor,
    Tensors,
    OptionalTensors,
    OptionalTensor,
    NestedTensors,
    Int,
    Ints,
    IntLists,
    Float,
    Floats,
    FloatLists,
    String,
    Strings,
    SymInt,
    SymInts,
    SymFloat,
    SymFloats,
    SymBool,
    SymBools,
    ScalarType,
    MemoryFormat,
    Layout,
    Device,
    Bool,
    Bools,
    Graph,
    CustomObj,
    Operator,
    Complex,
    StringToArgument,
    Unknown,
};
const char* argumentKindName(ArgumentKind kind);  ///< "as_tensor", ...

/// One argument. Lists have their elements as arguments of their own in `children` (Tensors → Tensor, SymInts → SymInt or Int,
/// OptionalTensors → Tensor or None, IntLists → Ints, StringToArgument → alternating String and value).
struct Argument {
    ArgumentKind kind = ArgumentKind::None;
    ValueId value = kNone;  ///< Tensor, CustomObj, SymInt/SymFloat/SymBool given by name
    GraphId graph = kNone;  ///< Graph
    std::int64_t integer =
        0;            ///< Int (0 when it does not fit: see text), Bool (0/1), ScalarType, MemoryFormat, Layout (serialised), Device index (-1 none)
    double real = 0;  ///< Float; Complex real part
    double imaginary = 0;  ///< Complex
    std::string_view
        text;  ///< String, Operator, Device type, Graph's name, CustomObj's class FQN, Unknown's raw JSON, digits of an Int beyond 64 bits
    IdRange children;
};

/// A dimension, stride or offset: a number, or an expression of the interned table.
struct SymInt {
    std::int64_t integer = 0;
    ExprId expr = kNone;
    std::optional<std::int64_t> hint;
    bool isSymbolic() const { return expr != kNone; }
};

enum class ValueKind : std::uint8_t { Tensor, SymInt, SymFloat, SymBool, CustomObj, Untyped };

/// An SSA value; names are unique in their graph only (format.md 2.2).
struct Value {
    std::string_view name;
    GraphId graph = 0;
    ValueKind kind = ValueKind::Untyped;
    NodeId producer = kNone;           ///< kNone: a graph input, or nobody
    std::uint32_t inputIndex = kNone;  ///< position among the graph's inputs
    IdRange users;                     ///< into Program::userNodes(), each node once, in graph order; the graph's output is not among them
    bool isGraphOutput = false;
    // Tensor
    DType dtype = DType::Unknown;
    bool sizesKnown = false;  ///< false where the file has no readable TensorMeta
    IdRange sizes, strides;   ///< into Program::symInts()
    SymInt storageOffset;
    bool requiresGrad = false;
    int layout = 0;  ///< serialised Layout number
    Device device;
    // SymInt, SymFloat, SymBool: the expression, or the plain number
    SymInt symbolic;
    double real = 0;            ///< a plain SymFloat
    std::string_view classFqn;  ///< CustomObj
    TextRange text;
};

struct NamedArgument {
    std::string_view name;
    ArgumentId argument = kNone;
    int kind = 0;  ///< 0 unknown, 1 positional, 2 keyword
};

struct Node {
    std::string_view target;  ///< "torch.ops.aten.linear.default"
    std::string_view name;    ///< Node.name, empty before 2.11
    GraphId graph = 0;
    std::uint32_t index = 0;  ///< position in its graph
    IdRange inputs;           ///< into Program::namedArguments()
    IdRange outputs;          ///< into Program::arguments(), as listed
    TextRange metadata;       ///< JSON object of strings
    std::optional<bool> isHopSingleTensorReturn;
    TextRange text;
};

struct Graph {
    std::string_view name;  ///< "" for the root, else the as_graph name ("true_graph_0")
    std::string path;       ///< names from the root joined by '/', "" for the root
    GraphId parent = kNone;
    NodeId parentNode = kNone;
    IdRange nodes;            ///< consecutive NodeIds in graph order. Subgraphs have ranges of their own
    IdRange inputs, outputs;  ///< into Program::arguments(), as listed
    IdRange values;           ///< consecutive ValueIds
    bool isSingleTensorReturn = false;
    TextRange text;
};

enum class InputKind : std::uint8_t { UserInput, Parameter, Buffer, ConstantTensor, CustomObj, Token, Unknown };
enum class OutputKind : std::uint8_t {
    UserOutput,
    LossOutput,
    BufferMutation,
    ParameterMutation,
    GradientToParameter,
    GradientToUserInput,
    UserInputMutation,
    Token,
    Unknown,
};
const char* inputKindName(InputKind kind);  ///< torch's names: "USER_INPUT", "CONSTANT_TENSOR"
const char* outputKindName(OutputKind kind);

struct InputSpec {
    InputKind kind = InputKind::UserInput;
    std::string_view name;           ///< of the argument or of the constant input
    std::string_view target;         ///< parameter_name, buffer_name, ...; empty for user inputs
    std::optional<bool> persistent;  ///< buffers
    bool isConstant = false;         ///< constant_input: a None, int, float, str or bool baked in
    ArgumentId argument = kNone;     ///< the spec's arg, or the constant's value as an Argument
    TextRange text;
};

struct OutputSpec {
    OutputKind kind = OutputKind::UserOutput;
    std::string_view name;  ///< empty for constants
    std::string_view target;
    ArgumentId argument = kNone;
    TextRange text;
};

struct RangeConstraint {
    std::string_view symbol;  ///< as the file has it: a symbol or an expression's text
    SymRange range;
    TextRange text;
};

struct ModuleCallEntry {
    std::string_view fqn;
    bool hasSignature = false;
    std::string_view inSpec, outSpec;  ///< treespec JSON text, unescaped
    std::vector<std::string_view> forwardArgNames;
    IdRange inputs, outputs;  ///< arguments of a preserved signature
};

struct SourceFrame {
    std::string file;
    int line = 0;
    std::string function;
    std::string code;
};

struct ModuleFrame {
    std::string key, path, type;
};

/// A node's metadata, parsed on request (format.md 2.7).
struct NodeMetadata {
    std::vector<std::pair<std::string, std::string>> entries;  ///< raw, in file order
    std::vector<ModuleFrame> moduleStack;                      ///< outermost first
    std::vector<SourceFrame> stackTrace;                       ///< outermost first, as written
};

class Program {
public:
    /// Parses the JSON (schema 8; older eras are read by the issue that owns them) straight into the arrays. `json` is kept.
    /// Unknown argument kinds and a newer minor open with a note; another major is Unreadable with advice.
    static Result<std::shared_ptr<const Program>> parse(ByteBuffer json, std::string where, Issues& issues);

    std::string_view json() const;
    std::string_view slice(TextRange range) const;

    std::string_view torchVersion() const;  ///< "2.13.0+cpu", "<=2.4" where absent
    int schemaMajor() const;
    int schemaMinor() const;
    const std::vector<std::pair<std::string_view, int>>& opsetVersion() const;
    const std::vector<std::string_view>& verifiers() const;
    const std::vector<std::string_view>& guardsCode() const;
    const std::vector<RangeConstraint>& rangeConstraintsAsStored() const;
    /// Those torch's loader keeps (format.md 2.8 "Ranges"), symbols printed.
    const std::vector<std::pair<std::string, SymRange>>& rangeConstraints() const;
    std::optional<SymRange> rangeOf(std::string_view symbol) const;

    std::span<const Graph> graphs() const;  ///< [0] is the root; then depth first in order of as_graph arguments
    std::span<const Node> nodes() const;
    std::span<const Value> values() const;
    std::span<const Argument> arguments() const;
    std::span<const NamedArgument> namedArguments() const;
    std::span<const SymInt> symInts() const;
    std::span<const NodeId> userNodes() const;

    const Graph& rootGraph() const { return graphs()[0]; }
    const Graph& graph(GraphId id) const { return graphs()[id]; }
    const Node& node(NodeId id) const { return nodes()[id]; }
    const Value& value(ValueId id) const { return values()[id]; }
    const Argument& argument(ArgumentId id) const { return arguments()[id]; }
    std::span<const SymInt> sizes(const Value& v) const { return symInts().subspan(v.sizes.begin, v.sizes.size()); }
    std::span<const SymInt> strides(const Value& v) const { return symInts().subspan(v.strides.begin, v.strides.size()); }
    std::span<const NodeId> users(const Value& v) const { return userNodes().subspan(v.users.begin, v.users.size()); }

    std::optional<ValueId> findValue(GraphId graph, std::string_view name) const;
    std::optional<NodeId> findNode(GraphId graph, std::string_view displayName) const;
    std::optional<GraphId> findGraph(std::string_view path) const;
    /// Name by which people know a node: its single output's name, else Node.name, else the operator's own name.
    std::string_view displayName(NodeId id) const;
    /// "program/MODEL/node/relu" or "program/MODEL/graph/true_graph_0/node/add" without the "program/MODEL/" part.
    std::string nodeAddress(NodeId id) const;
    std::optional<NodeId> nodeFromAddress(std::string_view addressBelowModel) const;
    /// Calls `visit` for every ValueId a node reads, in order, into lists; duplicates included.
    template <typename Visit>
    void forEachInputValue(const Node& node, Visit&& visit) const {
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) visitValues(argument(namedArguments()[i].argument), visit);
    }
    template <typename Visit>
    void forEachOutputValue(const Node& node, Visit&& visit) const {
        for (std::uint32_t i = node.outputs.begin; i < node.outputs.end; ++i) visitValues(argument(i), visit);
    }

    std::span<const InputSpec> inputSpecs() const;
    std::span<const OutputSpec> outputSpecs() const;
    std::span<const ModuleCallEntry> moduleCallGraph() const;
    /// Registered namedtuple name → field names (treespec_namedtuple_fields).
    const std::map<std::string, std::vector<std::string>>& namedtupleFields() const;
    /// GraphModule.metadata, raw JSON text.
    std::string_view graphModuleMetadata() const;

    /// As torch prints it: "s77", "2*s0 + 1", "8"; a stride may stand in the file's long form.
    std::string dimText(const SymInt& dim) const;
    std::vector<std::string> sizesText(const Value& v) const;
    std::vector<std::string> stridesText(const Value& v) const;
    /// Parsed expression of the table; nullopt when it was not understood (its text is then shown as it stands).
    const std::optional<SymExpr>& expression(ExprId id) const;
    std::string_view expressionText(ExprId id) const;

    NodeMetadata metadata(NodeId id) const;
    /// Innermost module path of a node ("layers.0.attn"), "" for the root; read once for all nodes on first use, thread-safe.
    std::string_view modulePath(NodeId id) const;
    /// Class of a module by its path, as the nodes' stacks name it; empty if unknown.
    std::string_view moduleType(std::string_view path) const;

    struct Storage;
    explicit Program(std::unique_ptr<Storage> storage);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

private:
    template <typename Visit>
    void visitValues(const Argument& a, Visit& visit) const {  // lists nest at most three deep (as_nested_tensors)
        if (a.value != kNone) visit(a.value);
        for (std::uint32_t i = a.children.begin; i < a.children.end; ++i) visitValues(arguments()[i], visit);
    }
    std::unique_ptr<Storage> storage_;
};

}  // namespace pt2
