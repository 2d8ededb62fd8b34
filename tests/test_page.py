"""The pages of a run: nothing that a student may not see, nothing that runs, no network, the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import re
import string
import sys
import unicodedata
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import class_of_sixty
import pytest
from commands import grade, grade_json
from hypothesis import given
from hypothesis import strategies as st

from grader.picture import HIGH, LOW, Picture
from grader.report import page
from grader.report.page import chart, maps, names, notices, tally
from grader.results import Graded, Result
from grader.verdict import CheckResult, Status, Verdict

pytest.importorskip("jinja2", reason="Jinja2, which makes the pages, is not installed")

PACKAGE = Path(page.__file__).parent
STYLES = (PACKAGE / "templates" / "style.css").read_text(encoding="utf-8")
VOID = {"meta", "input", "wbr", "col"}
OURS = """
html head meta title style body main header h1 h2 h3 p a section details summary strong span ul ol li bdi svg rect
text line form label input select option button div table colgroup col thead tbody tr th td b i small dl dt dd script
nav pre wbr figure figcaption path circle polyline
"""
TAGS = set(OURS.split())
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></script><svg onload=alert(1)>",
    "{{ 7 * 191 }}{% for x in y %}",
    "javascript:alert(1)",
    "-->]]><!--",
    "\x1b[31m\x9b2J\x00\x07",
    "turned \u202e around \u2066",
    "two\nlines",
    "half \ud800",
    "../../etc/passwd",
    "zero\u200bwidth\ufeff",
    "tower" + "\u0301" * 50,
    "x" * 300,
)


class Reader(HTMLParser):
    """Reads a page and notices whatever is not balanced."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.wrong, self.attributes = [], Counter(), [], []
        self.ids, self.links, self.pieces, self.kept = [], [], [], {}
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs
        if len(dict(attrs)) != len(attrs):
            self.wrong.append(attrs)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name == "href"]
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in {"style", "script"}:
            self.kept.setdefault(self.open[-1], []).append(data)
        else:
            self.pieces.append(data)

    @property
    def text(self):
        return " ".join("".join(self.pieces).split())


def read(content):
    return Reader(content.decode())


@pytest.fixture(scope="module")
def run():
    return class_of_sixty.run()


@pytest.fixture(scope="module")
def pages(run):
    return page.files(run)


@pytest.fixture(scope="module")
def the_class(pages):
    return read(pages["index.html"])


def with_check(run, place=0, **changes):
    """Return a run in which every check of one student is changed alike."""
    student = run.students[place]
    results = tuple(
        replace(
            result, judged=replace(result.judged, checks=tuple(replace(c, **changes) for c in result.judged.checks))
        )
        for result in student.results
    )
    students = list(run.students)
    students[place] = replace(student, results=results)
    return replace(run, students=tuple(students))


# What a student may see


def test_no_detail_is_on_any_page(run, pages):
    assert all(class_of_sixty.CANARY in c.detail for s in run.students for r in s.results for c in r.judged.checks)
    assert [path for path, content in pages.items() if class_of_sixty.CANARY.encode() in content] == []


def test_a_students_page_holds_nobody_else_and_nothing_of_the_run(run, pages):
    for student in run.students:
        content = pages[names.path(student.student)].decode()
        assert student.student in content
        assert [one.student for one in run.students if one is not student and one.student in content] == []
        for secret in (student.path, student.digest, "grace", "runs/", "index.html", "271828182845", "latest of two"):
            assert secret not in content


def test_a_later_verdict_that_does_not_stand_is_not_on_a_students_page(run):
    student = next(one for one in run.students if any(result.waiting for result in one.results))
    verdict = class_of_sixty.verdict("gcn_gradient", [Status.PASSED] * 5)
    lower = replace(verdict, checks=tuple(replace(check, message="A later finding") for check in verdict.checks))
    result = Result(verdict, waiting=lower, stale=("the problem",))
    made = page.files(replace(run, students=(replace(student, results=(result,)),)))
    text = read(made[names.path(student.student)]).text
    assert "A later finding" not in text
    assert "stale" not in text.casefold()


def test_a_students_page_says_how_each_check_went_and_why(run, pages):
    for student in run.students[:20]:
        text = read(pages[names.path(student.student)]).text
        for result in student.results:
            for check in result.judged.checks:
                assert check.promise in text
                assert " ".join(check.finding.split()) in text
                assert check.hint in text


