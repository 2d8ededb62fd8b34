"""An autograder archive for Gradescope, and what runs there.

::

    plan        what an archive grades, and under which conditions
    packages    what has to be installed for that
    files/      set-up, the script that Gradescope starts, and the first lines of Python
    archive     all of it as one zip
    document    results.json, for every way in which a submission can go
    memory      what a container has left for a student's code
    container   one submission graded there

There the grader, the problems and the student's code share one container, so two things hide the tests: files that only
root may enter, and children that are locked down and are not root.
"""
