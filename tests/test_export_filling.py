"""Gradebooks of Canvas and worksheets of Moodle: one column is filled, every other byte stays, nobody is guessed."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest
from exporting import a_check, a_run, a_student, absent, broken, by_hand, exported, pending, scored
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.export import filling
from grader.verdict import Status

GRADEBOOK = (
    '\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,"HW 1, part ""a"" (4711)",HW 2 (4712),Current Score\r\n'
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,10.00,5,(read only)\r\n"
    '"Lovelace, Ada",101,S-1,ada,"A and ""B""", ,4.50,90.00\r\n'
    '"Ho\npper, Grace",102,S-2,grace@uni.example,A,7.00,"3.10",=1+1\r\n'
    "Noether,103,S-3,emmy,A,EX,,\r\n"
    "Curie,104,S-4,marie,A,,,\r\n"
    "Student; Ξ,105,S-5,xi,A,,,12345678901234567890\r\n"
    '"Student, Test",106,,xx99,A,,,\r\n'
).encode()
WORKSHEET = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 77,Ada Lovelace,0012,ada@uni.example,Submitted,,10.00,Yes,"Monday, 30 November 2026, 8:00 AM",-,\n'
    'Participant 78,Grace Hopper,0013,grace@uni.example,Submitted,4.00,10.00,Yes,-,-,"old, and ""quoted"""\n'
    "Participant 79,Emmy Noether,0014,emmy@uni.example,Submitted,,10.00,No,-,-,\n"
    "Participant 80,Marie Curie,0015,marie@uni.example,No submission,,10.00,Yes,-,-\n"
)


def put(tmp_path, content, name="book.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parsed(content, separator=","):
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator, strict=True))


def canvas(tmp_path, *students, column='HW 1, part "a"', book=GRADEBOOK, **wishes):
    return exported(a_run(*students), "canvas", roster=put(tmp_path, book), column=column, **wishes)


def moodle(tmp_path, *students, book=WORKSHEET, **wishes):
    return exported(a_run(*students), "moodle", roster=put(tmp_path, book), **wishes)


def column(content, title):
    head, *rows = parsed(content)
    return [row[head.index(title)] for row in rows]


def test_one_column_is_filled_and_every_other_byte_stays(tmp_path):
    made = canvas(tmp_path, scored("ada", 8.25), scored("GRACE@uni.example", 1 / 3), scored("xi", 10.0))
    wanted = GRADEBOOK.replace(b'""B""", ,4.50', b'""B""",8.25,4.50').replace(b"A,7.00,", b"A,0.33333,")
    assert made.content == wanted.replace(b"S-5,xi,A,,", b"S-5,xi,A,10,")
    before, after = parsed(GRADEBOOK), parsed(made.content)
    assert [row[:5] + row[6:] for row in after] == [row[:5] + row[6:] for row in before]


@pytest.mark.parametrize("name", ["101", "S-1", "s-1", "ada", "lovelaceada_101", "ada@uni.example"])
def test_students_are_found_by_id_sis_id_login_and_the_number_of_a_download(tmp_path, name):
    assert column(canvas(tmp_path, scored(name, 8.0)).content, 'HW 1, part "a" (4711)')[2] == "8"


@pytest.mark.parametrize("name", ["Lovelace, Ada", "Ada Lovelace", "lovelaceada", "Curie"])
def test_nobody_is_found_by_a_name_alone(tmp_path, name):
    with pytest.raises(
        UsageError, match=r"nobody in the run is in .*names alone are not compared, so grade with --ros"
    ):
        canvas(tmp_path, scored(name, 8.0))


def test_no_score_is_an_empty_cell_and_is_told(tmp_path):
    made = canvas(tmp_path, absent("ada"), broken("grace@uni.example"), pending("marie"), scored("xi", 0.0))
    assert column(made.content, 'HW 1, part "a" (4711)')[2:] == ["", "", "EX", "", "0", ""]
    assert [note for note in made.notes if note.startswith("No score")] == [
        "No score (BROKEN: it could not be judged, through no fault of the student): grace@uni.example.",
        "No score (a part marked by hand is pending): marie.",
        "No score (nothing was handed in): ada.",
    ]
    assert "Emptied, and Canvas will take away the mark that is there: grace@uni.example (7.00)." in made.notes


