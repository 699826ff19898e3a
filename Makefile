# Two commands do all the set-up: `make demo` runs both built-in samples, `make test` the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# A model id of the hub; without one, a tiny random checkpoint is built (its scores are noise).
MODEL ?=
RUNNER ?= qwen2_5_vl
OUT ?= demo
# Processes of `make test`; each holds torch and the host, about 2 GB.
JOBS ?= 2
# A real Label Studio for `make test-label-studio`: 1 GB, so in a venv of its own.
LABEL_STUDIO ?= .venv-label-studio
DEMO_ARGS := device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=50176

.PHONY: demo seer test test-label-studio lint types clean

$(BIN)/.installed: setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[test]'
	touch $@

demo: $(BIN)/.installed
	rm -rf $(OUT)/logs
ifeq ($(MODEL),)
	$(BIN)/python tests/end_to_end/checkpoints.py $(RUNNER) $(OUT)/checkpoint
	$(BIN)/lmms-eval --model $(RUNNER) --model_args pretrained=$(OUT)/checkpoint,$(DEMO_ARGS) \
		--tasks vidomni_mini,vidhalloc_mini --gen_kwargs max_new_tokens=16 --batch_size 1 \
		--log_samples --output_path $(OUT)/logs
	@# The host ends with 0 when it failed: what it was to write must be there and whole.
	@test "$$(find $(OUT)/logs -name '*_samples_vid*.jsonl' | wc -l)" -eq 2
	@find $(OUT)/logs -name '*_samples_vid*.jsonl' -exec $(BIN)/vidomni score {} + > $(OUT)/scores.txt
	@echo "The checkpoint is random: its answers are noise, which is why labels are missing."
else
	$(BIN)/lmms-eval --model $(RUNNER) --model_args pretrained=$(MODEL) \
		--tasks vidomni_mini,vidhalloc_mini --batch_size 1 --log_samples --output_path $(OUT)/logs
endif
	$(BIN)/vidomni report $(OUT)/logs --out $(OUT)/report --force

# Train the tiny model that sees anew; stopped, it goes on where it was.
SEER ?= seer
seer: $(BIN)/.installed
	@# Waiting threads sleep: beside other work two of them would spin away half of the time.
	OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 $(BIN)/python -m vidomni_plugin.models.seer.train $(SEER)
	$(BIN)/python -m vidomni_plugin.models.seer.evaluate $(SEER)

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
