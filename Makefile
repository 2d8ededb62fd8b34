# Each target sets up what it needs by itself, in .venv, from nothing but Python 3.11 or newer.
#
#   make demo       a small class, graded, with its table
#   make test       every test that this machine can run
#   make attacks    the long form: every attack at every tier, a million mutated frames, a thousand killed children
#   make test-gpu   the tests that need a CUDA device; installs nothing, so it works without a network
#   make lint       ruff, ruff format, mypy
#   make bench      measures, side by side, and prints one table; CLASS=1000 for a thousand students
#   make stubs      student_template/ again, from the references

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   ?= demo
CLASS  ?= 60

# The PyTorch releases that the tests are run with; the package accepts any from 2.6 on.
TORCH  ?= torch==2.14.1 torchvision==0.29.1

.PHONY: demo test attacks test-gpu bench lint stubs clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet $(TORCH)
	$(BIN)/pip install --quiet --editable '.[torch,cluster,nbgrader,report,dev]'
	touch $@

demo: $(VENV)/installed
	rm -rf $(DEMO)
	$(BIN)/grade demo -o $(DEMO)

test: $(VENV)/installed
	$(BIN)/python -m pytest

attacks: $(VENV)/installed
	ATTACKS=all GRADER_FUZZ=1000000 GRADER_KILLS=1000 GRADER_RUN_KILLS=100 ATTACK_RESULTS=attacks.json \
	  $(BIN)/python -m pytest tests/test_attacks.py tests/test_wire_fuzz.py tests/test_endurance.py \
	  tests/test_numeric_environment.py tests/test_resume.py tests/test_lower_tiers.py
	$(BIN)/python tests/attacks/table.py attacks.json

test-gpu:
	$(PYTHON) -m pytest -m gpu -p no:randomly -p no:cacheprovider $(shell grep -l "mark.gpu" tests/*.py)

bench: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py --students $(CLASS) -o bench.json

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stubs: $(VENV)/installed
	$(BIN)/python -m grader.template

clean:
	rm -rf $(VENV) .venv-bench bench.json attacks.json $(DEMO) .pytest_cache .ruff_cache .mypy_cache
