import torch


class Marked(torch.nn.Module):
    """Adds two tensors; the second one's first dimension was meant to be dynamic, and a condition on it fixes it."""

    def forward(self, x, y):
        if y.shape[0] == 3:
            return x + 1, y * 2
        return x, y


x, y = torch.randn(3, 4), torch.randn(3, 4)
torch._dynamo.mark_dynamic(x, 0)
torch._dynamo.maybe_mark_dynamic(y, 0)
program = torch.export.export(Marked(), (x, y))
torch.export.save(program, "marked_dynamic.pt2")
print(program.range_constraints, [tuple(n.meta["val"].shape) for n in program.graph.nodes if "val" in n.meta])
