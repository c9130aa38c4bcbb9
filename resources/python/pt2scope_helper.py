"""The Python side of pt2scope: compiling with AOTInductor and running torch eager, asked for in JSON lines.

The asking side holds both ends of descriptors 0 and 1. The first act here keeps private copies of them and points 0 at nothing and 1 at the log
(descriptor 2), so that what models and compilers print never meets the protocol. When the asking side goes away, this process and every compiler it
started end with it.

A request is {"id": n, "do": "hello" | "compile" | "eager", ...}. Answers to it: any number of {"id": n, "stage": "..."} and then one
{"id": n, "ok": true, ...} or {"id": n, "ok": false, "error": {"kind", "type", "message", "trace"}}. Tensors travel as .npz files with a list
beside them that says dtype and strides, which .npz cannot hold.
"""

import os
import sys

_requests = os.fdopen(os.dup(0), "rb", buffering=0)
_answers = os.fdopen(os.dup(1), "wb", buffering=0)
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.dup2(2, 1)
os.close(_nothing)

import ast
import collections
import ctypes
import json
import math
import queue
import re
import signal
import struct
import threading
import time
import traceback
import zipfile


def name_torch_without_blanks():
    """torch writes its own folder into the compilers' command lines as it is, and takes the lines apart at blanks and quotes. A link in the job's
    folder gives a torch below such a path another name. Before anything of torch is imported."""
    import importlib.util

    found = importlib.util.find_spec("torch")
    folder = found.submodule_search_locations[0] if found and found.submodule_search_locations else ""
    links = os.path.join(os.getcwd(), "packages")
    if not re.search(r"""[\s'"\\]""", folder) or re.search(r"""[\s'"\\]""", links):
        return
    os.mkdir(links)
    os.symlink(folder, os.path.join(links, "torch"))
    sys.path.insert(0, links)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [links, os.environ.get("PYTHONPATH")]))


def end_group(*_):
    """Ends this process and its compilers; they share its process group."""
    os.killpg(0, signal.SIGKILL)


def log(text):
    sys.stderr.write(text.rstrip("\n") + "\n")
    sys.stderr.flush()