def test_who_is_excused_stays_excused(tmp_path):
    made = canvas(tmp_path, scored("emmy", 9.0), scored("ada", 8.0))
    assert column(made.content, 'HW 1, part "a" (4711)')[4] == "EX"
    assert "Left as they are in book.csv, excused or not assigned: emmy (EX)." in made.notes


def test_the_unmatched_are_listed_on_both_sides(tmp_path):
    made = canvas(tmp_path, scored("ada", 8.0), scored("zoe\x1b[2J", 1.0), scored("yan", 2.0))
    assert "In the run and not in book.csv (2): zoe\\x1b[2J, yan." in made.notes
    left = next(note for note in made.notes if note.startswith("In book.csv and not filled (4): "))
    assert "line 5, Ho\\npper, Grace; line 7, Noether; line 8, Curie; line 9, Student; Ξ." in left
    assert column(made.content, 'HW 1, part "a" (4711)')[3] == "7.00"  # who is not in the run is left alone


def test_one_row_is_never_given_to_one_of_two(tmp_path):
    made = canvas(tmp_path, scored("ada", 8.0), scored("lovelaceada_101", 2.0), scored("xi", 3.0))
    assert column(made.content, 'HW 1, part "a" (4711)')[2] == " "  # as it was
    (note,) = [note for note in made.notes if note.startswith("Not filled")]
    assert '"ada" is one of 2 who fit line 4; "lovelaceada_101" is one of 2 who fit line 4' in note


def test_who_fits_two_rows_is_not_guessed(tmp_path):
    book = "Student,ID,SIS Login ID,Section,HW (1)\nA,1,sam@a.example,x,\nB,2,sam@b.example,x,\nC,3,cy,x,\n"
    made = canvas(tmp_path, scored("sam", 8.0), scored("cy", 2.0), book=book, column="HW")
    assert column(made.content, "HW (1)") == ["", "", "2"]
    assert 'Not filled, since nobody should guess: "sam" fits lines 2 and 3.' in made.notes


def test_a_number_of_one_system_is_not_taken_for_anothers(tmp_path):
    book = "Student,ID,SIS User ID,Section,HW (1)\nA,11,21,x,\nB,12,22,x,\nC,13,11,x,\n"
    made = canvas(tmp_path, scored("21", 1.0), scored("22", 2.0), scored("11", 3.0), book=book, column="HW")
    assert column(made.content, "HW (1)") == ["1", "2", "3"]
    made = canvas(tmp_path, scored("21", 1.0), scored("22", 2.0), scored("13", 3.0), book=book, column="HW")
    assert column(made.content, "HW (1)") == ["1", "2", ""]  # 13 is no SIS id, and somebody's in Canvas


def test_logins_that_look_like_downloads_are_logins(tmp_path):
    book = "Student,ID,SIS Login ID,Section,HW (1)\nA,1,ann_7,x,\nB,7,bob_1,x,\nC,9,cy_3,x,\n"
    made = canvas(tmp_path, scored("cy_3", 1.0), scored("bob_8", 2.0), scored("dan_7", 3.0), book=book, column="HW")
    assert column(made.content, "HW (1)") == ["", "", "1"]  # dan_7 is not who has the number 7
    made = canvas(tmp_path, scored("ann_7", 1.0), scored("cy_3", 2.0), book=book, column="HW")
    assert column(made.content, "HW (1)") == ["", "", "2"]
    assert any('"ann_7" fits lines 2 and 3' in note for note in made.notes)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("HW 3", r"book.csv has no column 'HW 3'; did you mean \"HW 2 \(4712\)\"\?"),
        ("HW", r"book.csv has no column 'HW'; did you mean"),
        ("", r"name the column to fill with --column; .*book.csv has .*\"HW 2 \(4712\)\"$"),
        ("Section", r"\"Section\" in .*book.csv cannot be filled: it says who students are, or Canvas computes it"),
        ("ID", r"\"ID\" in .* cannot be filled"),
        ("current score", r"\"Current Score\" in .* cannot be filled"),
    ],
)
def test_a_column_that_cannot_be_filled_is_one_sentence(tmp_path, name, sentence):
    with pytest.raises(UsageError, match=sentence) as caught:
        canvas(tmp_path, scored("ada", 8.0), column=name)
    assert "\n" not in str(caught.value)


