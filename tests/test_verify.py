"""The author's proof: sound problems pass it, planted faults do not."""

from __future__ import annotations

import pytest
from courses import tiny_course

from grader import course as courses
from grader import isolation
from grader.errors import AuthoringError
from grader.verify import Conditions, Prover


@pytest.fixture(scope="module")
def launcher():
    started = isolation.launcher(isolation.survey().layers)
    yield started
    started.close()


@pytest.fixture
def course(tmp_path):
    return tiny_course(tmp_path)


def proof_of(course, launcher, seed=11):
    files = courses.find(course).problem("double")
    return Prover(files, launcher, Conditions(seed, 2, launcher.layers)).prove()


def changed(course, name, old, new):
    path = course / "reference" / name if name == "double.py" else course / "problems" / "double" / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def complaints(proof, letter):
    return [sentence for sentence in proof.complaints if sentence.startswith(f"({letter})")]


@pytest.mark.parametrize("seed", [1, 2**62])
def test_a_sound_problem_is_proved(course, launcher, seed):
    """Nothing is complained of, everything is counted, and each check has margins on both sides."""
    proof = proof_of(course, launcher, seed)
    assert proof.complaints == ()
    assert proof.ok
    assert (proof.checks, proof.right, proof.wrong, proof.caught, proof.diagnosed) == (3, 1, 3, 3, 3)
    assert proof.generic > 10
    for margin in proof.margins.values():
        assert margin.right <= 0.5
        assert margin.wrong >= 2


def test_table_has_every_candidate(course, launcher):
    """Reference, stub and variants each have a row with a status for each check."""
    rows = {row.name: row for row in proof_of(course, launcher).table}
    assert set(rows) == {"reference", "by_adding", "stub", "squares", "forgets_signs", "skips_the_first"}
    assert set(rows["stub"].statuses.values()) == {"NOT_ATTEMPTED"}
    assert rows["squares"].statuses["doubles_three_numbers"] == "FAILED"


def test_a_lax_check_is_found(course, launcher):
    """A tolerance that a known mistake slips through is a complaint about that mistake."""
    changed(course, "hidden.py", "reference.double(x))", "reference.double(x), scale=1e7)")
    proof = proof_of(course, launcher)
    assert any("skips_the_first must fail doubles_any_array" in one for one in complaints(proof, "c"))


def test_a_check_that_passes_anything_is_found_without_variants_help(course, launcher):
    """Generic wrong answers come through a check that only looks at the shape."""
    for name in ("visible.py", "hidden.py"):
        path = course / "problems" / "double" / name
        path.write_text(path.read_text(encoding="utf-8").replace("close(", "(lambda got, want: got.shape)("), "utf-8")
    assert any("zeros passes every check" in one for one in complaints(proof_of(course, launcher), "e"))


def test_an_over_strict_check_is_found(course, launcher):
    """A right answer in single precision that a double-precision tolerance rejects is a complaint."""
    changed(course, "hidden.py", "reference.double(x))", 'reference.double(x), accuracy="float64")')
    changed(
        course,
        "variants.py",
        "def by_adding(x):\n    return x + x",
        "def by_adding(x):\n    return np.add(x, x, dtype=np.float32)",
    )
    found = complaints(proof_of(course, launcher), "a")
    assert any("by_adding is right, but doubles_any_array says FAILED" in one for one in found)


def test_a_thin_margin_is_found(course, launcher):
    """A right answer that passes with less than half of the tolerance to spare is a complaint."""
    changed(
        course,
        "variants.py",
        "def by_adding(x):\n    return x + x",
        "def by_adding(x):\n    return (x + x) * (1 + 2.5e-6)",
    )
    found = complaints(proof_of(course, launcher), "a")
    assert any("by_adding uses" in one and "at most 0.5" in one for one in found)


def test_a_near_miss_of_a_wrong_answer_is_found(course, launcher):
    """A mistake that misses by less than twice the tolerance is a complaint."""
    changed(course, "variants.py", "return x**2", "return 2 * x * (1 + 5e-6)")
    found = complaints(proof_of(course, launcher), "c")
    assert any("squares misses doubles_three_numbers by only" in one for one in found)


