"""Archives: right ones give their sources, those with an entry that must not be a sentence."""

from __future__ import annotations

import stat
import tarfile
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packing import CODE, FORMS, TEXT, loaded, odd_member, packed, paths, refused, tarred, zipped

from grader.submission import load


@pytest.mark.parametrize("ending", FORMS)
def test_an_archive_gives_its_sources_as_bytes(tmp_path, ending):
    submission = loaded(tmp_path, packed(CODE, ending), f"ada{ending}")
    assert (submission.student, submission.refused) == ("ada", "")
    assert {file.path: file.content for file in submission.files} == {"xor.py": TEXT, "kl/kl.ipynb": b"{}"}


@pytest.mark.parametrize(("ending", "like"), [(".tgz", ".tar.gz"), (".tbz2", ".tar.bz2"), (".txz", ".tar.xz")])
def test_short_endings_mean_the_long_ones(tmp_path, ending, like):
    assert paths(loaded(tmp_path, packed(CODE, like), f"ada{ending}")) == ["kl/kl.ipynb", "xor.py"]


@pytest.mark.parametrize("ending", FORMS)
def test_folders_that_hold_everything_are_taken_off(tmp_path, ending):
    entries = [("ada/hw/xor.py", TEXT), ("ada/hw/src/util.py", b""), ("__MACOSX/ada/._xor.py", b"\0")]
    assert paths(loaded(tmp_path, packed(entries, ending), f"a{ending}")) == ["src/util.py", "xor.py"]


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize(
    "name",
    [
        "../xor.py",
        "a/../../xor.py",
        "..",
        "/etc/xor.py",
        "C:/xor.py",
        "c:xor.py",
        "a\\..\\..\\xor.py",
        "\\\\server\\xor.py",
        "xor\0byte.py",
        "../../.bashrc",
        "../figure.png",
    ],
)
def test_names_that_lead_elsewhere_refuse_the_archive(tmp_path, ending, name):
    """Row 93, whatever the kind of file; the name is shown escaped."""
    sentence = refused(tmp_path, packed([*CODE, (name, b"")], ending), f"ada{ending}")
    assert name.replace("\0", "\\x00") in sentence


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_zip_with_a_link_a_device_or_a_pipe_is_refused(tmp_path, mode):
    """Row 94: a link's target would be taken for the file's text."""

    def change(infos):
        infos[1].external_attr = (mode | 0o777) << 16

    sentence = refused(tmp_path, zipped([("xor.py", TEXT), ("data", b"/etc/passwd")], change=change))
    assert '"data" is a ' in sentence


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"D", "of an unknown kind"),
    ],
)
@pytest.mark.parametrize("name", ["xor.py", "figure.png"])
def test_a_tar_with_a_link_a_device_a_pipe_or_a_hole_is_refused(tmp_path, kind, what, name):
    """Row 94."""
    sentence = refused(tmp_path, tarred([("kl.py", TEXT), odd_member(kind, name)]), "ada.tar")
    assert what in sentence
    assert f'"{name}"' in sentence


def test_a_sparse_file_in_an_extended_header_is_refused(tmp_path):
    info = tarfile.TarInfo("xor.py")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "kl.py"}
    assert "sparse" in refused(tmp_path, tarred([(info, TEXT)]), "ada.tar")


def test_modes_mean_nothing(tmp_path):
    """Row 94: a setuid bit is neither kept nor a reason to refuse, since only bytes are taken."""

    def change(infos):
        infos[0].external_attr = (stat.S_IFREG | stat.S_ISUID | stat.S_ISGID | 0o777) << 16

    assert loaded(tmp_path, zipped([("xor.py", TEXT)], change=change)).files[0].content == TEXT


@pytest.mark.parametrize("ending", FORMS)
def test_archives_inside_are_not_opened_and_noted(tmp_path, ending):
    """Row 95: nesting multiplies a bomb."""
    submission = loaded(tmp_path, packed([*CODE, ("old/xor.zip", zipped(CODE))], ending), f"ada{ending}")
    assert paths(submission) == ["kl/kl.ipynb", "xor.py"]
    assert any('"old/xor.zip": not opened' in note for note in submission.notes)


