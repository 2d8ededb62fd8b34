"""A class of distinct students, as real files: one folder a student, one file a problem, reproducible from a seed.

    python benchmarks/classes.py FOLDER --students 200 [--seed 1] [--bits] [--hangs 0.01] [--problem xor]

FOLDER/class holds the students, FOLDER/key.csv says what each answer is. By default 70 % of the answers are right
(the reference, or one of its functions written another way), 25 % hold one known mistake, 2 % leave functions
unwritten, 2 % are the stub and 1 % crash. Every file has its own comments, its own names of local variables and its
own order of functions. Still, equal mistakes give equal numbers, as in a class of people; with ``--bits`` every float
that a student's functions return, whole numbers apart, is multiplied by 1 + k 2**-50, k being the student's number:
so no two students' answers are equal, and every mark stays the same.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import csv
import functools
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from measuring import ROOT

from grader import course as courses
from grader import problem as problems

MIX = {"right": 0.70, "wrong": 0.25, "partial": 0.02, "stub": 0.02, "crash": 0.01}
MAKES = 1  # functions of one answer that are written another way: each is proved right by itself
OWN_ENTROPY = "default_rng()"  # draws from the machine's: no two gradings of such an answer are equal to the last digit
EXACT = {"certificate"}  # functions whose answers are held against whole numbers, so that no bit of them may move
CRASHES = (
    "\n\ndef unfinished(:\n",
    "\n\nimport a_module_of_my_own\n",
    "\n\nraise SystemExit('finished')\n",
    "\n\nresult = undefined_name + 1\n",
)
REMARKS = ("works on my machine", "see the chapter", "checked by hand", "second try", "as in the exercise class")
BITS = """

_answering = False


def _mine(value):
    if isinstance(value, dict):
        return {{key: _mine(part) for key, part in value.items()}}
    if type(value) in (list, tuple):
        return type(value)(map(_mine, value))
    is_float = "float" in str(getattr(value, "dtype", type(value).__name__))
    return value + value * ({number} * 2.0**-50) * (value % 1 != 0) if is_float else value


def _with_my_digits(function):
    def same(*args, **kwargs):
        global _answering
        if _answering:
            return function(*args, **kwargs)
        _answering = True
        try:
            return _mine(function(*args, **kwargs))
        finally:
            _answering = False

    return same


"""
SCOPES = (ast.ClassDef, ast.Global, ast.Nonlocal, ast.Match)


@dataclass(frozen=True)
class Unit:
    """A statement of a module, as text, and where it names its own local variables (line, byte, name)."""

    text: str
    kind: str  # "import", "function", "other"
    name: str = ""
    loose: bool = False  # a function that may stand anywhere among functions
    places: tuple[tuple[int, int, str], ...] = field(default=(), compare=False)

    def renamed(self, suffix: str) -> str:
        lines = self.text.encode().split(b"\n")
        for line, column, name in sorted(self.places, reverse=True):
            end = column + len(name.encode())
            lines[line] = lines[line][:end] + suffix.encode() + lines[line][end:]
        return b"\n".join(lines).decode()


@dataclass(frozen=True)
class HandIn:
    """One student's answer to one problem: its text, and what it is."""

    student: str
    slug: str
    kind: str
    made_of: str
    text: str


def hand_ins(root, students, *, seed=1, mix=MIX, bits=False, slugs=()):
    """Yield the answers of a class, student by student."""
    course = courses.find(root)
    loaded = [problems.load(course.problem(slug)) for slug in slugs or course.slugs]
    for number in range(1, students + 1):
        for problem in loaded:
            rng = random.Random(f"{seed}/{number}/{problem.slug}")
            yield answer(problem, number, rng, mix=mix, bits=bits)


def write(folder, answers):
    """Write a class and its key below ``folder``; return where the students are."""
    with _opened(folder / "key.csv") as stream:
        key = csv.writer(stream)
        key.writerow(["student", "problem", "kind", "made of"])
        for one in answers:
            path = folder / "class" / one.student / f"{one.slug}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8")
            key.writerow([one.student, one.slug, one.kind, one.made_of])
    return folder / "class"


