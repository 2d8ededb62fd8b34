"""What turns a forked process into a child that can harm nobody; standard library and ctypes only.

::

    kernel     the few system calls that Python lacks
    seccomp    the filter: which system calls are refused, assembled here
    landlock   which files may be opened
    mounts     namespaces and the read-only root
    layers     the order in which a child locks itself down, and the check that it has
    folders    removing what a child has left behind
    pages      forks made cheaper for a zygote that forks often
    attacks    what a hostile submission would try; the tier is read from how it ends
    zygote     the process that imports the libraries once and forks children
    seedling   a process that becomes a zygote and a grader, who share what the libraries take

Nothing of the grader is imported here, and nothing here knows a test or an answer.
"""
