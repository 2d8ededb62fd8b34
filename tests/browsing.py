"""Chromium without a window, spoken to over two pipes: no driver, no port and no network are needed."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120.0  # seconds for one answer; a loaded machine is slow to start a browser
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--force-color-profile=srgb", "--lang=en", "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing but this machine is ever asked
)  # fmt: skip


def chromium():
    """Return where Chromium is; None where it is not installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class RefusedError(AssertionError):
    """The browser does not do what it is asked, as when a page goes away meanwhile."""


class Page:
    """One page of a browser: opened, asked, looked at."""

    def __init__(self, program, folder):
        (theirs_in, self._out), (self._in, theirs_out) = os.pipe(), os.pipe()
        self._buffer, self._number, self.log, self.loaded = b"", 0, [], False

        # Chromium reads its file 3 and writes its file 4; a shell puts them there, since no thread may fork here.
        line = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, program, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        pages = self._ask("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in pages if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            self._do(f"{domain}.enable")

    def open(self, path, script=True):
        """Open a file, and return how many seconds it took to load."""
        self._do("Emulation.setScriptExecutionDisabled", value=not script)
        return self.visit(path.as_uri())

    def visit(self, url):
        """Open an address, and return how many seconds it took to load."""
        self.log, self.loaded = [], False
        began = time.monotonic()
        self._do("Page.navigate", url=url)
        while not self.loaded:
            self._hear()
        return time.monotonic() - began

    def ask(self, expression):
        """Return the value of an expression of JavaScript."""
        answer = self._do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression):
        """Wait until an expression holds; what it speaks of may come later, and the page may change to another."""
        until, answer = time.monotonic() + PATIENCE, {}
        while answer.get("result", {}).get("value") is not True:
            assert time.monotonic() < until, f"never came true: {expression}: {answer}"
            time.sleep(0.05)
            with contextlib.suppress(RefusedError):
                answer = self._do("Runtime.evaluate", expression=f"Boolean({expression})", returnByValue=True)

    def type(self, text):
        """Type a text where the focus is."""
        self._do("Input.insertText", text=text)

    def click(self, element):
        """Click with the mouse on an element, once it is there and seen."""
        self.wait(f"{element}?.checkVisibility()")
        self.ask(f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        place = self.ask(f"(box => [box.x + box.width / 2, box.y + box.height / 2])({element}.getBoundingClientRect())")
        common = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self._do("Input.dispatchMouseEvent", type=kind, **common)

    def press(self, key, code, *, shift=False):
        """Press and release a key, by its name and its number."""
        held = {"modifiers": 8 if shift else 0}
        for kind in ("rawKeyDown", "keyUp"):
            self._do("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **held)

    def enter(self):
        """Press Enter as a keyboard does, so that the button in focus is pressed."""
        common = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self._do("Input.dispatchKeyEvent", type="keyDown", text="\r", **common)
        self._do("Input.dispatchKeyEvent", type="keyUp", **common)

    def look(self, *, width, height=900, dark=False, media=""):
        """Set what the page is looked at on."""
        self._do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._do("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, path, *, whole=False):
        """Write what is seen as a picture; ``whole``: the page to its end."""
        shot = self._do("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self, path):
        """Write the page as it prints."""
        path.write_bytes(base64.b64decode(self._do("Page.printToPDF", preferCSSPageSize=True)["data"]))

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._out)
        os.close(self._in)

    def _do(self, method, **parameters):
        return self._ask(method, self._session, **parameters)

    def _ask(self, method, session=None, **parameters):
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._out, content) :]
        while (answer := self._hear()).get("id") != number:
            pass
        if "error" in answer:
            raise RefusedError(answer["error"])
        return answer["result"]

    def _hear(self):
        """Return the next message; keep what the page says by itself."""
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self._in, 1 << 16)
            assert piece, "the browser has ended"
            self._buffer += piece
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(raw)
        if message.get("method") == "Page.loadEventFired":
            self.loaded = True
        elif message.get("method") in {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}:
            self.log.append(message["params"])
        return message


@contextlib.contextmanager
def page():
    """Start Chromium with nothing remembered, and end it with all that it started."""
    folder = Path(tempfile.mkdtemp())
    opened = None
    try:
        opened = Page(chromium(), folder)
        yield opened
    finally:
        if opened is not None:
            opened.close()
        shutil.rmtree(folder, ignore_errors=True)