def test_a_students_page_tells_marks_with_their_reason_and_what_is_pending(pages):
    marked, pending = (read(pages[names.path(name)]).text for name in ("Chiara Abe", "Ada Abe"))
    assert "2.5 points marked by hand, 2026-11-30: The reader's reason" in marked
    assert "0.5 points set by hand in any_width, 2026-11-30: The reader's reason" in marked
    assert "points set by hand" in marked
    assert "3 points more that a person gives: not marked yet." in pending


def test_a_students_page_tells_the_score_lateness_and_what_has_no_score_yet(run, pages):
    late = next(one for one in run.students if one.late.late)
    text = read(pages[names.path(late.student)]).text
    assert f"{late.score:g} of {late.points:g} points" in text
    assert "2 days late: 20 % off" in text
    broken = next(one for one in run.students if any(result.score is None for result in one.results))
    text = read(pages[names.path(broken.student)]).text
    assert f"? of {broken.points:g} points" in text
    assert "could not be judged, through no fault of yours" in text


def test_what_every_check_has_to_say_alike_is_said_once(run):
    long = "SyntaxError in your file. " * 10
    made = with_check(run, 2, status=Status.CRASHED, score=0.0, message=long, promise="It holds.", hint="Close it.")
    student = made.students[2]
    text = read(page.files(made)[names.path(student.student)]).text
    assert text.count(long.strip()) == text.count("Close it.") == len(student.results)
    assert text.count("The same as above.") == sum(len(result.judged.checks) - 1 for result in student.results)


def test_a_students_page_shows_where_visible_checks_miss_and_nothing_of_hidden_ones(run, pages):
    seen = Counter()
    for student in run.students:
        shown = read(pages[names.path(student.student)])
        checks = [check for result in student.results for check in result.verdict.checks if check.picture]
        visible = [maps.words(check.picture) for check in checks if check.visible]
        assert [value for name, value in shown.attributes if name == "aria-label" and "off" in value] == visible
        seen += Counter(check.visible for check in checks)
    assert min(seen[True], seen[False]) > 20


def test_what_passed_takes_one_line_under_what_did_not(pages):
    text = read(pages[names.path("Ada Berg")]).text
    first = text[text.index("3 of 4 points") :]
    assert first.index("No bias is refused") < first.index("3 of 4 checks passed") < first.index("Truth table")


# Hostile text


def hostile_run(run):
    made = class_of_sixty.run(3, extra=HOSTILE)
    for place, text in enumerate(HOSTILE):
        off = replace(class_of_sixty.PICTURES["gcn_gradient"], path=text)
        made = with_check(
            made, place, name=text, promise=text, message=f"{text}\n{text}", hint=text, detail=text, picture=off
        )
        marks = (class_of_sixty.mark(made.students[place].student, "xor", by_hand=True),)
        one = class_of_sixty.marked(made.students[place], *(replace(mark, reason=text, who=text) for mark in marks))
        students = list(made.students)
        students[place] = replace(one, note=text, path=text)
        made = replace(made, students=tuple(students), marks=(*made.marks, *one.results[0].marks))
    conditions = replace(
        run.conditions,
        assignment=HOSTILE[3],
        ignored=tuple((text, text) for text in HOSTILE),
        missing=HOSTILE,
        words=HOSTILE[0],
        versions={HOSTILE[1]: HOSTILE[2]},
    )
    return replace(made, run=HOSTILE[1], conditions=conditions, unproved=HOSTILE)


def test_hostile_text_does_nothing(run):
    for content in page.files(hostile_run(run)).values():
        found = read(content)
        assert not found.wrong
        assert set(found.tags) <= TAGS
        assert found.tags["script"] in {0, 2}
        assert not [name for name, _ in found.attributes if name.startswith("on") or name in {"src", "style"}]
        assert all(re.fullmatch(r"#[a-z0-9-]+|students/[a-z0-9~+_-]+\.html", link) for link in found.links)
        assert "1337" not in found.text