class Refused(Exception):
    """A request that cannot be served, with a kind that the asking side understands."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Channel:
    """Requests from a thread that also notices the end of the asking side; answers as lines."""

    def __init__(self):
        self.pending = queue.Queue()
        self.current = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        buffer = b""
        while True:
            try:
                chunk = _requests.read(1 << 16)
            except OSError:
                chunk = b""
            if not chunk:
                end_group()
            buffer += chunk
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                self.pending.put(json.loads(line))

    def send(self, message):
        if self.current is not None:
            message = {"id": self.current, **message}
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[_answers.write(data) :]

    def stage(self, text):
        self.send({"stage": text})


channel = Channel()


# ---------------------------------------------------------------- tensors in files

NPY_TYPES = {"|b1": "bool", "|u1": "uint8", "|i1": "int8", "<i2": "int16", "<i4": "int32", "<i8": "int64", "<u2": "uint16", "<u4": "uint32",
             "<u8": "uint64", "<f2": "float16", "<f4": "float32", "<f8": "float64", "<c8": "complex64", "<c16": "complex128"}


def read_npz(path):
    """Arrays of an .npz as flat uint8 tensors by key; dtype, sizes and strides come from the list beside. Needs no numpy."""
    import torch

    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            length = struct.unpack("<H", data[8:10])[0]
            content = bytearray(data[10 + length :])
            key = name[: -len(".npy")] if name.endswith(".npy") else name
            arrays[key] = torch.frombuffer(content, dtype=torch.uint8) if content else torch.empty(0, dtype=torch.uint8)
    return arrays


def tensor_from(raw, meta):
    import torch

    dtype = getattr(torch, meta["dtype"])
    flat = torch.empty(0, dtype=dtype) if raw.numel() == 0 else raw.view(dtype)
    dense = flat.reshape(meta["shape"])
    strides = meta.get("stride")
    if strides is None or dense.numel() == 0:
        return dense.clone()
    return torch.empty_strided(meta["shape"], strides, dtype=dtype).copy_(dense)


def npy_bytes(tensor):
    import torch

    tensor = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    name = str(tensor.dtype).replace("torch.", "")
    descr = next((code for code, known in NPY_TYPES.items() if known == name), None)
    if descr is None:
        size = tensor.element_size()
        descr = "|u1" if size == 1 else f"<u{size}"
    shape = "(" + "".join(f"{n}, " for n in tensor.shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    size = tensor.numel() * tensor.element_size()
    content = ctypes.string_at(tensor.data_ptr(), size) if size else b""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def write_npz(path, tensors):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for key, tensor in tensors:
            with archive.open(key + ".npy", "w", force_zip64=True) as out:
                out.write(npy_bytes(tensor))


# ---------------------------------------------------------------- loading a program


def spec_nodes(text):
    """Every node of a treespec string, without recursion."""
    pending = [json.loads(text)[1]] if text else []
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node["children_spec"])


def register_stand_ins(program):
    """Containers of classes that this Python does not have get a stand-in of the same serialised name, so that trees of inputs and outputs work."""
    from torch.utils import _pytree as pytree

    module = program["graph_module"]
    fields_of = module.get("treespec_namedtuple_fields") or {}
    entry = next((e for e in module["module_call_graph"] if e["fqn"] == "" and e.get("signature")), None)
    if entry is None:
        return
    known = pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE
    for text in (entry["signature"]["in_spec"], entry["signature"]["out_spec"]):
        for node in spec_nodes(text):
            name = node["type"]
            if name is None:
                continue
            if name == "collections.namedtuple":
                registered = node["context"]
                if registered in known or registered not in fields_of:
                    continue
                short = "".join(c if c.isalnum() else "_" for c in registered.split(".")[-1]) or "T"
                stand_in = collections.namedtuple("T_" + short, fields_of[registered]["field_names"], rename=True)
                pytree._register_namedtuple(stand_in, serialized_type_name=registered)
                log(f"The class {registered} is not known here; a named tuple stands in for it.")
            elif name not in known:
                register_container(pytree, name)
                log(f"The class {name} is not known here; a plain container stands in for it.")


def register_container(pytree, name):
    class StandIn:
        def __init__(self, children, context):
            self.children = children
            self.context = context

    StandIn.__qualname__ = StandIn.__name__ = name.split(".")[-1]
    pytree.register_pytree_node(
        StandIn,
        lambda value: (list(value.children), value.context),
        lambda children, context: StandIn(list(children), context),
        serialized_type_name=name,
        # The context stays the text that the file has.
        to_dumpable_context=lambda context: context,
        from_dumpable_context=lambda context: context,
        flatten_with_keys_fn=lambda value: ([(pytree.SequenceKey(i), child) for i, child in enumerate(value.children)], value.context),
    )


def load_program(path):
    import torch
    import torch.export
    from torch.export.pt2_archive._package import load_pt2

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        json_name = next(n for n in names if n.endswith("models/model.json") or n == "serialized_exported_program.json")
        program = json.loads(archive.read(json_name))
    register_stand_ins(program)
    missing = missing_operators(program)
    if missing:
        raise Refused("missing-operator", f"Not registered: {', '.join(missing)}.")
    if json_name == "serialized_exported_program.json":
        return torch.export.load(path)
    # torch.export.load would hide the cause of a failure behind its fallback for older files.
    try:
        return load_pt2(path).exported_programs["model"]
    except RuntimeError as error:
        unresolved = re.search(r"__torch__\.torch\.classes\.([\w.]+)", str(error))
        if unresolved and "resolve type" in str(error):
            raise Refused("missing-operator", f"Not registered: the class {unresolved.group(1)}.") from error
        raise


def missing_operators(program):
    """Operators that the program names and this torch does not have, sorted."""
    import torch

    found = set()
    pending = [program["graph_module"]["graph"]]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                if key in ("target", "as_operator") and isinstance(inner, str):
                    found.add(inner)
                elif isinstance(inner, (dict, list)):
                    pending.append(inner)
    missing = set()
    for name in found:
        parts = name.removeprefix("torch.ops.").split(".")
        known_elsewhere = not name.startswith("torch.ops.") or len(parts) < 2 or parts[0] == "higher_order"
        if not known_elsewhere and not hasattr(getattr(torch.ops, parts[0]), parts[1]):
            missing.add(f"{parts[0]}::{parts[1]}")
    return sorted(missing)


def user_inputs(ep):
    """(placeholder, argument) of every user input in flat order."""
    from torch.export.graph_signature import InputKind

    placeholders = [node for node in ep.graph.nodes if node.op == "placeholder"]
    return [(node, spec.arg) for node, spec in zip(placeholders, ep.graph_signature.input_specs) if spec.kind == InputKind.USER_INPUT]


def integer_hint(value, ranges):
    """A legal number for a size: the one at export, else the smallest of at least 2."""
    if isinstance(value, int):
        return value
    node = getattr(value, "node", None)
    hint = getattr(node, "hint", None)
    if hint is not None:
        return int(hint)
    limits = ranges.get(getattr(node, "expr", None))
    low = 2
    try:
        if limits is not None:
            low = min(max(2, int(limits.lower)), int(limits.upper))
    except (TypeError, ValueError, OverflowError):
        pass
    return low


def example_inputs(ep):
    """Inputs as the program describes them, in the caller's tree: the copy that is loaded here has no samples."""
    import torch
    from torch.export.graph_signature import ConstantArgument
    from torch.utils import _pytree as pytree

    leaves = []
    generator = torch.Generator().manual_seed(0)
    for node, argument in user_inputs(ep):
        if isinstance(argument, ConstantArgument):
            leaves.append(argument.value)
            continue
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            sizes = [integer_hint(s, ep.range_constraints) for s in value.shape]
            strides = [integer_hint(s, ep.range_constraints) for s in value.stride()]
            tensor = torch.empty_strided(sizes, strides, dtype=value.dtype, device="cpu")
            if value.dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
                tensor.copy_(torch.rand(sizes, generator=generator))
            elif tensor.numel():
                tensor.zero_()
            leaves.append(tensor.to(value.device))
        elif isinstance(value, torch.SymBool):
            leaves.append(True)
        elif isinstance(value, torch.SymFloat):
            leaves.append(1.5)
        elif isinstance(value, torch.SymInt):
            leaves.append(integer_hint(value, ep.range_constraints))
        else:
            leaves.append(value)
    return pytree.tree_unflatten(leaves, ep.call_spec.in_spec)


