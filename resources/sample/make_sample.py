"""Writes sample.pt2, the program that pt2scope opens when no file is named.

Usage: python make_sample.py OUT.pt2   (needs torch 2.13)

The archive is portable: it holds the program only. Its compiled form is made on the user's machine by the recompile action. The model is imported from
a folder of a neutral name, since stack traces keep the paths of the machine that exported.
"""

import os
import shutil
import sys
import tempfile

import torch

FOLDER = os.path.join(tempfile.gettempdir(), "model")


def import_model():
    os.makedirs(FOLDER, exist_ok=True)
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.py"), FOLDER)
    sys.path.insert(0, FOLDER)
    import model

    return model


def without_machine_paths(program):
    """Frames inside torch name its folder on this machine; they keep the part below it."""
    above_torch = os.path.dirname(os.path.dirname(torch.__file__)) + os.sep
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if node.meta.get("stack_trace"):
                node.meta["stack_trace"] = node.meta["stack_trace"].replace(above_torch, "")


def main():
    torch.manual_seed(0)
    module = import_model().DigitClassifier().eval()
    images = torch.rand(4, 1, 10, 10)
    batch = torch.export.Dim("batch", min=1, max=1024)
    program = torch.export.export(module, (images,), dynamic_shapes={"image": {0: batch}})
    without_machine_paths(program)
    target = os.path.abspath(sys.argv[1])
    torch.export.save(program, target)
    shutil.rmtree(FOLDER)
    print(target, os.path.getsize(target), "bytes")


main()
