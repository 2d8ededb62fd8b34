# ROW: 29
# ATTACK: writes files of results, as many graders read them, into the folder that it runs in
# EXPECT: FAILED
# CONTROL: naive:file -> passed: the grader reads the score that the student wrote
# TIERS: 3 2 1
import json


def target(x):
    for name in ("results.json", "result.json", "score.txt", "feedback.json"):
        with open(name, "w") as file:
            json.dump({"score": 100, "tests": [{"score": 100, "status": "passed", "output": "PASSED"}]}, file)
    with open("junit.xml", "w") as file:
        file.write('<testsuite tests="1" failures="0"><testcase name="holds_for_drawn_arguments"/></testsuite>')
    return 0 * x
