# ROW: 98
# ATTACK: hands in every file that some Python runs without being asked: sitecustomize, .pth, pyvenv.cfg, __main__ and more
# EXPECT: FAILED
# CONTROL: own -> file: a Python that finds them on its path runs them
# TIERS: 3 2 1
# LIMITS: patience=20
# KIND: builder
def build(lore):
    plant = f"import pathlib; pathlib.Path({lore.OUTSIDE!r}, __name__ + '.txt').write_text('here')\n".encode()
    names = ["sitecustomize", "usercustomize", "__main__", "__init__", "_distutils_hack", "antigravity", "readline", "rlcompleter"]
    return {
        **{f"{name}.py": plant for name in names},
        "hook.pth": b"import sitecustomize\n",
        "pyvenv.cfg": b"home = .\ninclude-system-site-packages = true\n",
        "pythonstartup.py": plant,
        ".pdbrc": b"import sitecustomize\n",
        "target.py": b"def target(x):\n    return 0 * x\n",
    }


def control(where):
    import os
    import subprocess
    import sys

    environment = {**os.environ, "PYTHONPATH": str(where.place)}
    return subprocess.run([sys.executable, "-c", "pass"], env=environment).returncode == 0
