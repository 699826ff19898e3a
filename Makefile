# Two commands do all the set-up: `make demo` runs two small models on both built-in samples,
# `make test` the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# A model id of the hub; without one, the two small models of the package are run.
MODEL ?=
# More arguments of such a model, as `MODEL_ARGS=fps=2,max_num_frames=16`.
MODEL_ARGS ?=
comma := ,
RUNNER ?= qwen2_5_vl
OUT ?= demo
# Processes of `make test`; each holds torch and the host, about 2 GB.
JOBS ?= 2
# A real Label Studio for `make test-label-studio`: 1 GB, so in a venv of its own.
LABEL_STUDIO ?= .venv-label-studio
# What the package's models were trained with.
SEER_ARGS := device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=12544

.PHONY: demo seer test test-label-studio lint types clean

$(BIN)/.installed: setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[test]'
	touch $@

demo: $(BIN)/.installed
ifeq ($(MODEL),)
	@case "$(RUNNER)" in *qwen2_5_vl) ;; *) echo "RUNNER=$(RUNNER) needs MODEL=<hub id>:" \
		"the models of the package are of Qwen2.5-VL" >&2; exit 1 ;; esac
	$(if $(OUT),,$(error OUT is empty: it is the folder for the results))
	rm -rf $(OUT)/logs
	@# More threads than one only wait for each other: the models are small.
	@set -e; for which in whole half; do \
		path=$$($(BIN)/python -m vidomni_plugin.models.seer.shipped $$which); \
		OMP_NUM_THREADS=1 $(BIN)/lmms-eval --model $(RUNNER) \
			--model_args pretrained=$$path,$(SEER_ARGS) --tasks vidomni_mini,vidhalloc_mini \
			--gen_kwargs max_new_tokens=32 --batch_size 1 \
			--log_samples --output_path $(OUT)/logs/$$which; \
	done
	@# The host ends with 0 when it failed: what it was to write must be there and whole.
	@test "$$(find $(OUT)/logs -name '*_samples_vid*.jsonl' | wc -l)" -eq 4
	@find $(OUT)/logs -name '*_samples_vid*.jsonl' -exec $(BIN)/vidomni score {} + > $(OUT)/scores.txt
	$(BIN)/vidomni compare whole=$(OUT)/logs/whole half=$(OUT)/logs/half
	$(BIN)/vidomni report whole=$(OUT)/logs/whole half=$(OUT)/logs/half --out $(OUT)/report --force
	@echo "What the numbers mean: docs/demo.md"
else
	$(if $(OUT),,$(error OUT is empty: it is the folder for the results))
	rm -rf $(OUT)/logs
	$(BIN)/lmms-eval --model $(RUNNER) --model_args pretrained=$(MODEL)$(addprefix $(comma),$(MODEL_ARGS)) \
		--tasks vidomni_mini,vidhalloc_mini --batch_size 1 --log_samples --output_path $(OUT)/logs
	$(BIN)/vidomni report $(OUT)/logs --out $(OUT)/report --force
endif

# Train the small model that sees anew, measure it and write its card; stopped, it goes on where it was.
SEER ?= seer
# Waiting threads spin for a moment and then sleep: asleep at once, they cost a fifth of the time on
# a quiet machine; spinning on, they take half of it away beside other work.
seer: export GOMP_SPINCOUNT := 20000
seer: export OMP_NUM_THREADS := 2
seer: $(BIN)/.installed
	$(if $(SEER),,$(error SEER is empty: it is the folder that gets the model))
	$(BIN)/python -m vidomni_plugin.models.seer.train "$(SEER)"
	$(BIN)/python -m vidomni_plugin.models.seer.evaluate "$(SEER)" "$(SEER)/half" \
		--clips plain all --log "$(SEER)/evaluation.jsonl"
	$(BIN)/python -m vidomni_plugin.models.seer.card "$(SEER)"

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.installed
	$(BIN)/mypy

test: lint types
	@# A file stays whole in one process, for what its tests share; the order ends with the small ones.
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

$(LABEL_STUDIO)/.installed:
	$(PYTHON) -m venv $(LABEL_STUDIO)
	$(LABEL_STUDIO)/bin/python -m pip install --quiet label-studio==1.23.2
	touch $@

test-label-studio: $(BIN)/.installed $(LABEL_STUDIO)/.installed
	VIDOMNI_LABEL_STUDIO=$(LABEL_STUDIO)/bin/label-studio $(BIN)/pytest tests/label_studio

clean:
	rm -rf $(VENV) $(LABEL_STUDIO) $(OUT) build *.egg-info