# ---------------------------------------------------------------- requests


def hello(_):
    import torch

    return {"python": sys.version.split()[0], "torch": torch.__version__, "cuda": torch.cuda.is_available()}


def watch(owner, name, before, after=None):
    """Calls `before` when owner.name is entered. Releases of torch that lack it lose the step's name and nothing else."""
    original = getattr(owner, name, None)
    if original is None:
        return
    is_class_method = isinstance(vars(owner).get(name), classmethod) if isinstance(owner, type) else False
    function = original.__func__ if is_class_method else original

    def wrapper(*args, **kwargs):
        before(*args, **kwargs)
        begin = time.monotonic()
        result = function(*args, **kwargs)
        if after is not None:
            after(time.monotonic() - begin)
        return result

    setattr(owner, name, classmethod(wrapper) if is_class_method else wrapper)


def watch_steps():
    import torch._inductor.codecache
    import torch._inductor.cpp_builder
    import torch._inductor.graph
    import torch._inductor.package

    def compiling(command, *_args, **_kwargs):
        words = command.split() if isinstance(command, str) else list(command)
        sources = [os.path.basename(w) for w in words if w.endswith((".cpp", ".S", ".o", ".cu", ".h"))]
        log(f"{os.path.basename(words[0])} {' '.join(sources[:4])}")

    watch(torch._inductor.graph.GraphLowering, "codegen_with_cpp_wrapper", lambda *a, **k: channel.stage("generating code"))
    watch(torch._inductor.codecache.AotCodeCompiler, "compile", lambda *a, **k: channel.stage("compiling C++"))
    watch(torch._inductor.package, "package_aoti", lambda *a, **k: channel.stage("packaging"))
    watch(torch._inductor.cpp_builder, "run_compile_cmd", compiling, lambda seconds: log(f"  {seconds:.1f} s"))


def parsed(value):
    """The value of KEY=VALUE: a Python literal, else text."""
    lowered = value.strip().lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def simd_width(name):
    """Bits of an instruction set, if the compiler here can make code for it and the processor can run it, as torch finds out."""
    from torch._inductor import cpu_vec_isa

    widths = {"avx512": 512, "avx2": 256, "neon": 128, "sve256": 256, "scalar": 1}
    there = {isa.bit_width() for isa in cpu_vec_isa.valid_vec_isa_list()}
    if name != "scalar" and widths[name] not in there:
        raise Refused("usage", f"Torch makes no {name} code on this machine; it found {sorted(there) or 'no vector instructions'} (bits).")
    return widths[name]


