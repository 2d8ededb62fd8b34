"""The round trip through nbgrader, and problems in a live notebook; nbgrader is imported where it is used, never here.

In the order in which an assignment goes::

    cells               the names of cells: what a cell is for, and back
    config, installed   the lines of nbgrader_config.py that are ours; the nbgrader that is installed, or a sentence
    paper, source       a problem as a source notebook; the files of an assignment, written into nbgrader's course
    kernel, checking    the functions of a live notebook as a check's answers; the visible checks judged on them
    live                %load_ext grader, %grade
    identity, collect   which problem a notebook is for; downloads -> submitted/
    folders, master     where nbgrader keeps things; what its gradebook knows of the notebooks
    handed, sanitize    one student's folder, one student's notebook, made fit
    judging, stamp      the class judged into its run file; what says that a mark is ours
    outputs, adapter    a result as the outputs of its cell; the steps of nbgrader's autograde that are ours
    desk, exporter, autograde   judging ahead of nbgrader's first notebook; the command
    feedback, export    what students do not read; the marks as a table
"""
