"""Deliveries in all usual shapes, a roster and a list of times -> one submission a student, and who has none.

In the order in which data flows::

    tables      a CSV file of any usual make -> rows
    roster      rows -> who is in the class; a name of any kind -> the row that it means
    times       rows -> when each student handed in
    gathering   all of it -> Intake
"""

from __future__ import annotations

from grader.intake.gathering import Entry, Intake, gather
from grader.intake.roster import Row

__all__ = ["Entry", "Intake", "Row", "gather"]
