"""What students receive, by allow-list: every byte of it is named here, and nothing else is ever copied.

::

    README.md                      how to start
    course.toml                    assignments: problems and due date
    student_template/<slug>.py     the stub, made from the reference anew (or <slug>.ipynb, on wish)
    problems/<slug>/               statement.md, the pictures it shows, visible.py, probes.py
        mistakes.json              what known mistakes answer to the visible checks' own calls, with their hints
        released.json              the stub once more, and how many points come after hand-in
    manifest.json                  what of all this is ours (see bundle)

No text of the instructor's passes through: a problem's title, the functions' names, counts, points, hints and wrong
numbers are what is derived from hidden files.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import assignments, diagnose, released, sheet
from grader import problem as problems
from grader.errors import AuthoringError, CourseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from grader.course import Course
    from grader.problem import Problem

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PICTURE = re.compile(r"!\[[^\]]*\]\(\s*<?([^\s)>]+)")
_NAMES_SVG = re.compile(r"""[("'<]\s*<?([^\s()"'<>]+\.svg)\b""", re.IGNORECASE)
_OWN_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.svg", re.IGNORECASE)
_COPIED = ("statement.md", "visible.py", "probes.py")


@dataclass(frozen=True, slots=True)
class Due:
    """One assignment as students see it; ``due`` has the offset that ``course.toml`` gives it."""

    name: str
    problems: tuple[str, ...]
    due: datetime | None


def files(
    course: Course,
    assignment: str | None = None,
    *,
    notebooks: bool = False,
    say: Callable[[str], None] = lambda _slug: None,
) -> dict[str, bytes]:
    """Return the files of a bundle by path; the same course gives the same bytes.

    Args:
        course: the whole course, with references.
        assignment: whose problems to hand out; None for all of the course.
        notebooks: hand out notebooks to fill in, in place of Python files.
        say: is told each problem before its known mistakes are asked, which takes seconds.

    Raises:
        CourseError: there is no such assignment, no problem, or no reference of one.
        AuthoringError: a problem breaks a rule of the author's words, or shows a picture that is not there.
    """
    listed = [_due(course, name) for name in ([assignment] if assignment else assignments.names(course))]
    slugs = listed[0].problems if assignment else course.slugs
    if not slugs:
        raise CourseError(f"there is no problem in {course.root / 'problems'}, so there is nothing to release")
    found: dict[str, str | bytes] = {}
    handed_out = []
    for slug in slugs:
        demand_whole(course, slug)
        say(slug)
        problem = problems.load(course.problem(slug))
        handed_out.append(problem)
        found |= _problem(course, problem, notebooks=notebooks)
    found["course.toml"] = _course_file(listed)
    found["README.md"] = _readme(handed_out, listed[0] if assignment else None, ".ipynb" if notebooks else ".py")
    return {path: text if isinstance(text, bytes) else text.encode() for path, text in found.items()}


def _due(course: Course, name: str) -> Due:
    read = assignments.read(course, name)
    return Due(name, read.problems, course.config["assignments"][name].get("due"))


def demand_whole(course: Course, slug: str) -> None:
    """Refuse a problem that cannot be handed out from here.

    Raises:
        CourseError: it has no reference.
        AuthoringError: a file of it is a link.
    """
    if not course.problem(slug).reference:
        path = course.root / "reference" / f"{slug}.py"
        raise CourseError(f"{path} is missing; a bundle is made where the references are")
    for name in _COPIED:
        _demand_own(course.root / "problems" / slug / name)


def _demand_own(path: Path) -> None:
    """A link may lead to what students must not have."""
    if path.is_symlink():
        raise AuthoringError(f"{path} is a symbolic link, and links are not released; put the file itself there")


def _problem(course: Course, problem: Problem, *, notebooks: bool) -> dict[str, str | bytes]:
    """Return all files of one problem."""
    slug = problem.slug
    found = folder(course, problem)
    if notebooks:
        statement = pointed(course, problem, f"../problems/{slug}")
        return found | {f"student_template/{slug}.ipynb": sheet.notebook(slug, statement, problem.stub)}
    return found | {f"student_template/{slug}.py": problem.stub}


def folder(course: Course, problem: Problem) -> dict[str, str | bytes]:
    """Return what students receive as ``problems/<slug>/``, by path; see `demand_whole` first.

    Raises:
        AuthoringError: it shows a picture that may not be released.
    """
    slug, texts = problem.slug, course.problem(problem.slug)
    home = f"problems/{slug}"
    pictures = _pictures(course.root / "problems" / slug, texts.statement)
    hidden = [check for check in problem.checks if not check.visible]
    told = released.Released(
        digest=texts.digest,
        stub=problem.stub,
        hidden_checks=len(hidden),
        hidden_points=sum(check.points for check in hidden),
        manual_points=problem.manual_points,
    )
    found: dict[str, str | bytes] = {
        f"{home}/statement.md": texts.statement,
        f"{home}/visible.py": texts.visible,
        f"{home}/mistakes.json": diagnose.record(problem),
        f"{home}/{released.NAME}": told.text(),
    }
    if texts.probes:
        found[f"{home}/probes.py"] = texts.probes
    return found | {f"{home}/{name}": content for name, content in pictures.items()}


def pointed(course: Course, problem: Problem, home: str) -> str:
    """Return a statement whose pictures are looked for in another folder.

    Args:
        course: the course.
        problem: whose statement.
        home: the problem's folder, as seen from where the statement will stand.
    """
    statement = course.problem(problem.slug).statement
    for name in _pictures(course.root / "problems" / problem.slug, statement):
        statement = re.sub(rf"""(?<=[("'<]){re.escape(name)}\b""", f"{home}/{name}", statement)
    return statement


def _pictures(folder: Path, statement: str) -> dict[str, bytes]:
    """Return the pictures that a statement shows: SVG files that lie beside it, and no others."""
    shown = [name for name in _PICTURE.findall(statement) if not name.lower().endswith(".svg")]
    found = {}
    for name in dict.fromkeys((*shown, *_NAMES_SVG.findall(statement))):
        if "://" in name or name.startswith("data:"):
            continue
        path = folder / name
        if not _OWN_FOLDER.fullmatch(name) or not path.is_file():
            raise AuthoringError(
                f"{folder / 'statement.md'} shows {name}; only SVG files that lie beside it are released"
            )
        _demand_own(path)
        found[name] = path.read_bytes()
    return found


def _course_file(listed: Iterable[Due]) -> str:
    lines = ["# What is due when."]
    for one in listed:
        key = one.name if _BARE_KEY.fullmatch(one.name) else json.dumps(one.name, ensure_ascii=False)
        lines += ["", f"[assignments.{key}]", f"problems = {json.dumps(list(one.problems))}"]
        lines += [f"due = {one.due.isoformat()}"] if one.due else []
    return "\n".join(lines) + "\n"


def _readme(handed_out: Sequence[Problem], assignment: Due | None, ending: str) -> str:
    first = handed_out[0].slug
    torch = any("torch" in problem.reference for problem in handed_out)
    due = f"\nDue {assignment.due.isoformat(' ', 'minutes')}.\n" if assignment and assignment.due else ""
    hand_in = f"{assignment.name}.zip" if assignment else "a zip"
    return _README.format(
        title=assignment.name if assignment else "Problems",
        due=due,
        table="\n".join(_rows(handed_out)),
        package="'tensor-grader[torch]'" if torch else "tensor-grader",
        torch=_TORCH if torch else "",
        first=first,
        file=f"student_template/{first}{ending}",
        hand_in=hand_in,
    )


def _rows(handed_out: Iterable[Problem]) -> Iterator[str]:
    yield "| problem | title | points: visible | after hand-in | by hand |"
    yield "|---|---|---:|---:|---:|"
    for problem in handed_out:
        visible = sum(check.points for check in problem.checks if check.visible)
        title = problem.title.replace("|", "\\|")
        yield (
            f"| `{problem.slug}` | {title} | {visible:g} | {problem.points - visible:g} | {problem.manual_points:g} |"
        )


_README = """\
# {title}
{due}
{table}

## Start

You need Python 3.11 or newer. In this folder:

```
python3 -m venv .venv
. .venv/bin/activate          # on Windows: .venv\\Scripts\\activate
pip install {package}
```
{torch}
In a new terminal, later, only the second line is needed.

## Work

```
grade show {first}      # what is asked; also in problems/{first}/statement.md
```

Open `{file}` in your editor. Each function says in its docstring what it takes and
returns, and ends in `raise NotImplementedError`: write your answer in place of that line. Then

```
grade check {first}     # what is wrong, where, and why
grade check {first} --watch   # the same again at each save, until Ctrl-C
grade check             # all problems at once
```

Of each check that is not passed you read what should hold, what was wanted, what your function returned, where the two
differ, and the input. Begin with the first: later ones often follow from it. What is not written yet takes a line and
spoils nothing. Change no names of files or functions. Modules of your own go beside the files in `student_template/`.

The checks here are the visible ones. Others are made after hand-in, on other numbers: the table above says for how many
points.

## Hand in

```
grade submit            # looks everything over and packs {hand_in}; upload that file
```

If your course has an inbox folder: `grade submit --to FOLDER`. Keep the receipt that it prints: it names your files,
the time, and a digest that fits these very files alone.
"""

_TORCH = """
PyTorch is large. On a machine without a GPU its CPU build is a tenth of the size: pick "CPU" on
https://pytorch.org/get-started/locally/ and run the command shown there before the last line.
"""
