"""Verdicts, runs and proofs as text: pure functions, one module a thing that is shown.

::

    text        any string made safe to print; signs and words of statuses
    latex       formulas as Unicode
    statement   a problem's statement
    layout      text that hangs from what stands before it
    verdicts    one student's verdicts, for the instructor
    figures     values on a line, and arrays with what is wrong in them marked
    own         a student's own work on the visible checks
    receipt     what was handed in
    standing    what became of scores: moved, kept, stale, late, marked by hand
    table       a class at a glance
    proof       the author's proof
    machine     what a machine can do
    page        a run as HTML: the class and each student

What a student may see is rendered from ``message`` and ``hint`` alone, on a page with the pictures of visible checks;
``detail`` and the pictures of hidden checks are for instructors.
"""