def test_what_cannot_be_seen_is_spelled_out(run):
    for content in page.files(hostile_run(run)).values():
        shown = [content.decode(), *(value for _, value in read(content).attributes if value)]
        for text in shown:
            unseen = {c for c in text if not c.isprintable() and c != "\n"}
            assert not unseen
    text = read(page.files(hostile_run(run))["index.html"]).text
    for spelled in ("\\x1b[31m\\x9b2J\\x00\\x07", "\\u202e around \\u2066", "two\\nlines", "half \\ud800"):
        assert spelled in text


def test_the_data_of_the_script_ends_where_it_should(run):
    content = page.files(hostile_run(run))["index.html"].decode()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)[1]
    assert "<" not in data
    assert "alert(1)" in data


def test_escaping_is_never_lifted_in_a_template():
    for path in (PACKAGE / "templates").glob("*.html"):
        assert not re.search(r"\|\s*safe|autoescape|Markup", path.read_text(encoding="utf-8")), path.name


def test_jinja_is_imported_in_one_place():
    root = PACKAGE.parent.parent
    users = [
        path.name for path in root.rglob("*.py") if re.search(r"import jinja2|from jinja2", path.read_text("utf-8"))
    ]
    assert users == ["render.py"]


# Names of files


@given(st.lists(st.text(max_size=60), unique=True, max_size=12))
def test_no_two_students_share_a_file_on_any_system(students):
    stems = [names.stem(student) for student in students]
    assert len({unicodedata.normalize("NFC", stem).casefold() for stem in stems}) == len(students)
    for stem in stems:
        assert set(stem) <= set(string.ascii_lowercase + string.digits + "-_+~")
        assert 0 < len(stem) <= names.LONGEST
        assert stem not in names.RESERVED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada", "Ada"), ("con", "CON"), ("con", "~63on"), ("a+b", "aB"), ("é", "e\u0301"), ("", "~"), ("a b", "a_b"),
        ("x" * 300, "x" * 301), ("\ud800", "\ud801"), ("é" * 60 + "a", "é" * 60 + "b"), ("ada.", "ada"),
    ],
)  # fmt: skip
def test_names_that_are_nearly_alike_stay_apart(one, other):
    assert names.path(one) != names.path(other)


def test_a_name_that_a_system_keeps_for_itself_names_no_file():
    stems = {names.stem(student) for student in names.RESERVED}
    assert not stems & names.RESERVED
    assert len(stems) == len(names.RESERVED)


def test_nothing_leaves_the_folder():
    for student in HOSTILE:
        assert re.fullmatch(r"students/[^/\\]+\.html", names.path(student))


# The pages as documents


def test_every_page_is_balanced_and_its_ids_are_its_own(pages):
    for content in pages.values():
        found = read(content)
        assert not found.wrong
        assert len(set(found.ids)) == len(found.ids)
        pointed = {value for name, value in found.attributes if name in {"aria-labelledby", "for", "aria-describedby"}}
        assert pointed <= set(found.ids)


def test_every_link_leads_somewhere(pages):
    for path, content in pages.items():
        found = read(content)
        for link in found.links:
            assert link[1:] in found.ids if link.startswith("#") else link in pages, (path, link)


def test_every_student_has_a_page_and_a_link_to_it(run, pages, the_class):
    wanted = {names.path(student.student) for student in run.students}
    assert set(pages) == {"index.html", *wanted}
    assert wanted <= set(the_class.links)


def test_a_page_needs_nothing_from_anywhere(pages):
    for content in pages.values():
        assert not re.search(rb"https?:|url\(|@import|//[a-z]+\.", content)


def test_a_page_lets_run_what_is_ours_and_nothing_else(pages):
    for content in (pages["index.html"], pages[names.path("Ada Abe")]):
        found = read(content)
        policy = next(value for _, value in found.attributes if value.startswith("default-src"))
        ours = {"style": found.kept["style"], "script": found.kept.get("script", [])[1:]}
        for kind, texts in ours.items():
            digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
            wanted = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
            assert f"{kind}-src {wanted};" in policy
        assert policy.startswith("default-src 'none';")


def test_the_same_run_makes_the_same_bytes(run, pages):
    assert page.files(class_of_sixty.run()) == pages
    assert page.files(run) == pages


