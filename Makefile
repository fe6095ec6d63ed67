# Everything here sets up what it needs first; see .ci/setup.
SHELL := /bin/bash -o pipefail
export PATH := $(PATH):/usr/local/go/bin
# Fyne logs noise without a locale it can parse.
TEST_ENV = LC_ALL= LANG=en_US.UTF-8 FERMATA_TEST_CLAUDE="$$(.ci/setup claude)"
GO_TEST = $(TEST_ENV) go test -tags gles$(TAGS) -timeout 35m
ARGS ?=
TESTFLAGS ?=
PACKAGES ?= ./...

.DEFAULT_GOAL := help
.PHONY: help run build setup test conformance bench soak demo screenshots lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

run: ## build and start the app (ARGS="--log-level debug")
	@.ci/setup run
	@go build -tags gles -o .cache/bin/fermata .
	@exec .ci/start .cache/bin/fermata $(ARGS)

build: ## build .cache/bin/fermata
	@.ci/setup build
	go build -tags gles -o .cache/bin/fermata .

setup: ## install all that running, testing and linting need
	@.ci/setup run
	@.ci/setup test
	@.ci/setup lint

test: ## vet and test, with the real Claude Code (PACKAGES=./store/... TESTFLAGS="-run Name")
	@.ci/setup test
	go vet -tags gles,bench,soak,demo $(PACKAGES)
	$(GO_TEST) -race -p 2 $(TESTFLAGS) $(PACKAGES)

conformance: ## ask the running app for every sentence of its contract, one line each
	@.ci/setup test
	@$(GO_TEST) -count 1 -run '^Test(Conformance|Official)' -v $(TESTFLAGS) ./app/conformance | grep -Ev '^ *(=== |--- PASS|PASS)|^ok[[:space:]]+fermata/'

bench: TAGS = ,bench
bench: ## print the ratios to bare baselines, one line each
	@.ci/setup test
	@$(GO_TEST) -p 1 -count 1 -run '^TestBench' -v $(TESTFLAGS) $(PACKAGES) | grep -Ev '^(=== |--- PASS|PASS|\?|ok |testing: warning)'

soak: TAGS = ,soak
soak: ## the long counts that make test leaves out
	@.ci/setup test
	$(GO_TEST) -race -p 1 -count 1 -run '^TestSoak' -timeout 4h $(TESTFLAGS) $(PACKAGES)

demo: TAGS = ,demo
demo: ## play one piece from draft to pull request, to watch or as screenshots
	@.ci/setup test
	@$(GO_TEST) -count 1 -run '^TestDemo' -v $(TESTFLAGS) ./app/...

screenshots: ## draw every window and pane into .cache/screenshots: light and dark, at 100 and 200 %
	@.ci/setup test
	@rm -rf .cache/screenshots && mkdir -p .cache/screenshots
	@FERMATA_PICTURES="$$PWD/.cache/screenshots" $(GO_TEST) -count 1 -p 1 -run 'Picture' $(TESTFLAGS) ./ui/...
	@.ci/gallery .cache/screenshots

lint: ## check style and the import directions
	@.ci/setup lint
	GOLANGCI_LINT_CACHE="$$PWD/.cache/golangci" nice -n 15 .cache/bin/golangci-lint run --build-tags gles

clean: ## remove what was built; what was installed stays
	rm -rf .cache/bin/fermata .cache/golangci