REPRODUCE = """# Compiles the program again with the settings that failed: python {script}
import os

import torch
import torch._inductor

here = os.path.dirname(os.path.abspath(__file__))
options = {options!r}
program = torch.export.load(os.path.join(here, {program!r}))
torch._inductor.aoti_compile_and_package(program, package_path=os.path.join(here, "reproduced.pt2"), inductor_configs=options)
"""


def write_script(request, options):
    """Beside the package, for those who keep what a failure leaves."""
    folder = os.path.dirname(request["package"])
    number = os.path.basename(request["package"])[len("compiled_") : -len(".pt2")]
    script = f"reproduce_{number}.py"
    with open(os.path.join(folder, script), "w", encoding="utf-8") as out:
        out.write(REPRODUCE.format(script=script, options=options, program=os.path.relpath(request["archive"], folder)))


def inductor_options(request):
    import difflib

    import torch._inductor.config as config

    known = config.get_config_copy()
    # Headers compiled beforehand pay only when they are used again, and the cache of a job is thrown away with it.
    options = {"trace.provenance_tracking_level": 1, "aot_inductor.precompile_headers": bool(request.get("several"))}
    options = {key: value for key, value in options.items() if key in known}
    if request.get("max_autotune"):
        options["max_autotune"] = True
    if request.get("freezing"):
        options["freezing"] = True
        options["freezing_discard_parameters"] = bool(request.get("discard_parameters"))
    plain = {}
    if request.get("cpp_only"):
        plain["aot_inductor.package_cpp_only"] = True
    if request.get("constants", "library") != "library":
        plain["aot_inductor.package_constants_in_so"] = False
    if request.get("constants") == "disk":
        plain["aot_inductor.package_constants_on_disk_format"] = "binary_blob"
    if request.get("cpu_isa"):
        plain["cpp.simdlen"] = simd_width(request["cpu_isa"])
    if request.get("minify"):
        plain["aot_inductor.dump_aoti_minifier"] = True
    for key, value in plain.items():
        if key not in known:
            raise Refused("usage", f'This torch has no setting "{key}", which is needed for that.')
        options[key] = value
    for key, value in request.get("config", []):
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise Refused("usage", f'There is no setting "{key}".' + (f' Did you mean "{near[0]}"?' if near else ""))
        options[key] = parsed(value)
    if request.get("metadata"):
        options["aot_inductor.metadata"] = {**(options.get("aot_inductor.metadata") or {}), **request["metadata"]}
    return options


def compile_program(request):
    import torch
    import torch._inductor

    channel.stage("loading the program")
    options = inductor_options(request)
    write_script(request, options)
    ep = load_program(request["archive"])
    device = request.get("device")
    if device:
        from torch.export.passes import move_to_device_pass

        ep = move_to_device_pass(ep, device)
    ep._example_inputs = example_inputs(ep)
    watch_steps()
    channel.stage("lowering")
    path = torch._inductor.aoti_compile_and_package(ep, package_path=request["package"], inductor_configs=options)
    return {"package": path}


def eager_arguments(ep, request):
    from torch.export.graph_signature import ConstantArgument
    from torch.utils import _pytree as pytree

    import torch

    arrays = read_npz(request["inputs"])
    given = {item["index"]: item for item in request["leaves"]}
    leaves = []
    for index, (node, argument) in enumerate(user_inputs(ep)):
        item = given.get(index)
        if isinstance(argument, ConstantArgument):
            leaves.append(argument.value)
        elif item is None:
            raise Refused("usage", f'Input "{node.name}" was not given.')
        elif "key" in item:
            value = node.meta.get("val")
            device = value.device if isinstance(value, torch.Tensor) else "cpu"
            leaves.append(tensor_from(arrays[item["key"]], item).to(device))
        else:
            leaves.append(parsed(item["text"]))
    return pytree.tree_unflatten(leaves, ep.call_spec.in_spec)


def to_float64(module):
    """Makes the module compute in float64: weights, and every lower floating dtype that is named as an argument."""
    import torch

    lower = (torch.float32, torch.float16, torch.bfloat16)

    def raised(value):
        return torch.float64 if isinstance(value, torch.dtype) and value in lower else value

    module.double()
    for part in module.modules():
        for name, value in list(vars(part).items()):
            if isinstance(value, torch.Tensor) and value.dtype in lower:
                setattr(part, name, value.double())
        if not isinstance(part, torch.fx.GraphModule):
            continue
        for node in list(part.graph.nodes):
            if "_assert_tensor_metadata" in str(node.target):
                part.graph.erase_node(node)
                continue
            node.args = torch.fx.node.map_aggregate(node.args, raised)
            node.kwargs = torch.fx.node.map_aggregate(node.kwargs, raised)
        part.recompile()