def test_an_empty_run_has_a_page():
    empty = replace(class_of_sixty.run(), students=(), marks=(), moved=())
    assert set(page.files(empty)) == {"index.html"}
    nothing = replace(empty, students=(Graded.of("ada", "", "", ()),))
    text = read(page.files(nothing)[names.path("ada")]).text
    assert "Nothing has been judged yet." in text


def test_a_row_of_the_class_stays_light(pages):
    rest = len(page.files(class_of_sixty.run(30))["index.html"])
    assert (len(pages["index.html"]) - rest) / 30 < 1200  # bytes a student, of four problems


# What the class page tells


def test_every_status_is_told_in_words_beside_its_colour(run, the_class):
    seen = {check.status for one in run.students for result in one.results for check in result.judged.checks}
    assert seen == set(Status)
    kinds = {value for name, value in the_class.attributes if name == "class" and value}
    for status in Status:
        assert any(status.value.lower().replace("_", "-") in kind.split() for kind in kinds)
    for row in re.findall(r"<td class=.*?</td>", page.files(run)["index.html"].decode()):
        assert re.search(r"</b> (passed|failed|untried|crashed|timed out|memory|output|unusable|BROKEN|skipped)", row)


def test_whatever_needs_attention_is_told_with_whose_it_is(run, the_class):
    told = {notice.title: notice for notice in notices.notices(run)}
    assert set(told) == {
        "BROKEN", "Not judged yet", "Stale", "Kept", "Moved", "Not marked yet", "Marked and overridden", "Late",
        "Absent", "Notes on deliveries", "Ignored", "Used without a proof",
    }  # fmt: skip
    assert told["BROKEN"].cases == (("Bruno Berg", "xor: any_width"),)
    assert told["Stale"].cases[0][1].endswith("the problem changed")
    assert told["Ignored"].cases[0] == ("", "class/.DS_Store: a file of the system")
    assert told["Not marked yet"].number == 57
    for notice in told.values():
        assert f"{notice.title} {notice.number}" in the_class.text
        for student, what in notice.cases:
            assert f"{student}: {what}" in the_class.text if student and what else (student or what) in the_class.text


def test_a_run_that_was_stopped_says_so(run):
    text = read(page.files(replace(run, finished=False))["index.html"]).text
    assert "The last grading was stopped before its end." in text


def test_the_tier_and_every_protection_that_is_missing_are_told(run, the_class):
    assert f"tier 2: {run.conditions.words}" in the_class.text
    assert all(missing in the_class.text for missing in run.conditions.missing)
    whole = read(page.files(replace(run, conditions=replace(run.conditions, missing=())))["index.html"])
    assert "No protection is missing." in whole.text


def test_totals_are_what_the_run_says(run, the_class):
    for student in run.students:
        score = "?" if student.score is None else f"{round(student.score, 2):g}"
        assert re.search(rf"{re.escape(student.student)}.*?{re.escape(f'{score}/{student.points:g}')}", the_class.text)


def test_an_overridden_score_says_so(the_class):
    row = re.search(r"Chiara Abe\d.*?2026-11", the_class.text)[0]
    assert "overridden" in row
    assert "unmarked" not in row


def test_what_is_to_be_marked_says_so_in_its_cell(run, the_class):
    table = the_class.text[the_class.text.index("handed in (UTC)") : the_class.text.index("mean of what is judged")]
    pending = [
        result
        for student in run.students
        for result in student.results
        if result.judged.manual_points and result.by_hand is None
    ]
    assert table.count("unmarked") == len(pending) > 50


# Pictures


def test_the_class_page_shows_who_is_off_alike_the_most_first(run, the_class):
    alike = tally.alike(run.students)
    numbers = [len(one.students) for one in alike]
    assert numbers == sorted(numbers, reverse=True)
    section = the_class.text[the_class.text.index("Where answers are off") : the_class.text.index("How it was graded")]
    for one in alike[: page.classroom.PICTURES]:
        assert f"{len(one.students)} {one.check.promise} {one.problem}::{one.check.name}" in section
        assert maps.words(one.picture) in section
        assert all(name in section for name in one.students)
    assert f"{len(alike) - page.classroom.PICTURES} more are less common" in section
    assert section.count("No known mistake fits.") == sum(not one.hints for one in alike[: page.classroom.PICTURES])


