"""Eighteen situations that graders meet, as notebooks, with what nbgrader makes of them alone and with our adapter.

::

    situations   released notebook -> what a student hands in
    outcomes     what came of it, from gradebook, graded notebooks and log
    stock, ours  nbgrader alone; nbgrader with our adapter
    table        both, as the table of docs/nbgrader.md
"""
