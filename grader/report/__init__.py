"""Verdicts, runs and proofs as text: pure functions, one module a thing that is shown.

::

    text        any string made safe to print; signs and words of statuses
    latex       formulas as Unicode
    statement   a problem's statement
    verdicts    one student's verdicts, for the student and for the instructor
    receipt     what was handed in
    standing    what became of scores: moved, kept, stale, late, marked by hand
    table       a class at a glance
    proof       the author's proof
    machine     what a machine can do
    page        a run as HTML: the class and each student

What a student may see is rendered from ``message`` and ``hint`` alone; ``detail`` is for instructors.
"""
