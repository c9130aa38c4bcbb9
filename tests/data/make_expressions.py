"""make_expressions.py SEED COUNT OUT: random expressions in torch's terms, as sympy prints them, with their values under two assignments.

Needs torch 2.13 and the sympy it brings. `expressions.json` holds what tst_expression compares.
"""
import json
import random
import sys

import sympy
import torch.utils._sympy.functions as functions

NAMES = ["s0", "s1", "s6", "s53", "s77", "u0", "u1"]
ASSIGNMENTS = [dict(zip(NAMES, (2, 3, 5, 7, 11, 4, 6))), dict(zip(NAMES, (9, 2, 8, 3, 64, 1, 13)))]
SYMBOLS = {n: sympy.Symbol(n, positive=True, integer=True) if n[0] == "s" else sympy.Symbol(n, integer=True) for n in NAMES}
FUNCTIONS = {k: v for k, v in vars(functions).items() if isinstance(v, type) and issubclass(v, sympy.Basic)}


def atom():
    if random.random() < 0.6:
        return SYMBOLS[random.choice(NAMES)]
    return sympy.Integer(random.choice([1, 2, 3, 4, 5, 7, 8, 16, -1, -2, -3]))


def number(depth):
    if depth == 0:
        return atom()

    def part():
        return number(random.randrange(depth))

    def small():
        return sympy.Integer(random.choice([2, 3, 8]))

    choices = [
        (25, lambda: sympy.Add(*[part() for _ in range(random.choice([2, 2, 3]))])),
        (25, lambda: sympy.Mul(*[part() for _ in range(random.choice([2, 2, 3]))])),
        (10, lambda: functions.FloorDiv(part(), random.choice([small(), part()]))),
        (6, lambda: functions.Max(part(), part())),
        (4, lambda: functions.Min(part(), part())),
        (5, lambda: functions.Mod(part(), random.choice([small(), part()]))),
        (3, lambda: functions.PythonMod(part(), random.choice([small(), part()]))),
        (4, lambda: sympy.Pow(part(), random.choice([2, 2, 3]))),
        (2, lambda: functions.CeilToInt(functions.FloatTrueDiv(functions.ToFloat(part()), sympy.Float(random.choice([1.0, 1.5, 0.25]))))),
        (2, lambda: functions.TruncToInt(sympy.Float(1.5) * functions.ToFloat(part()))),
        (2, lambda: functions.IntTrueDiv(part(), part())),
        (2, lambda: functions.ModularIndexing(part(), sympy.Integer(2), sympy.Integer(4))),
        (2, lambda: functions.CleanDiv(part(), sympy.Integer(2))),
        (1, lambda: functions.CeilDiv(part(), sympy.Integer(3))),
        (1, lambda: functions.OpaqueUnaryFn_sqrt(functions.ToFloat(part()))),
        (1, lambda: functions.LShift(part(), sympy.Integer(2))),
        (1, lambda: functions.Where(relation(1), part(), part())),
        (1, lambda: sympy.Rational(1, 2) * part()),
    ]
    return random.choices([c for _, c in choices], [w for w, _ in choices])[0]()


def relation(depth):
    make = random.choice([sympy.Eq, sympy.Ne, sympy.Ge, sympy.Le, sympy.Gt, sympy.Lt])
    return make(number(depth), number(depth))


def truth(depth):
    kind = random.random()
    if kind < 0.7:
        return relation(depth)
    if kind < 0.8:
        return sympy.And(relation(depth), relation(depth))
    if kind < 0.9:
        return sympy.Or(relation(depth), relation(depth))
    return sympy.Not(sympy.And(relation(depth), relation(depth)))


def value(expression, assignment):
    v = expression.subs({SYMBOLS[k]: x for k, x in assignment.items()})
    if v in (sympy.true, sympy.false):
        return bool(v)
    if v.is_Integer:
        return int(v) if abs(int(v)) < 2**63 else None
    return float(v) if v.is_Rational or v.is_Float else None


def main(seed, count, out):
    random.seed(seed)
    entries, seen = [], set()
    while len(entries) < count:
        try:
            made = number(random.choice([1, 2, 2, 3, 3])) if random.random() < 0.85 else truth(2)
            parsed = sympy.sympify(sympy.srepr(made), locals={**FUNCTIONS, **SYMBOLS})  # as torch's loader reads it
            if parsed.has(sympy.zoo, sympy.nan, sympy.oo) or parsed.is_Float:
                continue
            entry = {"srepr": sympy.srepr(parsed), "text": str(parsed), "values": [value(parsed, a) for a in ASSIGNMENTS]}
        except Exception:  # sympy refuses many random combinations
            continue
        if entry["srepr"] in seen or len(entry["srepr"]) > 420:
            continue
        seen.add(entry["srepr"])
        entries.append(entry)
    with open(out, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(e) for e in entries) + "\n]\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