def test_a_title_that_fits_twice_is_asked_for_whole(tmp_path):
    book = "Student,ID,Section,HW (1),hw (2)\nA,1,x,,\n"
    with pytest.raises(UsageError, match=r'2 columns that may be \'Hw\': "HW \(1\)" and "hw \(2\)"; give one whole'):
        canvas(tmp_path, scored("1", 8.0), book=book, column="Hw")
    assert column(canvas(tmp_path, scored("1", 8.0), book=book, column="hw (2)").content, "hw (2)") == ["8"]


def test_other_points_than_the_runs_are_told(tmp_path):
    assert '"HW 2 (4712)" has 5 points possible, and the run 10; marks are not scaled.' in (
        canvas(tmp_path, scored("ada", 8.0), column="hw 2").notes
    )
    assert not any("scaled" in note for note in canvas(tmp_path, scored("ada", 8.0)).notes)


@pytest.mark.parametrize(
    "book", ["", "Student,ID\n", "Name,ID,HW\nA,1,\n", "Student,HW\nA,\n", b"Student,ID\n\xff,1\n"]
)
def test_what_is_no_gradebook_is_refused(tmp_path, book):
    with pytest.raises(UsageError, match=r"book\.csv"):
        canvas(tmp_path, scored("1", 8.0), book=book, column="HW")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_encodings_ends_and_separators_stay(tmp_path, encoding, end, separator):
    lines = ["Student|ID|Section|HW (1)", "Ξ|1|x|", '"B|"|2|x|3']  # the last line ends with the file
    book, wanted = (
        end.join(text).replace("|", separator).encode(encoding)
        for text in (lines, [lines[0], "Ξ|1|x|8", '"B|"|2|x|9.5'])
    )
    assert canvas(tmp_path, scored("1", 8.0), scored("2", 9.5), book=book, column="HW").content == wanted


def test_a_row_that_ends_early_is_made_longer(tmp_path):
    made = canvas(
        tmp_path, scored("1", 8.0), book="Student,ID,Section,HW (1),Other\nA,1\nB,2,x,,\n", column="HW", everybody=False
    )
    assert made.content == b"Student,ID,Section,HW (1),Other\nA,1,,8\nB,2,x,,\n"


@given(st.text(st.sampled_from('a"",;\n\r ='), max_size=40))
def test_a_file_is_read_as_others_read_it(tmp_path_factory, text):
    """Whatever Python's own reader takes has the same cells here, and comes back byte for byte."""
    content = f"t,u\nx,y\n{text}"
    path = put(tmp_path_factory.mktemp("any"), content)
    try:
        wanted = [row for row in parsed(content.encode()) if any(cell.strip() for cell in row)]
    except csv.Error:
        with pytest.raises(UsageError, match="a quote is not closed, or something follows it"):
            filling.load(path)
        return
    sheet = filling.load(path)
    assert [[cell.value for cell in row.cells] for row in sheet.rows] == wanted
    assert sheet.filled({}) == content.encode()
    changed = parsed(sheet.filled({(1, 1): "new"}))
    assert [row for row in changed if any(cell.strip() for cell in row)] == [wanted[0], ["x", "new"], *wanted[2:]]


