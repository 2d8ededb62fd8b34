"""Folder, .py, .ipynb or archive -> frozen submission; nothing of it is run, parsed, compiled or written.

In the order in which data flows::

    names       what a name and the first bytes say; which names are refused
    ledger      what one hand-in may hold, judged entry by entry
    folder      files on a disk
    zips, tars  archives, under caps
    archives    either of them; whatever is wrong ends in a sentence
    text        bytes of a .py file -> its text
    notebook    bytes of an .ipynb file -> its code cells
    loading     load: a path -> Submission
    answers     answer: a submission and a problem -> Answer
    finding     discover: the paths that somebody names -> the submissions that lie there
"""

from __future__ import annotations

from grader.submission.answers import Answer, answer
from grader.submission.finding import Discovery, Found, discover
from grader.submission.ledger import SubmittedFile
from grader.submission.loading import Submission, load

__all__ = [
    "Answer",
    "Discovery",
    "Found",
    "Submission",
    "SubmittedFile",
    "answer",
    "discover",
    "load",
]