def answer(problem, number, rng, *, mix=MIX, bits=False):
    """Return one student's answer to one problem."""
    kind = rng.choices(list(mix), list(mix.values()))[0]
    reference, stub = units(problem.reference), units(problem.stub)
    functions = [unit.name for unit in stub if unit.kind == "function"]
    body, names, tail = reference, [], ""
    if kind == "right":
        body, names = _other_makes(problem, reference, rng)
    elif kind == "wrong":
        mistake = rng.choice(problem.wrong)
        body, names = units(mistake.text), [mistake.name]
    elif kind == "partial":
        names = rng.sample(functions, rng.randint(1, max(1, len(functions) // 2)))
        unwritten = {unit.name: unit for unit in stub}
        body = [unwritten[unit.name] if unit.name in names else unit for unit in reference]
    elif kind == "stub":
        body = stub
    elif kind == "crash":
        tail = rng.choice(CRASHES)
    elif kind == "hang":
        names = [rng.choice(functions)]
        tail = f"\n\ndef {names[0]}(*args, **kwargs):\n    while True:\n        pass\n"
    digits = _digits([name for name in functions if name not in EXACT], number) if bits else ""
    text = _styled(body, number, rng) + digits + tail
    return HandIn(f"student_{number:04}", problem.slug, kind, " ".join(names) or "reference", text)


@functools.lru_cache(maxsize=1024)
def units(text):
    """Return the statements of a module."""
    text = re.sub(r"(?m)^[ \t]*#+ (BEGIN|END) SOLUTION[ \t]*\n", "", text)
    module, lines = ast.parse(text), text.split("\n")
    taken = {name.id for node in module.body if not hasattr(node, "name") for name in _names(node)}
    taken |= {node.name for node in module.body if hasattr(node, "name")} | set(dir(builtins))
    return [_unit(node, lines, taken) for node in module.body]


def _unit(node, lines, taken):
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    text = "\n".join(lines[first - 1 : node.end_lineno])
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return Unit(text, "import")
    if not isinstance(node, ast.FunctionDef):
        return Unit(text, "other", getattr(node, "name", ""))
    defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    loose = not node.decorator_list and all(isinstance(one, ast.Constant) for one in defaults)
    places = tuple((name.lineno - first, name.col_offset, name.id) for name in _own_names(node, taken))
    return Unit(text, "function", node.name, loose, places)


def _names(node):
    return [part for part in ast.walk(node) if isinstance(part, ast.Name)]


def _own_names(function, taken):
    """Return every mention of a local variable that can be called something else without harm."""
    parts = list(ast.walk(function))
    if any(isinstance(part, SCOPES) for part in parts):
        return []
    fixed = taken | {part.arg for part in parts if isinstance(part, ast.arg)}
    fixed |= {part.name for part in parts if isinstance(part, (ast.FunctionDef, ast.ExceptHandler))}
    # Before Python 3.12 the places of names inside of f-strings are not told.
    fixed |= {name.id for part in parts if isinstance(part, ast.JoinedStr) for name in _names(part)}
    own = {name.id for name in _names(function) if isinstance(name.ctx, ast.Store)} - fixed
    return [name for name in _names(function) if name.id in own]


def _other_makes(problem, reference, rng):
    """Return a right answer with up to `MAKES` functions of another make, and their names."""
    body, names = reference, []
    makes = [variant for variant in problem.right if OWN_ENTROPY not in variant.text]
    for variant in rng.sample(makes, min(rng.randint(0, MAKES), len(makes))):
        taken = _taking(body, units(variant.text), reference)
        if taken is not None:
            body, names = taken, [*names, variant.name]
    return body, names


def _taking(body, variant, reference):
    """Return an answer that takes over what a variant changes in the reference; None where they do not fit."""
    known = {unit.name: unit for unit in body if unit.name}
    given = {unit.name for unit in reference if unit.name}
    started = False
    imports, before, after, changed = [], [], [], {}
    for unit in variant:
        started = started or unit.name in given
        if unit in reference or unit in body:
            continue
        if unit.name in given:
            if known[unit.name] not in reference:
                return None
            changed[unit.name] = unit
        elif unit.name in known:
            return None
        else:
            (imports if unit.kind == "import" else after if started else before).append(unit)
    at = max((place for place, unit in enumerate(body) if unit.kind == "import"), default=0) + 1
    rest = [changed.get(unit.name, unit) for unit in body[at:]]
    return [*body[:at], *imports, *before, *rest, *after]


def _styled(body, number, rng):
    """Return a module in a student's own hand: comments, names of variables, order of functions."""
    suffix = rng.choice(("_", "_x", "s", "_new", "_val")) + str(number)
    pieces, run = [], []
    for unit in [*body, Unit("", "other")]:
        if unit.loose:
            run.append(unit)
            continue
        rng.shuffle(run)
        pieces += [*run, unit]
        run = []
    remark = rng.choice(REMARKS)
    texts = [f"# {remark} ({number})\n{unit.renamed(suffix)}" if unit.loose else unit.text for unit in pieces]
    return f"# answer of student {number}, {remark}\n" + "\n\n\n".join(texts)


def _digits(functions, number):
    return BITS.format(number=number) + "".join(f"{name} = _with_my_digits({name})\n" for name in functions)


def _opened(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", newline="", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bits", action="store_true", help="no two students' answers are equal")
    parser.add_argument("--hangs", type=float, default=0.0, help="the share of answers that never come back")
    parser.add_argument("--problem", action="append", default=[], help="this problem only; may be repeated")
    asked = parser.parse_args()
    mix = {**MIX, "right": MIX["right"] - asked.hangs, "hang": asked.hangs}
    answers = hand_ins(ROOT, asked.students, seed=asked.seed, mix=mix, bits=asked.bits, slugs=asked.problem)
    print(f"{asked.students} students in {write(asked.folder, answers)}")


if __name__ == "__main__":
    main()
