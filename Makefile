# Kane. Start with `make run` and `make test`; `make help` lists all targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30

install_packages := scripts/install_dependencies.sh
configure := scripts/configure.sh
build_with := cmake --build
# A fresh folder compiles each module as one unit, in under a third of the processor time. An existing folder stays as
# it is: for work on the sources, configure one with KANE_UNITY=OFF (scripts/configure.sh release build KANE_BUILD_TESTS=ON).
fresh_folder = $(if $(wildcard $(1)/build.ninja),,KANE_UNITY=ON $(2))
# Suites named ...Slow take too long under a sanitizer.
quick_tests := -E 'Slow\.'
# Suites in which threads meet, for the thread sanitizer; tests/CMakeLists.txt names their programs.
thread_tests := -R '(^|/)(HapticLoop|LatestValue|WrittenConstraint|Rehearsal|UdpDevice|ModelThreads|Kernel\.IsShared|Graph\.TwoGraphs)'
# The thread sanitizer of clang 14 cannot start where the kernel randomises more than 28 bits of addresses.
fixed_addresses = $(shell setarch -R true 2>/dev/null && echo setarch -R)

.PHONY: run test build package python-install bench asan tsan soak fuzz docs api-docs format check-format install clean help

run: build  ## Build, and run a short demonstration
	scripts/demo.sh build/bin/kane

build:  ## Build the library and the command build/bin/kane (release)
	@$(install_packages) build
	@$(configure) release build $(call fresh_folder,build,KANE_BUILD_TESTS=OFF)
	@$(build_with) build --target product -j $(JOBS)

test:  ## Build and run all tests
	@$(install_packages) build tests
	@$(configure) release build KANE_BUILD_TESTS=ON $(call fresh_folder,build)
	@$(build_with) build -j $(JOBS)
	@scripts/run_tests.sh build -j $(JOBS)
	@cat build/tests.summary

asan:  ## Tests with the address and undefined behaviour sanitizers
	@$(install_packages) build tests
	@$(configure) asan-ubsan build-asan KANE_BUILD_TESTS=ON
	@$(build_with) build-asan -j $(JOBS)
	@scripts/run_tests.sh build-asan -j $(JOBS) $(quick_tests)

tsan:  ## Tests that use several threads, with the thread sanitizer
	@$(install_packages) build tests
	@$(configure) tsan build-tsan KANE_BUILD_TESTS=ON
	@$(build_with) build-tsan --target thread_tests -j $(JOBS)
	@$(fixed_addresses) scripts/run_tests.sh build-tsan -j $(JOBS) $(thread_tests)

bench:  ## Build and run the benchmarks; results go to build/bench
	@$(install_packages) build bench
	@$(configure) release build KANE_BUILD_BENCH=ON $(call fresh_folder,build,KANE_BUILD_TESTS=OFF)
	@$(build_with) build --target benchmarks -j $(JOBS)
	@scripts/run_benchmarks.sh build

soak: build  ## Simulate SOAK_COUNT (1000) random piles from SOAK_SEED; prints the seeds of those that fail
	@python3 scripts/soak.py build/bin/kane --count $(or $(SOAK_COUNT),1000) $(if $(SOAK_SEED),--seed $(SOAK_SEED))

fuzz:  ## Run each fuzz target for FUZZ_SECONDS (30)
	@$(install_packages) build fuzz
	@$(configure) fuzz build-fuzz
	@$(build_with) build-fuzz -j $(JOBS)
	@scripts/run_fuzzers.sh build-fuzz $(FUZZ_SECONDS)

docs:  ## Build the documentation site: build/site/index.html
	@$(install_packages) build docs
	@$(configure) release build $(call fresh_folder,build,KANE_BUILD_TESTS=OFF)
	@$(build_with) build --target kane kane_python -j $(JOBS)
	@/usr/bin/python3 scripts/build_site.py build build/site

api-docs:  ## Write the API reference of C++ to build/docs/index.html
	@$(install_packages) docs
	@scripts/build_docs.sh build/docs

format:  ## Format all sources with clang-format
	@scripts/format.sh

check-format:  ## Fail if a source is not formatted
	@scripts/format.sh --check

install: build  ## Install in PREFIX (/usr/local)
	@cmake --install build --prefix "$(abspath $(PREFIX))"

python-install:  ## Build the Python package and install it in PREFIX (/usr/local)
	@$(install_packages) build
	@$(configure) release build $(call fresh_folder,build,KANE_BUILD_TESTS=OFF)
	@$(build_with) build --target kane_python -j $(JOBS)
	@cmake --install build --component python --prefix "$(abspath $(PREFIX))"

package:  ## Debian packages of the command, the library, the Python package and the documents in build-package
	@$(install_packages) build
	@$(configure) package build-package
	@$(build_with) build-package --target product -j $(JOBS)
	@if $(build_with) build-package --target help | grep -q kane_python; then $(build_with) build-package --target kane_python -j $(JOBS); fi
	@cd build-package && rm -f *.deb && cpack
	@scripts/check_packages.sh build-package

clean:  ## Remove everything that was built
	rm -rf build build-package build-dev build-asan build-tsan build-fuzz

help:  ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 20
