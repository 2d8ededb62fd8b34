# ROW: 5
# ATTACK: hands in a conftest.py whose hooks turn each failed test into a passed one and write a file
# EXPECT: FAILED
# CONTROL: own -> passed, file: pytest run over the hand-in calls a wrong answer right
# TIERS: 3 2 1
# KIND: builder
# LIMITS: patience=20
CONFTEST = """
import pathlib
import pytest

pathlib.Path({outside!r}, "hooked.txt").write_text("here")

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"

@pytest.fixture(autouse=True)
def cleaned(request):
    request.addfinalizer(lambda: pathlib.Path({outside!r}, "hooked.txt").write_text("again"))
"""
TEST = "import target\n\ndef test_five():\n    assert target.target(2) == 5\n"


def build(lore):
    hooks = CONFTEST.format(outside=lore.OUTSIDE).encode()
    files = dict.fromkeys(("conftest.py", "pytest_plugins.py", "sitecustomize.py", "test_conftest.py"), hooks)
    return {**files, "target.py": b"pytest_plugins = ['conftest']\n\ndef target(x):\n    return 0 * x\n"}


def control(where):
    import subprocess
    import sys

    (where.place / "test_five.py").write_text(TEST)
    (where.place / "test_conftest.py").unlink()
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "test_five.py"]
    return subprocess.run(asked, cwd=where.place, stdout=subprocess.DEVNULL).returncode == 0
