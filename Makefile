# Two commands: `make demo` runs the main job on the sample data, `make test` passes the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/.ready
	mkdir -p demo
	$(BIN)/mograph sample demo/clips
	$(BIN)/mograph import demo/clips -o demo/sample.mgdb
	$(BIN)/mograph info demo/sample.mgdb --plot demo/sample.png
	$(BIN)/mograph render demo/sample.mgdb:walk_1.4 -o demo/walk.png
	$(BIN)/mograph build demo/sample.mgdb -o demo/sample.mgraph
	$(BIN)/mograph evaluate demo/sample.mgraph --plot demo/graph.png
	$(BIN)/mograph walk demo/sample.mgraph -o demo/wander.html --seconds 12
	$(BIN)/mograph walk demo/sample.mgraph -o demo/wander.glb --seconds 12
	@echo "Look at demo/sample.png, demo/walk.png and demo/graph.png; open demo/wander.html in a browser."

test: $(VENV)/.ready-test
	$(BIN)/python -m pytest -n auto

check: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-test
	$(BIN)/pip install --quiet '.[bench]'
	$(BIN)/python bench/io.py
	$(BIN)/python bench/contacts.py
	$(BIN)/python bench/dynamics.py
	$(BIN)/python bench/graph_build.py
	$(BIN)/python bench/interpolation.py
	$(BIN)/python bench/grid.py

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mograph needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.ready-test: $(VENV)/.ready
	$(BIN)/pip install --quiet --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) demo build *.egg-info .mypy_cache .ruff_cache .hypothesis