def test_a_check_that_no_variant_names_is_found(course, launcher):
    """Nothing proves that such a check can fail."""
    changed(course, "variants.py", 'caught_by="doubles_any_array"', 'caught_by="adds_to_itself"')
    assert any("no wrong variant names doubles_any_array" in one for one in complaints(proof_of(course, launcher), "d"))


def test_a_hint_that_fits_another_mistake_is_found(course, launcher):
    """Two mistakes with the same numbers and different hints: neither gets its own."""
    path = course / "problems" / "double" / "variants.py"
    twin = (
        '\n\n@wrong(replaces="double", caught_by="adds_to_itself", hint="Another hint.")\n'
        "def squares_too(x):\n    return x * x\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + twin, encoding="utf-8")
    found = complaints(proof_of(course, launcher), "c")
    assert any("squares does not get its own hint" in one for one in found)
    assert any("squares_too does not get its own hint" in one for one in found)


def test_alike_mistakes_may_share_a_hint(course, launcher):
    """The same two mistakes, declared alike, are proved."""
    path = course / "problems" / "double" / "variants.py"
    twin = (
        '\n\n@wrong(replaces="double", caught_by="adds_to_itself", alike="squares")\n'
        "def squares_too(x):\n    return x * x\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + twin, encoding="utf-8")
    assert proof_of(course, launcher).ok


@pytest.mark.parametrize(
    ("probes", "words"),
    [
        ("def is_right(net):\n    return True\n", "returns a bool"),
        ("def size(net):\n    assert net is not None\n    return 1.0\n", "may not raise or assert"),
        ("from grader import close\n\ndef size(net):\n    return 1.0\n", "imports nothing of ours"),
    ],
)
def test_a_probe_that_judges_is_found(course, launcher, probes, words):
    """A probe measures; returning a verdict, asserting or comparing is the check's work."""
    (course / "problems" / "double" / "probes.py").write_text(probes, encoding="utf-8")
    name = "is_right" if "is_right" in probes else "size"
    changed(
        course,
        "hidden.py",
        "close(student.double(x), reference.double(x))",
        f"close(student.double(x), reference.double(x))\n    student.probe.{name}(1.0)",
    )
    try:
        found = proof_of(course, launcher).complaints
    except AuthoringError as error:  # a probe that imports ours does not even load in the child
        found = (str(error),)
    assert any(words in one for one in found), found


def test_a_reference_that_is_wrong_for_float32_is_found(course, launcher):
    """A reference that loses its digits in single precision does not pass its own checks there."""
    changed(course, "double.py", "return 2 * x", "return (x + 1e6 * x) - (1e6 * x - x)")
    found = complaints(proof_of(course, launcher), "a")
    assert any("reference is right, but" in one and "float32" in one for one in found)


def test_a_stub_that_answers_is_found(course, launcher):
    """A stub that returns something is not NOT_ATTEMPTED."""
    changed(course, "double.py", "# BEGIN SOLUTION", "if len(x) == 0:\n        return x\n    # BEGIN SOLUTION")
    changed(course, "double.py", "if len(x) == 0:", "if len(x) == 3:")
    assert any("the stub is" in one for one in complaints(proof_of(course, launcher), "b"))


def test_unusable_answers_never_break_a_sound_check(course, launcher):
    """A check that does arithmetic on what it is given blames the value, and the proof stands."""
    changed(
        course,
        "hidden.py",
        "close(student.double(x), reference.double(x))",
        "got = student.double(x)\n    close(got - x, x)",
    )
    assert proof_of(course, launcher).ok


def test_an_answer_of_nothing_that_passes_is_found(course, launcher):
    """Checks that let None through are a complaint."""
    for name in ("visible.py", "hidden.py"):
        path = course / "problems" / "double" / name
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace("    close(", "    (lambda got, want: got is None or close(got, want))("), encoding="utf-8"
        )
    assert any("None passes every check" in one for one in complaints(proof_of(course, launcher), "f"))


def test_nothing_can_be_proved_without_the_solution(tmp_path, launcher):
    """The sentence names the file that is missing."""
    with pytest.raises(AuthoringError, match=r"reference/double\.py is missing"):
        proof_of(tiny_course(tmp_path, reference=False), launcher)