def handed_over(label, index, value):
    """A leaf of a result as a tensor, or None for what a compiled model does not give."""
    import torch

    if isinstance(value, (bool, int, float)):
        # Compiled models return numbers, computed or fixed, as tensors without dimensions.
        kind = torch.bool if isinstance(value, bool) else torch.int64 if isinstance(value, int) else torch.float64
        return torch.tensor(value, dtype=kind)
    if not isinstance(value, torch.Tensor):
        return None
    if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout != torch.strided:
        raise Refused("eager", f"{label} {index} is a {type(value).__name__} of layout {value.layout}, which cannot be handed over.")
    return value


def eager(request):
    """Runs the program; "steps" calls in sequence on one module, each with the inputs as they were given. "watch" are buffers to give after each."""
    import torch
    from torch.utils import _pytree as pytree

    channel.stage("loading the program")
    ep = load_program(request["archive"])
    args, kwargs = eager_arguments(ep, request)
    exact = request.get("float64", False)
    channel.stage("running torch eager in float64" if exact else "running torch eager")
    torch.manual_seed(request.get("seed", 0))
    module = ep.module()
    if exact:
        try:
            to_float64(module)
        except Exception as error:
            raise Refused("float64", f"The program cannot be computed in float64: {error}") from error

    def given(value):
        if not isinstance(value, torch.Tensor):
            return value
        copy = value.clone(memory_format=torch.preserve_format)
        return copy.double() if exact and copy.is_floating_point() else copy

    held = dict(module.named_buffers())
    held.update(module.named_parameters())
    tensors, described, seconds = [], [], None
    for step in range(request.get("steps", 1)):
        begin = time.monotonic()
        with torch.no_grad():
            result = module(*pytree.tree_map(given, args), **pytree.tree_map(given, kwargs))
        seconds = seconds or time.monotonic() - begin
        outputs, state = [], []
        for index, value in enumerate(pytree.tree_leaves(result)):
            if value is None:
                outputs.append({"index": index})
                continue
            value = handed_over("Output", index, value)
            if value is None:
                continue
            key = f"out_{step}_{index}"
            tensors.append((key, value.clone()))
            outputs.append({"index": index, "key": key, "dtype": str(value.dtype).replace("torch.", "")})
        for index, name in enumerate(request.get("watch", [])):
            if name in held:
                value = held[name].detach()
                key = f"state_{step}_{index}"
                tensors.append((key, value.clone()))
                state.append({"name": name, "key": key, "dtype": str(value.dtype).replace("torch.", "")})
        described.append({"outputs": outputs, "state": state})
    write_npz(request["outputs"], tensors)
    return {"calls": described, "seconds": seconds}


def describe(error):
    """What to tell about an exception: its own words first, without the frames that wrap it."""
    cause = error
    while cause.__cause__ is not None and not isinstance(cause, Refused):
        cause = cause.__cause__
    kind = error.kind if isinstance(error, Refused) else "torch"
    name = type(error).__name__
    if name == "InvalidCxxCompiler" or "InvalidCxxCompiler" in str(error)[:400]:
        kind = "no-compiler"
    elif name == "CppCompileError" or "C++ compile error" in str(error)[:2000]:
        kind = "compiler"
    elif isinstance(error, MemoryError):
        kind = "memory"
    elif isinstance(error, OSError) and getattr(error, "errno", None) == 28:
        kind = "no-space"
    elif isinstance(error, ImportError):
        kind = "import"
    message = str(error) or str(cause) or name
    return {"kind": kind, "type": name, "message": message[:60000], "trace": traceback.format_exc()[-20000:]}


def main():
    signal.signal(signal.SIGTERM, end_group)
    name_torch_without_blanks()
    actions = {"hello": hello, "compile": compile_program, "eager": eager}
    for module in filter(None, os.environ.get("PT2SCOPE_IMPORT", "").split(",")):
        __import__(module)
    while True:
        request = channel.pending.get()
        channel.current = request.get("id")
        try:
            channel.send({"ok": True, **actions[request["do"]](request)})
        except KeyboardInterrupt:
            end_group()
        except BaseException as error:  # a model may raise anything, SystemExit included
            channel.send({"ok": False, "error": describe(error)})


main()
