"""Archives that lie about what they hold, or hold too much of it, are refused in little time and memory."""

from __future__ import annotations

import bz2
import lzma
import os
import struct
import tarfile
import tracemalloc
import zlib

import pytest
from packing import CODE, ONE_GIB, TEXT, deflated_zeros, loaded, packed, paths, raw_zip, refused, tarred, zipped

from grader.submission import load


def peak_mib(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "content", "most"),
    [
        ("ada.zip", raw_zip("xor.py", deflated_zeros(), size=ONE_GIB), 16),
        ("ada.zip", raw_zip("xor.py", deflated_zeros(), size=100, crc=zlib.crc32(bytes(100))), 16),
        ("ada.zip", raw_zip("xor.py", deflated_zeros(), size=60 * 2**20), 160),  # buffers of both sizes
        ("ada.tar.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflated_zeros() + bytes(8), 16),
        ("ada.tar.bz2", bz2.compress(bytes(2**20)) * 1024, 16),
        ("ada.tar.xz", lzma.compress(bytes(2**25), preset=0), 16),
    ],
    ids=["honest zip", "lying zip", "zip within the total", "gzip", "bzip2", "xz"],
)
def test_a_bomb_is_refused_in_little_memory(tmp_path, name, content, most):
    """Row 95: a gigabyte of zeros in a megabyte and less, whatever size it states."""
    assert len(content) < 2 * 2**20
    assert peak_mib(lambda: refused(tmp_path, content, name)) < most


def tar_header(name, size):
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT)


def tar_bomb(ending, payload):
    """A tar whose first file is all the zeros that follow its header."""
    header = tar_header("data.bin", ONE_GIB)
    if ending == ".tar.gz":
        machine = zlib.compressobj(9, zlib.DEFLATED, 31)
        return machine.compress(header) + machine.flush(zlib.Z_FULL_FLUSH) + payload
    return bz2.compress(header) + payload


@pytest.mark.parametrize(
    ("ending", "payload"), [(".tar.gz", deflated_zeros()), (".tar.bz2", bz2.compress(bytes(2**20)) * 1024)]
)
def test_a_file_that_nobody_wants_may_be_no_bomb_either(tmp_path, ending, payload):
    """A tar must be read through, so that its other files count too."""
    sentence = ""

    def action():
        nonlocal sentence
        sentence = refused(tmp_path, tar_bomb(ending, payload), f"ada{ending}")

    assert peak_mib(action) < 16
    assert "unpacks to more than it may" in sentence


def test_an_honest_bomb_within_the_total_is_refused_for_its_ratio(tmp_path):
    size = 60 * 2**20
    content = raw_zip("xor.py", deflated_zeros(size), size=size, crc=zlib.crc32(bytes(size)))
    assert "far more than it packs" in refused(tmp_path, content)


def test_a_tar_that_is_not_packed_has_the_same_total(tmp_path):
    path = tmp_path / "ada.tar"
    path.write_bytes(tar_header("data.bin", 65 * 2**20))
    os.truncate(path, 66 * 2**20)  # a hole on the disk
    assert "unpacks to more than it may" in load(path).refused


def test_a_data_set_in_a_zip_is_left_aside_unread(tmp_path):
    """A zip's other files cost nothing: they are never unpacked."""
    content = raw_zip("zeros.npy", deflated_zeros(), size=ONE_GIB)
    assert (loaded(tmp_path, content).files, loaded(tmp_path, content).refused) == ((), "")


def test_xz_may_not_ask_for_more_memory_than_its_strongest_setting(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**30}]
    content = lzma.compress(tarred(CODE), format=lzma.FORMAT_XZ, filters=filters)
    # liblzma shrinks the dictionary of a short text when it packs, so the header is changed by hand
    header = bytearray(content)
    start = header.index(b"\x21\x01", 12) + 2
    header[start] = 36
    block = header[12 : 12 + (header[12] + 1) * 4 - 4]
    header[12 + len(block) : 12 + len(block) + 4] = struct.pack("<I", zlib.crc32(bytes(block)))
    assert "damaged" in refused(tmp_path, bytes(header), "ada.tar.xz")


def test_overlapping_entries_are_refused(tmp_path):
    """Row 95: one stream that serves many entries is the densest bomb there is."""

    def change(infos):
        infos[1].header_offset = infos[0].header_offset

    assert "overlap" in refused(tmp_path, zipped([("xor.py", TEXT), ("kl.py", TEXT)], change=change))


def test_an_entry_that_reaches_into_the_directory_is_refused(tmp_path):
    def change(infos):
        infos[0].compress_size += 30

    assert "overlap" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


@pytest.mark.parametrize("off", [-1, 1])
def test_a_size_that_lies_is_refused(tmp_path, off):
    """Row 95."""

    def change(infos):
        infos[0].file_size += off

    assert "not as long" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


def test_a_short_text_with_the_checksum_of_its_beginning_is_refused(tmp_path):
    """A reader that stops at the stated size would see other code than one that unpacks all."""

    def change(infos):
        infos[0].file_size, infos[0].CRC = 14, zlib.crc32(TEXT[:14])

    assert "not as long" in refused(tmp_path, zipped([("xor.py", TEXT)], change=change))


def test_bytes_behind_the_end_of_a_stream_are_refused(tmp_path):
    """Nothing may hide between what one reader unpacks and what another one stores."""
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = machine.compress(TEXT) + machine.flush()
    good, bad = (raw_zip("xor.py", stream + more, size=len(TEXT), crc=zlib.crc32(TEXT)) for more in (b"", b"x"))
    assert paths(loaded(tmp_path, good)) == ["xor.py"]
    assert "not as long" in refused(tmp_path, bad)


def test_a_million_entries_are_refused_before_they_take_memory(tmp_path):
    """Row 95: 50 MB of directory would be half a gigabyte of objects."""
    content = raw_zip("a.png", b"\x03\0", size=0, copies=10**6)
    assert peak_mib(lambda: refused(tmp_path, content)) < 16


@pytest.mark.parametrize("ending", [".zip", ".tar"])
def test_entries_are_counted(tmp_path, ending):
    many = [(f"{number}.png", b"") for number in range(2001)]
    assert "too many files" in refused(tmp_path, packed(many, ending), f"ada{ending}")
    assert loaded(tmp_path, packed(many[:2000], ending), f"bob{ending}").refused == ""


def test_headers_that_name_nothing_are_counted_too(tmp_path):
    header = tarfile.TarInfo("pax")
    header.type = tarfile.XHDTYPE
    content = header.tobuf(tarfile.USTAR_FORMAT) * 6001 + bytes(1024)
    assert "too many files" in refused(tmp_path, content, "ada.tar")


@pytest.mark.parametrize(
    "record",
    [
        b"5 a=\n" * 20_000,
        b"1" * 70_000,
        b"0 a=b\n",
        b"-6 a=b\n",
        b"6 a=b\n-6 a=b\n",
        b"6 a=b\n6 a=b\n-6 a=b\n",
        b"9 a=b\n",
        b"7 ab=cd",
    ],
)
def test_an_extended_header_that_is_none_is_refused(tmp_path, record):
    """Lengths that point back or nowhere end neither in a loop nor in an exception."""
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, len(record)
    block = info.tobuf(tarfile.USTAR_FORMAT) + record + bytes(-len(record) % 512)
    refused(tmp_path, block + tarred(CODE), "ada.tar")