def test_a_wrong_checksum_is_refused(tmp_path):
    """Row 95."""

    def change(infos):
        infos[0].CRC ^= 1

    assert "checksum" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


def test_a_wrong_checksum_of_gzip_is_refused(tmp_path):
    content = bytearray(tarred(CODE, ".tar.gz"))
    content[-8] ^= 1
    assert "damaged" in refused(tmp_path, bytes(content), "ada.tar.gz")


def test_a_global_header_may_hold_a_comment_and_no_name(tmp_path):
    """``git archive`` writes the commit there."""
    path = tmp_path / "ada.tar"
    with tarfile.open(path, "w", pax_headers={"comment": "0a1b2c"}) as box:
        box.addfile(tarfile.TarInfo("xor.py"))
    assert paths(load(path)) == ["xor.py"]
    with tarfile.open(path, "w", pax_headers={"path": "kl.py"}) as box:
        box.addfile(tarfile.TarInfo("xor.py"))
    assert "one name" in load(path).refused


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_arrive_whole_in_every_dialect_of_tar(tmp_path, form):
    name = f"{'long' * 20}/{'er' * 40}.py"
    path = tmp_path / "ada.tar"
    with tarfile.open(path, "w", format=form) as box:
        box.addfile(tarfile.TarInfo(name))
        box.addfile(tarfile.TarInfo("xor.py"))
    assert paths(load(path)) == [name, "xor.py"]


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["Sol.py", "sol.py"], "one name"),
        (["Src/a.py", "src/b.py"], "one name"),
        ([unicodedata.normalize(form, "é.py") for form in ("NFC", "NFD")], "one name"),
        (["a.png", "A.PNG"], "one name"),
        (["xor.py", "xor.py/kl.py"], "twice"),
        (["xor.py."], "dot"),
        (["src /xor.py"], "space"),
        (["CON"], "reserved"),
        (["aux.py"], "reserved"),
        (["com1.tar/x.py"], "reserved"),
        (["x" * 253 + ".py"], "255 bytes"),
        (["é" * 130 + ".py"], "255 bytes"),
        (["/".join(["d" * 200] * 6)], "1024 bytes"),
        (["d/" * 40 + "xor.py"], "deep"),
        (["xor\n.py"], "control character"),
        (["xor\x1b[2J.py"], "control character"),
        (["xor\u202eyp.exe"], "direction of writing"),
        (["xor\u2066.py"], "direction of writing"),
    ],
)
def test_names_that_are_not_the_same_everywhere_refuse_the_archive(tmp_path, ending, names, reason):
    """Row 96."""
    assert reason in refused(tmp_path, packed([(name, b"") for name in names], ending), f"ada{ending}")


@pytest.mark.parametrize("ending", FORMS)
def test_a_name_that_occurs_twice_refuses_the_archive(tmp_path, ending):
    """Row 96: readers disagree on which one counts."""
    entries = [("xor.py", TEXT), ("./xor.py", b"other")]
    assert '"xor.py" twice' in refused(tmp_path, packed(entries, ending), f"ada{ending}")


def test_a_name_that_is_not_utf8_is_refused(tmp_path):
    content = tarred([("xor.py", TEXT)]).replace(b"path=xor.py", b"path=\xffor.py")
    assert "UTF-8" in refused(tmp_path, content, "ada.tar")


def test_a_packer_that_does_not_say_that_names_are_utf8_is_understood(tmp_path):
    """As macOS packs; the bytes must not read as another alphabet."""
    content = zipped([("übung/xor.py", TEXT), ("kl.py", b"")])
    plain = content.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert plain != content
    assert paths(loaded(tmp_path, plain)) == ["kl.py", "übung/xor.py"]


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_an_encrypted_zip_is_refused(tmp_path, flag):
    def change(infos):
        infos[0].flag_bits |= flag

    assert "password" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


