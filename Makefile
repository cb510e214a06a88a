# make setup          .venv with the project, editable (a C++ compiler comes from PyPI if there is none)
# make demo           reads the text in a photograph
# make test           all tests, C++ and Python
# make bench          speed against other runtimes, each in its own environment
# make compare-ocr   the OCR demo against rapidocr-onnxruntime, in an environment of its own
# make lint           ruff, mypy, clang-format
# make conformance    the ONNX backend node tests
# make test-asan      C++ tests under AddressSanitizer and UBSan
# make fuzz           a short run of the fuzzers (clang)
# make wheel, make docs, make cross
SHELL := /bin/bash
PYTHON3 := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do \
  command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
PY := $(VENV)/bin/python
JOBS ?= 2
FUZZ_SECONDS ?= 60
ARGS ?=
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONDONTWRITEBYTECODE := 1

CMAKE_CONFIGURE = cmake -S . -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(PY) $(shell $(PY) toolchains/compiler_args.py)

.PHONY: setup setup-test demo demo-classify test test-cpp test-py bench lint format test-asan fuzz wheel conformance compare-ocr \
        docs cross clean help

help:
	@sed -n 's/^# //p' Makefile

setup:
	@test -n "$(PYTHON3)" || { echo "setup: Python >= 3.10 is needed and was not found" >&2; exit 1; }
	@$(PYTHON3) toolchains/setup.py convert

setup-test:
	@test -n "$(PYTHON3)" || { echo "setup: Python >= 3.10 is needed and was not found" >&2; exit 1; }
	@$(PYTHON3) toolchains/setup.py convert,test

demo: setup
	@$(PY) -c 'import PIL' 2>/dev/null || $(PY) -m pip install -q pillow
	@$(PY) -m demos.ocr $(ARGS)

demo-classify: setup
	@$(PY) -c 'import PIL' 2>/dev/null || $(PY) -m pip install -q pillow
	@$(PY) -m demos.classify $(ARGS)

test: test-cpp test-py

test-cpp: setup-test
	@echo "test: building the C++ tests"
	@$(CMAKE_CONFIGURE) -B build/tests -DSAMPAN_TESTS=ON -DSAMPAN_TOOLS=ON > build/tests-configure.log 2>&1 \
	  || { cat build/tests-configure.log; exit 1; }
	@cmake --build build/tests -j$(JOBS)
	@ctest --test-dir build/tests --output-on-failure -j$(JOBS) --no-tests=ignore

test-py: setup-test
	@$(PY) -m pytest $(ARGS)

bench: setup-test
	@$(PY) -m benchmarks.peers $(ARGS)

compare-ocr: setup-test
	@$(PY) -m tests.demos.compare_ocr $(ARGS)

conformance: setup-test
	@$(PY) -m tests.conformance $(ARGS)

lint: setup
	@$(PY) -m pip install -q ruff mypy
	$(PY) -m ruff check .
	$(PY) -m mypy
	@if command -v clang-format >/dev/null; then \
	  git ls-files '*.cc' '*.h' | xargs clang-format --dry-run -Werror && echo "clang-format: ok"; \
	else echo "clang-format is not installed: C++ was not checked"; fi

format:
	git ls-files '*.cc' '*.h' | xargs clang-format -i

test-asan: setup-test
	@$(CMAKE_CONFIGURE) -B build/asan -DSAMPAN_TESTS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DSAMPAN_SANITIZE=address,undefined > build/asan-configure.log 2>&1 || { cat build/asan-configure.log; exit 1; }
	@cmake --build build/asan -j$(JOBS)
	@ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	  ctest --test-dir build/asan --output-on-failure -j$(JOBS) --no-tests=ignore

fuzz: setup-test
	@command -v clang++ >/dev/null || { echo "fuzz: clang++ is needed (Debian: apt-get install clang libclang-rt-14-dev)"; exit 1; }
	@$(CMAKE_CONFIGURE) -B build/fuzz -DSAMPAN_FUZZ=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
	  -DSAMPAN_SANITIZE=address,undefined > build/fuzz-configure.log 2>&1 || { cat build/fuzz-configure.log; exit 1; }
	@cmake --build build/fuzz -j$(JOBS)
	@$(PY) toolchains/fuzz.py build/fuzz $(FUZZ_SECONDS)

wheel: setup
	@$(PY) -m pip wheel --no-build-isolation --no-deps -w dist .

docs: setup
	@$(PY) -m sampan.cli docs-operators -o docs/operators.md

cross: setup
	@$(PY) -m pip install -q 'ziglang>=0.11'
	@$(PY) toolchains/cross.py x86_64-windows-gnu aarch64-macos x86_64-macos

clean:
	rm -rf build dist
