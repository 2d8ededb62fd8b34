# ROW: 38
# ATTACK: puts terminal escapes, directional marks, markup and a million characters into all that a person may read
# EXPECT: CRASHED
# CHECKS: both
# CONTROL: naive:shown -> escape: the escapes reach whoever reads the output
# TIERS: 3 2 1
import sys

NASTY = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202e\u2066\u200b\ufeff\x00\x9b\ud800<script>alert(1)</script><!-- ]]> & \r"


def target(x):
    print(NASTY * 100)
    sys.stderr.buffer.write(b"\x1b[2J\xff\xfe\x00\n") if hasattr(sys.stderr, "buffer") else None
    kind = type(NASTY, (ValueError,), {"__module__": NASTY, "__qualname__": NASTY})
    raise kind(NASTY + "x" * 10**6)