@pytest.mark.parametrize("method", [12, 14, 9, 99])
def test_an_unusual_compression_is_refused(tmp_path, method):
    """bzip2 and LZMA cannot be unpacked in bounded steps there."""

    def change(infos):
        infos[0].compress_type = method

    assert "unusual way" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


@pytest.mark.parametrize("ending", FORMS)
def test_litter_and_binaries_are_never_loaded(tmp_path, ending):
    """Rows 96 and 98: what could run by itself elsewhere is not even read."""
    litter = ["__pycache__/xor.cpython-311.pyc", ".git/hook.py", ".ipynb_checkpoints/xor-checkpoint.ipynb"]
    litter += [".DS_Store", "Icon\r", "venv/lib/a.py", "hook.pth", "xor.pyc", "xor.so", "pyvenv.cfg"]
    submission = loaded(tmp_path, packed([("xor.py", TEXT), *((name, b"\0") for name in litter)], ending), f"a{ending}")
    assert paths(submission) == ["xor.py"]


def test_a_link_inside_litter_is_passed_over(tmp_path):
    """A virtual environment that was packed along has links to its interpreter."""
    entries = [("xor.py", TEXT), odd_member(tarfile.SYMTYPE, ".venv/bin/python", "/usr/bin/python3")]
    assert paths(loaded(tmp_path, tarred(entries), "ada.tar")) == ["xor.py"]


@pytest.mark.parametrize("ending", FORMS)
def test_an_archive_that_is_cut_off_is_refused_wherever_the_cut_is(tmp_path, ending):
    """A half upload must not look like a student who did half the problems."""
    whole = packed([("kl.py", TEXT * 20), ("xor.py", TEXT)], ending)
    content = len(whole.rstrip(b"\0")) if ending == ".tar" else len(whole)  # a tar is padded with zeros
    for keep in range(0, content, max(1, content // 97)):
        refused(tmp_path, whole[:keep], f"ada{ending}")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><title>Log in</title>", "a web page"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
        (b"%PDF-1.7", "a PDF"),
        (tarred(CODE, ".tar.gz"), "a gzip archive"),
        (b"PK\x03\x04 and then nothing", "damaged"),
        (b"no idea", "damaged"),
    ],
)
def test_a_file_that_is_no_zip_is_called_what_it_is(tmp_path, content, what):
    assert what in refused(tmp_path, content)


def test_nothing_in_an_archive_is_no_reason_to_refuse_it(tmp_path):
    """The student is told what was found in place of an answer."""
    submission = loaded(tmp_path, zipped([("report.pdf", b""), ("xor.py.txt", b"")]))
    assert submission.refused == ""
    assert 'only "report.pdf", "xor.py.txt"' in submission.notes[0]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return tmp_path_factory.mktemp("desk")


def harmless(desk, content, ending):
    """Whatever the bytes, a submission: refused in one printable line, or with readable paths."""
    submission = loaded(desk, content, f"x{ending}")
    assert submission.refused.isprintable()
    assert all(file.path.isprintable() and not file.path.startswith(("/", "..")) for file in submission.files)
    return submission


ENDINGS = st.sampled_from(FORMS)
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(content=st.binary(max_size=2000), ending=ENDINGS)
def test_random_bytes_never_raise(desk, content, ending):
    submission = harmless(desk, content, ending)
    assert submission.refused or not submission.files


@MANY
@given(ending=ENDINGS, changes=st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), max_size=8))
def test_a_spoilt_archive_never_raises(desk, ending, changes):
    content = bytearray(packed([("ada/xor.py", TEXT), ("ada/kl.py", TEXT * 30)], ending))
    for place, value in changes:
        content[place % len(content)] = value
    harmless(desk, bytes(content), ending)


@MANY
@given(
    ending=st.sampled_from([".zip", ".tar"]), names=st.lists(st.text(min_size=1, max_size=20), max_size=4, unique=True)
)
def test_any_names_give_files_or_a_sentence(desk, ending, names):
    names = [name for name in names if name.encode("utf-8", "replace").decode() == name]
    harmless(desk, packed([(name, TEXT) for name in names], ending), ending)