def test_who_misses_in_another_place_or_check_is_not_alike():
    def student(name, cells, check="c", got=()):
        picture = Picture("", (4,), off=2, rows=1, columns=4, cells=cells, got=got)
        return made_student(name, replace(made_check(Status.FAILED, name=check), picture=picture))

    students = [
        student("ada", "A..b", got=(1.0,)), student("bob", "A..b", got=(1.5,)), student("cy", ".A.b"),
        student("di", "A..b", check="d"), student("eve", "A..B"), made_student("flo", made_check(Status.PASSED)),
    ]  # fmt: skip
    assert [one.students for one in tally.alike(students)] == [("ada", "bob"), ("cy",), ("di",), ("eve",)]


def test_few_pictures_are_of_one_check():
    def student(name, cells):
        picture = Picture("", (4,), off=2, rows=1, columns=4, cells=cells)
        return made_student(name, replace(made_check(Status.FAILED), picture=picture))

    students = [student(cells, cells) for cells in ("A..b", "A.b.", "Ab..", ".A.b")]
    assert len(page.classroom.page(replace(class_of_sixty.run(2), students=tuple(students))).alike) == 3


@pytest.mark.parametrize(
    ("cells", "shape", "wanted"),
    [
        ("AA..", (2, 2), "2 of 4 values are off, all of row 0 and no other; all are too high. Counted from 0."),
        (".a.a", (2, 2), "2 of 4 values are off, all of column 1 and no other; all are too low. Counted from 0."),
        ("A..b", (2, 2), "2 of 4 values are off, all of the diagonal and no other; 1 is too high, 1 is too low."),
        (".bx.", (2, 2), "2 of 4 values are off, all but the diagonal; 1 is too low."),
        ("..D.", (2, 2), "1 of 4 values is off; it is too high."),
        ("DDDD", (2, 2), "All 4 values are off; all are too high."),
        ("xxxx", (4,), "All 4 values are off."),
        ("..A.", (4,), "1 of 4 values is off, at place 2; it is too high. Counted from 0."),
        ("dd..dd", (3, 2), "4 of 6 values are off, all of rows 0 and 2 and no other; all are too low."),
        ("AAAAA.", (6,), "5 of 6 values are off; all are too high."),
    ],
)
def test_a_picture_says_the_same_in_words(cells, shape, wanted):
    rows, columns = shape if len(shape) == 2 else (1, *shape)
    off = len(cells) - cells.count(".")
    assert maps.words(Picture("", shape, off, rows, columns, cells)).startswith(wanted)


