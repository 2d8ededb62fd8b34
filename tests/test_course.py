"""A course is found where it is, and a problem's files are read whole, as text, without being run."""

import dataclasses
import pickle

import pytest
from courses import put, student_course, tiny_course

from grader import course
from grader.course import ProblemFiles
from grader.errors import CourseError

FILES = {
    "statement": "problems/triple/statement.md",
    "visible": "problems/triple/visible.py",
    "hidden": "problems/triple/hidden.py",
    "variants": "problems/triple/variants.py",
    "probes": "problems/triple/probes.py",
    "marking": "problems/triple/marking.md",
    "mistakes": "problems/triple/mistakes.json",
    "released": "problems/triple/released.json",
    "reference": "reference/triple.py",
    "stub": "student_template/triple.py",
}


@pytest.fixture
def root(tmp_path):
    return tiny_course(tmp_path, "double", "triple")


class TestFind:
    def test_a_course_is_found_from_any_folder_inside_it(self, root, monkeypatch):
        monkeypatch.chdir(root / "problems" / "double")
        assert course.find().root == root.resolve()

    def test_a_course_that_is_named_is_not_looked_for_above(self, root):
        assert course.find(root).root == root.resolve()
        with pytest.raises(CourseError, match="no course at"):
            course.find(root / "problems" / "double")

    def test_no_course_is_a_sentence_with_the_way_out(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(CourseError, match=r"above it.*--course"):
            course.find()

    def test_a_course_file_that_is_no_toml_is_named(self, root):
        put(root / "course.toml", "min_tier = = 2")
        with pytest.raises(CourseError, match=r"course\.toml"):
            course.find(root)

    def test_a_misspelt_key_is_refused_and_the_nearest_named(self, root):
        """A misspelt min_tier must not leave the course with less isolation than it demands."""
        put(root / "course.toml", "min_teir = 3")
        with pytest.raises(CourseError, match=r"course\.toml has no key 'min_teir' \(did you mean min_tier\?\)"):
            course.find(root)

    @pytest.mark.parametrize("preload", ['"scipy"', "[1]", "true"])
    def test_what_to_preload_is_a_list_of_names(self, root, preload):
        put(root / "course.toml", f"preload = {preload}")
        with pytest.raises(CourseError, match=r"preload must be a list of names"):
            course.find(root)

    def test_a_course_needs_no_course_file(self, root):
        assert (course.find(root).config, course.find(root).min_tier) == ({}, 2)

    @pytest.mark.parametrize("tier", [1, 2, 3])
    def test_a_course_says_how_much_isolation_it_demands(self, root, tier):
        put(root / "course.toml", f"min_tier = {tier}")
        assert course.find(root).min_tier == tier

    @pytest.mark.parametrize("tier", ["0", "4", '"2"', "true", "2.0"])
    def test_a_tier_that_is_none_is_refused(self, root, tier):
        put(root / "course.toml", f"min_tier = {tier}")
        with pytest.raises(CourseError, match="min_tier"):
            _ = course.find(root).min_tier


class TestSlugs:
    def test_problems_are_listed_by_name(self, root):
        (root / "problems" / "drafts").mkdir()
        put(root / "problems" / "README.md", "not a problem")
        assert course.find(root).slugs == ("double", "triple")

    @pytest.mark.parametrize("slug", ["quadruple", "../problems/double", "double\n", "Double", "", "double/"])
    def test_what_is_no_problem_is_refused_and_the_known_ones_are_named(self, root, slug):
        with pytest.raises(CourseError, match="double, triple"):
            course.find(root).problem(slug)

    def test_a_misspelt_problem_is_answered_with_the_nearest(self, root):
        with pytest.raises(CourseError, match=r"did you mean triple\?"):
            course.find(root).problem("tripel")

    def test_a_folder_with_a_name_that_no_module_can_have_is_not_listed_as_known(self, root):
        put(root / "problems" / "two-words" / "visible.py", "")
        assert "two-words" not in course.find(root).slugs
        with pytest.raises(CourseError, match="lower-case letters"):
            course.find(root).problem("two-words")


class TestProblemFiles:
    @pytest.mark.parametrize(("field", "path"), FILES.items())
    def test_each_file_is_read_into_its_field_and_changes_the_digest(self, root, field, path):
        before = course.find(root).problem("triple")
        put(root / path, "other text")
        after = course.find(root).problem("triple")
        assert getattr(after, field) == "other text"
        assert dataclasses.replace(after, **{field: getattr(before, field)}) == before
        assert after.digest != before.digest

    def test_the_digest_tells_which_file_a_text_is_in(self):
        one = ProblemFiles("p", statement="", visible="x", hidden="")
        other = ProblemFiles("p", statement="", visible="", hidden="x")
        assert one.digest != other.digest

    def test_reading_twice_gives_equal_files_and_runs_nothing(self, root):
        put(root / "problems" / "triple" / "visible.py", "raise SystemExit('it ran')")
        files = course.find(root).problem("triple")
        assert files == course.find(root).problem("triple")
        assert files.digest == course.find(root).problem("triple").digest

    def test_a_student_has_neither_reference_nor_hidden_files(self, tmp_path):
        files = course.find(student_course(tmp_path, "double")).problem("double")
        assert (files.reference, files.hidden, files.variants) == ("", "", "")
        assert "raise NotImplementedError" in files.stub

    def test_files_travel_between_processes(self, root):
        files = course.find(root).problem("double")
        assert pickle.loads(pickle.dumps(files)) == files
        assert hash(pickle.loads(pickle.dumps(files))) == hash(files)

    def test_line_ends_and_a_byte_order_mark_of_another_system_change_nothing(self, root):
        path = root / "problems" / "double" / "statement.md"
        before = course.find(root).problem("double")
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
        assert course.find(root).problem("double") == before

    def test_a_file_that_is_not_utf_8_is_named(self, root):
        (root / "problems" / "double" / "hidden.py").write_bytes(b"# caf\xe9\n")
        with pytest.raises(CourseError, match=r"hidden\.py.*UTF-8"):
            course.find(root).problem("double")
