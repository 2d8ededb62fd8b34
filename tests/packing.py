"""Makes archives for tests, well-formed and hostile, from (name, content) pairs or from raw bytes, and loads them."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib

from grader.submission import load

TEXT = b"def xor(a, b):\n    return a ^ b\n"
CODE = [("xor.py", TEXT), ("kl/kl.ipynb", b"{}")]
FORMS = (".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz")
ONE_GIB = 2**30


def zipped(entries, *, change=lambda _infos: None):
    """A zip of (name, content) pairs; ``change`` may falsify the directory before it is written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in entries:
            info = zipfile.ZipInfo("placeholder")
            info.filename = name  # the constructor would cut it at a NUL
            info.compress_type = zipfile.ZIP_DEFLATED
            box.writestr(info, content)
        change(box.filelist)
    return buffer.getvalue()


def tarred(entries, ending=".tar"):
    """A tar of (name, content) pairs, or of ready TarInfo objects; names travel in extended headers."""
    buffer = io.BytesIO()
    mode = "w:" + ending.removeprefix(".tar").removeprefix(".")
    with tarfile.open(fileobj=buffer, mode=mode, format=tarfile.PAX_FORMAT) as box:
        for entry in entries:
            info, content = entry if isinstance(entry[0], tarfile.TarInfo) else _member(*entry)
            info.size = len(content)
            box.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _member(name, content):
    info = tarfile.TarInfo("placeholder")
    info.pax_headers = {"path": name}
    return info, content


def packed(entries, ending):
    """An archive of (name, content) pairs in the form that a file's ending names."""
    return zipped(entries) if ending == ".zip" else tarred(entries, ending)


def odd_member(kind, name="xor.py", target="/etc/passwd"):
    """A tar entry of another kind: a link, a device, a pipe."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def deflated_zeros(size=ONE_GIB):
    """A raw deflate stream of zeros, made by repeating one piece that stands for itself."""
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = machine.compress(bytes(2**20)) + machine.flush(zlib.Z_FULL_FLUSH)
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return piece * (size // 2**20) + machine.flush(zlib.Z_FINISH)


def raw_zip(name, compressed, *, size, crc=0, copies=1):
    """A zip put together by hand, with whatever size, checksum and number of entries one wants to state."""
    encoded = name.encode()
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(compressed), size, len(encoded), 0)
    local = b"PK\x03\x04" + common + encoded + compressed
    entry = b"PK\x01\x02" + b"\x14\0" + common + bytes(14) + encoded
    directory = entry * copies
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, copies & 0xFFFF, copies & 0xFFFF, len(directory), len(local), 0)
    return local + directory + end


def loaded(folder, content, name="ada.zip"):
    path = folder / name
    path.write_bytes(content)
    return load(path)


def paths(submission):
    return [file.path for file in submission.files]


def refused(folder, content, name="ada.zip"):
    """The sentence, after checking that it is one, names the archive and comes without files."""
    submission = loaded(folder, content, name)
    assert submission.files == ()
    assert submission.refused.startswith(f"{name} cannot be graded: ")
    assert submission.refused.endswith(".")
    assert submission.refused.isprintable()
    return submission.refused
