# ROW: 38
# ATTACK: answers with a text of escapes and a dict that has them for keys
# EXPECT: FAILED
# CHECKS: both
# CONTROL: naive:shown -> escape: the escapes reach whoever reads the comparison
# TIERS: 3 2 1
NASTY = "\x1b]0;owned\x07\x1b[2J\u202e\x9b<script>alert(1)</script>\r" * 100


def target(x):
    print(NASTY)
    return {NASTY: [NASTY, x], "a": NASTY} if len(x) % 2 else NASTY