def test_what_a_picture_leaves_out_is_said():
    words = maps.words(class_of_sixty.PICTURES["vae_shapes"])
    assert words.startswith("At ['mean']: 32 of 96 values are off.")
    assert "Shown is [1, 0, :, :] of shape (2, 3, 4, 4), where the worst is." in words
    pooled = replace(class_of_sixty.PICTURES["xor"], shape=(4, 9), block=(2, 3))
    assert maps.words(pooled) == "3 of 36 values are off. Each cell is the worst of 2 by 3 values."


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_every_cell_is_drawn_once_in_its_place(rows, columns, data):
    cells = data.draw(st.text(f".x{HIGH}{LOW}", min_size=rows * columns, max_size=rows * columns))
    drawn = maps.drawn(Picture("", (rows, columns), rows * columns - cells.count("."), rows, columns, cells))
    painted = Counter()
    for kind in drawn.kinds:
        for x, y, wide, side in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\3z", kind.path):
            painted.update((int(x) + step, int(y), kind.name) for step in range(0, int(wide), int(side)))
    wanted = {
        (16 * (place % columns), 16 * (place // columns), maps._kind(letter)) for place, letter in enumerate(cells)
    }
    assert painted == dict.fromkeys(wanted, 1)


def test_a_graph_has_each_node_in_the_colour_of_its_worst_value():
    drawn = maps.drawn(class_of_sixty.PICTURES["gcn_gradient"])
    assert [(node.text, node.name) for node in drawn.nodes] == [
        ("0", "fits"), ("1", "high s4"), ("2", "low s3"), ("3", "fits")
    ]  # fmt: skip
    middles = [(node.x, node.y) for node in drawn.nodes]
    assert [((a, b), (c, d)) for a, b, c, d in drawn.edges] == [
        (middles[one], middles[other]) for one, other in class_of_sixty.PICTURES["gcn_gradient"].edges
    ]


@pytest.mark.parametrize(
    ("values", "scale"), [((1.0, 2.0, 3.0), ""), ((1e-9, 1.0, 1e6), " (logarithms)"), ((-1.0, 1e6, 0.0), "")]
)
def test_two_lines_lie_inside_their_box_whatever_the_numbers(values, scale):
    curve = maps._curve(values, (*values[::-1], None))
    assert curve.high == f"{max(values):g}{scale}"
    for points in (curve.got, curve.wanted):
        for point in points.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= maps.LONG
            assert 0 <= y <= maps.TALL
    assert len(curve.wanted.split()) == 3


def test_equal_or_missing_numbers_are_drawn_all_the_same():
    assert maps._curve((), ()) is None
    assert maps._curve((None, None), (None, None)) is None
    assert {point.split(",")[1] for point in maps._curve((2.0, 2.0), (2.0, None)).got.split()} == {"55.0"}


# Counting


def made_check(status, share=None, hint="", name="c"):
    score = {Status.PASSED: 1.0, Status.BROKEN: None}.get(status, 0.0)
    return CheckResult(name, True, "It holds.", status, score, 1.0, "It holds.", hint=hint, share=share)


def made_student(name, *checks, slug="p", seconds=None):
    verdict = Verdict.of(slug, checks, manual_points=0, tier=2, device="cpu", dtype="float64", seconds=seconds)
    return Graded.of(name, "", "", [verdict])


def test_a_check_is_missed_by_whoever_does_not_pass_it_and_broken_counts_for_nobody():
    statuses = [Status.PASSED, Status.FAILED, Status.CRASHED, Status.BROKEN]
    (check,) = tally.checks([made_student(str(n), made_check(status)) for n, status in enumerate(statuses)])
    assert (check.judged, check.misses, check.share_missed) == (3, 2, 2 / 3)
    assert check.words == "1 BROKEN, 1 crashed, 1 failed"


@pytest.mark.parametrize(
    ("shares", "used", "missed", "close"),
    [
        ([(Status.PASSED, 0.1), (Status.PASSED, 0.4), (Status.FAILED, 9.0)], 0.4, 9.0, False),
        ([(Status.PASSED, 0.6)], 0.6, None, True),
        ([(Status.FAILED, 1.5), (Status.FAILED, float("inf"))], None, 1.5, True),
        ([(Status.FAILED, float("inf"))], None, float("inf"), False),
        ([(Status.FAILED, 0.2), (Status.CRASHED, 0.9), (Status.PASSED, None)], None, None, False),
    ],
)
def test_margins_are_the_worst_pass_and_the_nearest_fail(shares, used, missed, close):
    (check,) = tally.checks([made_student(str(n), made_check(*one)) for n, one in enumerate(shares)])
    assert (check.used, check.missed, check.close_call) == (used, missed, close)


def test_the_time_of_a_problem_is_what_answers_take_and_who_takes_longest():
    """Whoever had no process of their own counts for nothing."""
    times = {"ada": 0.25, "ben": None, "cy": 1.75}
    students = [made_student(name, made_check(Status.PASSED), seconds=seconds) for name, seconds in times.items()]
    (problem,) = tally.problems(students)
    assert problem.time_words == "median 1.00 s, longest 1.75 s (cy)"
    (nobody,) = tally.problems(students[1:2])
    assert nobody.time_words == "not measured"


def test_the_class_page_tells_times(run):
    timed = replace(
        run,
        students=tuple(
            replace(one, results=tuple(replace(each, judged=replace(each.judged, seconds=0.5)) for each in one.results))
            for one in run.students
        ),
    )
    assert "median 0.50 s, longest 0.50 s" in read(page.files(timed)["index.html"]).text


def test_a_student_makes_a_mistake_once_however_many_checks_show_it():
    hinted = [made_check(Status.FAILED, hint="divides by n", name=name) for name in "abc"]
    students = [made_student("ada", *hinted), made_student("bob", *hinted[:1]), made_student("cy", hinted[0], slug="q")]
    first, second = tally.mistakes(students)
    assert (first.problem, first.students) == ("p", ("ada", "bob"))
    assert (second.problem, second.students) == ("q", ("cy",))


@pytest.mark.parametrize(("score", "tenth"), [(0, 0), (0.99, 0), (1, 1), (2.9999999999, 3), (9.99, 9), (10, 9)])
def test_scores_are_counted_by_tenths(score, tenth):
    check = replace(made_check(Status.FAILED), score=float(score), points=10.0)
    found = tally.scores([made_student("ada", check), made_student("bob", made_check(Status.BROKEN))])
    assert found.bins.index(1) == tenth
    assert (sum(found.bins), found.left_out, found.mean) == (1, 1, score / 10)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=10))