def test_moodles_worksheet_keeps_its_columns(tmp_path):
    failed = a_check(status=Status.FAILED, points=10.0, score=4.5, hint="Is two < three?", message="P.\n=cmd()")
    made = moodle(tmp_path, a_student("Ada Lovelace_77", failed), scored("grace@uni.example", 10.0))
    before, after = parsed(WORKSHEET.encode()), parsed(made.content)
    assert [row[:5] + row[6:10] for row in after] == [row[:5] + row[6:10] for row in before]
    assert column(made.content, "Grade") == ["4.5", "10", "", ""]
    assert after[1][10] == "xor: 4.5 of 10 points<br>  * P.<br>    =cmd()<br>    Hint: Is two &lt; three?"
    untouched = WORKSHEET.splitlines(keepends=True)[3:]
    assert made.content.decode().endswith("".join(untouched))


@pytest.mark.parametrize("name", ["Participant 77", "Ada_77", "0012", "ADA@uni.example", "ada"])
def test_moodles_students_are_found_by_participant_number_id_and_address(tmp_path, name):
    assert column(moodle(tmp_path, scored(name, 3.0)).content, "Grade")[0] == "3"


def test_what_moodle_would_pass_over_is_told(tmp_path):
    locked, most = scored("emmy", 1.0), scored("ada", 12.0)
    made = moodle(tmp_path, locked, most)
    assert column(made.content, "Grade")[2] == ""
    assert "Left as they are, since Moodle says that the grade cannot be changed: emmy." in made.notes
    assert "Above the Maximum Grade, so that Moodle will pass over them without a word: lines 2." in made.notes


def test_without_a_grade_there_is_no_feedback(tmp_path):
    made = moodle(tmp_path, pending("grace"), broken("ada"), absent("marie"))
    assert column(made.content, "Grade") == ["", "", "", ""]
    assert parsed(made.content)[2][10] == 'old, and "quoted"'


def test_moodles_gradebook_has_grade_and_feedback_side_by_side(tmp_path):
    book = "First name,Surname,ID number,Email address,A: w1 (Real),A: w1 (Feedback),A: w2 (Real),A: w2 (Feedback)\n"
    made = moodle(tmp_path, scored("5", 8.0), book=book + "A,B,5,a@b.example,-,,1,keep\n", column="a: w1 (real)")
    row = parsed(made.content)[1]
    assert row[4] == "8"
    assert row[5].startswith("xor: 8 of 10 points")
    assert row[6:] == ["1", "keep"]
    with pytest.raises(UsageError, match=r"has no column Grade; name the one to fill with --column"):
        moodle(tmp_path, scored("5", 8.0), book=book + "A,B,5,a@b.example,-,,1,keep\n")


@pytest.mark.parametrize(
    ("names", "title", "written"),
    [
        (["ada", "bob"], "Username", ["ada", "bob"]),
        (["a@b.example", "c@d.example"], "Email address", ["a@b.example", "c@d.example"]),
        (["11", "007"], "ID number", ["11", "007"]),
        (["Ada Lovelace_77", "Bob_78"], "Identifier", ["Participant 77", "Participant 78"]),
        (["=HYPERLINK(1)", "@x"], "Username", ["'=HYPERLINK(1)", "'@x"]),
    ],
)
def test_moodles_import_names_students_as_moodle_does(names, title, written):
    made = exported(a_run(*(scored(name, 8.0) for name in names)), "moodle")
    head, *rows = parsed(made.content)
    assert head == [title, "Grade", "Feedback comments"]
    assert [row[:2] for row in rows] == [[name, "8"] for name in written]


class Tags(HTMLParser):
    """Collects tags and text as a browser sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not attrs

    def handle_data(self, data):
        self.text += data


def test_feedback_for_moodle_is_html_in_which_nothing_of_a_student_is_markup():
    evil = a_check(status=Status.CRASHED, message="P.\n<script>alert(1)</script> & <class 'x'>\x1b[2J", hint="a\nb")
    made = exported(a_run(a_student("ada", evil, manual_points=3.0, marks=[by_hand(2.5)])), "moodle")
    told = Tags(parsed(made.content)[1][2])
    assert set(told.tags) == {"br"}
    assert "<script>alert(1)</script> & <class 'x'>\\x1b[2J" in told.text
    assert "2.5 of 3 points marked by hand." in told.text
    assert "a reason for the staff" not in made.content.decode()
