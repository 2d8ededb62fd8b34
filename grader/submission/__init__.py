"""Folder, .py, .ipynb or archive -> frozen submission; nothing of it is run, parsed, compiled or written.

In the order in which data flows::

    names       what a name and the first bytes say; which names are refused
    ledger      what one hand-in may hold, judged entry by entry
    folder      files on a disk
    streams     packed streams, unpacked in bounded steps
    zips, tars  archives, under caps
    archives    either of them; whatever is wrong ends in a sentence
    text        bytes of a .py file -> its text
    notebook    bytes of an .ipynb file -> its code cells
    loading     load: a path -> Submission
    answers     answer: a submission and a problem -> Answer
    places      a folder on a disk or in a zip of many; load_places: several places -> Submission
    moments     text -> the moment that it names
    haul        pieces found -> hand-ins, and what was passed over
    shapes      our own inbox, nbgrader's tree, a zip that holds a class
    finding     find: the paths that somebody names -> the hand-ins that lie there
"""

from __future__ import annotations

from grader.submission.answers import Answer, answer
from grader.submission.finding import Discovery, Wanted, find
from grader.submission.haul import Found
from grader.submission.ledger import SubmittedFile
from grader.submission.loading import Submission, load
from grader.submission.moments import moment
from grader.submission.places import Place, load_places

__all__ = [
    "Answer",
    "Discovery",
    "Found",
    "Place",
    "Submission",
    "SubmittedFile",
    "Wanted",
    "answer",
    "find",
    "load",
    "load_places",
    "moment",
]