def test_bars_stay_inside_their_box(numbers):
    for drawn in (chart.bars(numbers), chart.stacked([chart.Part("x", number) for number in numbers])):
        for bar in drawn.bars:
            assert 0 <= bar.x <= bar.x + bar.width <= drawn.width + 0.02
            assert 0 <= bar.y <= bar.y + bar.height <= drawn.height


# Contrast


def brightness(colour):
    def linear(value):
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted([brightness(one), brightness(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(scheme):
    blocks = re.findall(r":root \{(.*?)\n *\}", STYLES, re.DOTALL)
    assert len(blocks) == 2
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", blocks[scheme]))
    pairs = [(ink, ink.replace("-ink", "-fill")) for ink in colours if ink.endswith("-ink")]
    assert len(pairs) == 7
    pairs += [(text, behind) for text in ("ink", "quiet", "link") for behind in ("paper", "head")]
    low = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}
    pairs = [("ink", behind) for behind in ("high", "low", "limit-fill")]  # what signs in pictures are written on
    assert {pair: ratio for pair in pairs if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 4.5} == {}
    shapes = [name for name in colours if name.endswith("bar")]
    assert [name for name in shapes if contrast(colours[name], colours["paper"]) < 2] == []


def test_every_colour_of_the_light_scheme_has_its_dark_one():
    light, dark = (
        set(re.findall(r"--[a-z-]+(?=:)", block)) for block in re.findall(r":root \{(.*?)\n *\}", STYLES, re.DOTALL)
    )
    assert light == dark


# The command


@pytest.fixture
def kept(tmp_path):
    class_of_sixty.keep(tmp_path / "run", class_of_sixty.run(6))
    return tmp_path / "run"


def test_without_a_folder_the_class_is_a_table(kept):
    out = grade("report", kept).words
    assert "Ada Abe" in out
    assert "6 students graded." in out


def test_the_same_as_data(kept):
    assert len(grade_json("report", kept)["students"]) == 6


def test_pages_are_written_where_they_are_wanted(kept, tmp_path):
    said = grade("report", kept, "-o", tmp_path / "pages")
    assert "6 students" in said.words
    written = {path.name for path in (tmp_path / "pages" / "students").iterdir()}
    assert written == {f"{names.stem(name)}.html" for name in class_of_sixty.names(6)}
    assert "Ada Abe" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")


def test_a_later_report_takes_the_place_of_an_earlier_one(kept, tmp_path):
    target = tmp_path / "pages"
    grade("report", kept, "-o", target)
    grade("mark", kept, "Ada Abe", "vae_shapes", "1.25", "--reason", "seen anew")
    grade("report", kept, "-o", target)
    assert "seen anew" in (target / names.path("Ada Abe")).read_text(encoding="utf-8")
    class_of_sixty.keep(tmp_path / "other", class_of_sixty.run(2))
    grade("report", tmp_path / "other", "-o", target)
    assert len(list((target / "students").iterdir())) == 2


def test_a_folder_of_something_else_is_left_alone(kept, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    grade("report", kept, "-o", tmp_path / "thesis", code=2)
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]


def test_what_cannot_be_is_refused(kept, tmp_path):
    assert "either -o DIR or --json" in grade("report", kept, "-o", tmp_path / "x", "--json", code=2).err
    assert "Error:" in grade("report", tmp_path / "nothing", code=2).err


def test_without_jinja_one_sentence_says_what_to_install(kept, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = grade("report", kept, "-o", tmp_path / "pages", code=2).err
    assert "python -m pip install 'tensor-grader[report]'" in said
    assert not (tmp_path / "pages").exists()
    grade("report", kept)
