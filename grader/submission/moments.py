"""Text that names a moment -> the moment in UTC; a time that does not say where its clock hung names none."""

from __future__ import annotations

import email.utils
import re
from contextlib import suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

FORMS = "2026-11-30T22:15:00Z or 2026-11-30 23:15:00 +0100"
_ZONE = re.compile(r"\s+(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})\Z", re.IGNORECASE)
_REGION = re.compile(r"\s+([A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)\Z")


def moment(text: str) -> datetime | None:
    """Return the moment that a text names, in UTC; None if it names none, or has no offset and no zone.

    It takes ISO 8601 (as Canvas and git hosts write it), git's own form, the form of e-mails, and nbgrader's, which
    ends in the name of a zone.

    >>> moment("2026-11-30 23:15:00 +0100").isoformat()
    '2026-11-30T22:15:00+00:00'
    >>> moment("Mon Nov 30 23:15:00 2026 +0100") == moment("2026-11-30 22:15:00.000000 UTC")
    True
    >>> moment("2026-11-30 23:15:00") is None
    True
    """
    text = text.strip()
    with suppress(ValueError, TypeError, LookupError, OSError, OverflowError):
        found = _read(text)
        return found.astimezone(UTC) if found.tzinfo else None
    return None


def _read(text: str) -> datetime:
    if match := _REGION.search(text):
        return datetime.fromisoformat(text[: match.start()]).replace(tzinfo=ZoneInfo(match[1]))
    zone = _ZONE.search(text)
    offset = "" if not zone else "+00:00" if zone[1][0] not in "+-" else zone[1]
    with suppress(ValueError):
        return datetime.fromisoformat((text[: zone.start()] if zone else text) + offset)
    with suppress(ValueError):
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y %z")  # as git writes: Mon Nov 30 23:15:00 2026 +0100
    return email.utils.parsedate_to_datetime(text)
