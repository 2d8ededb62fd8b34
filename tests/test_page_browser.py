"""The pages in a real browser: read, sorted, filtered, searched, opened by keyboard; on any screen and without script.

axe-core looks them over where it is there: in the package axe-core-python, or in the file that AXE_CORE names.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import browsing
import class_of_sixty
import pytest

from grader.report import page
from grader.report.page import names

pytest.importorskip("jinja2", reason="Jinja2, which makes the pages, is not installed")
if browsing.chromium() is None:
    pytest.skip("Chromium is not installed", allow_module_level=True)

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
ROWS = "Array.from(document.querySelectorAll('#table > tbody > tr'))"
SEEN = f"{ROWS}.filter(row => row.offsetParent !== null && !row.classList.contains('opened'))"
NAMES = f"{SEEN}.map(row => row.querySelector('a').textContent)"
SCREENS = [(width, dark) for width in (1280, 360) for dark in (False, True)]
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")


def axe():
    """Return the text of axe-core; None where it is not there."""
    named = os.environ.get("AXE_CORE")
    spec = importlib.util.find_spec("axe_core_python")
    path = Path(named) if named else Path(spec.origin).parent / "axe.min.js" if spec else None
    return path.read_text(encoding="utf-8") if path else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("pages")
    for path, content in page.files(class_of_sixty.run(extra=[HOSTILE, "Zoë Ångström", "李小龙"])).items():
        (target / path).parent.mkdir(exist_ok=True)
        (target / path).write_bytes(content)
    return target


@pytest.fixture(scope="module")
def browser():
    with browsing.page() as opened:
        yield opened


@pytest.fixture
def the_class(browser, folder):
    browser.look(width=1280)
    browser.open(folder / "index.html")
    return browser


def choose(browser, select, value):
    browser.ask(
        f"{{ const box = document.getElementById('{select}'); box.value = {json.dumps(value)};"
        "box.dispatchEvent(new Event('change')); }"
    )


def sort(browser, place):
    """Sort by a column with the keyboard; return what it says about its order, and the students."""
    browser.ask(f"document.querySelectorAll('#table thead button')[{place}].focus()")
    browser.enter()
    said = "Array.from(document.querySelectorAll('#table thead th')).map(head => head.getAttribute('aria-sort'))"
    return browser.ask(said), browser.ask(NAMES)


def totals(browser):
    return browser.ask(f"{SEEN}.map(row => Number(row.cells[1].dataset.v))")


def test_it_is_read_without_a_word_of_complaint(the_class, folder):
    assert the_class.log == []
    assert the_class.ask("document.title") == "week1: week1"
    assert len(the_class.ask(NAMES)) == 63
    assert the_class.ask("performance.getEntriesByType('resource').length") == 0
    the_class.open(folder / names.path("Ada Abe"))
    assert the_class.log == []


def test_hostile_names_are_only_read(the_class, folder):
    assert HOSTILE in the_class.ask(NAMES)
    the_class.ask(
        f"{ROWS}.find(row => row.querySelector('a').textContent.startsWith('<img')).querySelector('.open').click()"
    )
    assert the_class.ask("document.images.length") == 0
    the_class.open(folder / names.path(HOSTILE))
    assert the_class.ask("document.querySelector('h1').textContent") == HOSTILE
    assert the_class.ask("document.title").startswith(HOSTILE)
    assert the_class.ask("document.images.length") == 0


def test_a_script_that_is_not_ours_does_not_run(the_class):
    the_class.ask("window.added = document.createElement('script'); added.textContent = 'window.ran = 1';")
    the_class.ask("document.body.append(added); undefined")
    assert the_class.ask("window.ran === undefined")


def test_totals_are_sorted_both_ways_and_open_ones_stay_last(the_class):
    said, _ = sort(the_class, 1)
    found = totals(the_class)
    assert said == [None, "descending", None, None, None, None, None]
    assert found == sorted(found, reverse=True)
    assert found[-2:] == [-1, -1]
    said, _ = sort(the_class, 1)
    found = totals(the_class)
    assert said[1] == "ascending"
    assert found[:-2] == sorted(found[:-2])
    assert found[-2:] == [-1, -1]


def test_names_are_sorted_as_people_sort_them(the_class):
    said, found = sort(the_class, 0)
    assert said[0] == "ascending"
    latin = [name for name in found if name[0].isascii() and name[0].isalpha()]
    assert latin == sorted(latin)
    assert latin[-1] == "Zoë Ångström"
    assert sort(the_class, 0)[1] == found[::-1]


def test_a_problem_is_sorted_by_its_points(the_class):
    sort(the_class, 3)
    found = the_class.ask(f"{SEEN}.map(row => Number(row.cells[3].dataset.v))")
    assert found == sorted(found, reverse=True)
    assert len(set(found)) > 3


def test_names_are_found_without_their_accents(the_class):
    the_class.ask("document.getElementById('search').focus()")
    the_class.type("zoe ang")
    the_class.wait("document.getElementById('shown').textContent === '1 of 63 students'")
    assert the_class.ask(NAMES) == ["Zoë Ångström"]


def test_only_those_with_a_status_are_left_and_a_problem_narrows_it(the_class):
    choose(the_class, "only", "failed")
    anywhere = the_class.ask(NAMES)
    choose(the_class, "problem", "1")
    here = the_class.ask(NAMES)
    assert 0 < len(here) < len(anywhere) < 63
    assert set(here) < set(anywhere)
    assert the_class.ask(f"{SEEN}.every(row => row.cells[3].className === 'failed')")
    the_class.ask(f"{SEEN}[0].querySelector('.open').click()")
    told = the_class.ask("document.querySelector('.opened').textContent")
    assert "matches_finite_differences" in told
    assert "truth_table" not in told
    columns = "Array.from(document.querySelectorAll('#table thead th')).filter(head => head.offsetParent)"
    assert the_class.ask(f"{columns}.map(head => head.textContent)") == [
        "student", "total", "gcn_gradient", "handed in (UTC)"
    ]  # fmt: skip
    the_class.ask("document.querySelector('.controls button').click()")
    the_class.wait("document.getElementById('shown').textContent === '63 of 63 students'")
    assert the_class.ask(f"{columns}.length") == 7


@pytest.mark.parametrize(
    ("flag", "wanted"),
    [
        ("broken", ["Bruno Berg"]),
        ("+unjudged", ["Ada Diaz"]),
        ("+stale", ["Deniz Abe", "Emeka Abe"]),
        ("+absent", ["Ada Costa"]),
    ],
)
def test_what_holds_of_a_student_is_found(the_class, flag, wanted):
    choose(the_class, "only", flag)
    assert the_class.ask(NAMES) == wanted


def test_a_row_opens_by_keyboard_and_names_every_check(the_class):
    row = f"{ROWS}.find(row => row.querySelector('a').textContent === 'Bruno Berg')"
    the_class.ask(f"{row}.querySelector('.open').focus()")
    the_class.enter()
    assert the_class.ask("document.activeElement.getAttribute('aria-expanded')") == "true"
    told = the_class.ask(f"{row}.nextElementSibling.textContent")
    for slug, checks in class_of_sixty.PROBLEMS.items():
        assert slug in told
        assert all(check in told for check in checks)
    assert "? BROKEN Any width is as the statement says." in told
    the_class.enter()
    assert the_class.ask("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert the_class.ask("document.querySelectorAll('.opened').length") == 0


def test_an_open_row_is_closed_before_rows_move(the_class):
    the_class.ask("document.querySelectorAll('.open')[5].click()")
    sort(the_class, 1)
    assert the_class.ask("document.querySelectorAll('.opened').length") == 0
    the_class.ask("document.querySelectorAll('.open')[5].click()")
    choose(the_class, "only", "+absent")
    assert the_class.ask("document.querySelectorAll('.opened').length") == 0


def test_a_student_is_opened(the_class):
    the_class.ask(f"{ROWS}[0].querySelector('a').focus()")
    name = the_class.ask("document.activeElement.textContent")
    the_class.enter()
    the_class.wait("document.readyState === 'complete' && document.querySelector('main.student') !== null")
    assert the_class.ask("document.querySelector('h1').textContent") == name


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_nothing_runs_off_the_side_of_any_screen(browser, folder, width, dark):
    browser.look(width=width, dark=dark)
    for path in ("index.html", names.path("Ada Abe"), names.path(HOSTILE)):
        browser.open(folder / path)
        assert browser.ask("document.documentElement.scrollWidth <= innerWidth"), path
    light = "getComputedStyle(document.documentElement).backgroundColor === 'rgb(255, 255, 255)'"
    assert browser.ask(light) is not dark


def test_without_script_it_reads_the_same(browser, folder):
    browser.look(width=1280)
    browser.open(folder / "index.html", script=False)
    assert len(browser.ask(NAMES)) == 63
    assert browser.ask("document.querySelector('.controls').offsetParent === null")
    assert browser.ask("document.querySelectorAll('#table button').length") == 0


def test_on_paper_the_whole_table_is_there_and_no_control(browser, folder):
    browser.look(width=1000, media="print")
    browser.open(folder / "index.html")
    assert browser.ask("document.querySelector('.controls').offsetParent === null")
    assert browser.ask("(box => box.scrollHeight <= box.clientHeight + 1)(document.querySelector('.tall'))")


@pytest.mark.skipif(axe() is None, reason="axe-core is not installed (pip install axe-core-python, or AXE_CORE=FILE)")
@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_axe_finds_nothing(browser, folder, width, dark):
    browser.look(width=width, dark=dark)
    for path in ("index.html", names.path("Ada Abe"), names.path(HOSTILE)):
        browser.open(folder / path)
        browser.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        browser.ask("document.querySelectorAll('.open').forEach((one, n) => { if (n < 3) one.click(); })")
        browser.ask(axe() + "; undefined")
        found = browser.ask(
            f"axe.run(document, {{ runOnly: {json.dumps(RULES)} }}).then(done => done.violations.map("
            "one => [one.id, one.nodes.map(node => node.html.slice(0, 200) + node.failureSummary).slice(0, 3)]))"
        )
        assert found == [], path
