"""How often a video is decoded when five questions are asked about it: host, and with the runner.

``python tests/benchmarks/speed/decode.py`` prints the rows. Each side is a run of the host's own
command line, in one process or under torchrun, and decord's decodes are counted inside of it. The
host's Qwen runner needs GPUs for several ranks; there a model stands for it that reads videos as
the host's chat runners do and answers with a hash of the pixels.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "end_to_end")]

from tests.benchmarks.speed.rows import Row  # noqa: E402

VIDEOS = 8
QUESTIONS = 5
FRAMES = 32
RANKS = 4
ONE_VIDEO_GB = 0.003
"""Room for one of the videos (32 frames in 160 x 120 are 1.8 MB), so that the order counts."""
SHOWN = {"qwen2_5_vl": "qwen2_5_vl", "reading": "a model that only reads"}
LIVELY = 8
"""Factor of the weights."""
COUNTS = "VIDOMNI_BENCH_COUNTS"
SECONDS = 900
SMALL = f"device=cpu,device_map=cpu,max_num_frames={FRAMES},min_pixels=3136,max_pixels=12544"


class Run(NamedTuple):
    """What one run of the host did."""

    decodes: int
    answers: dict[str, str]


def child(arguments: Sequence[str]) -> None:
    """Run the host's command line in this process; count the batches that decord decodes."""
    import atexit

    from decord import video_reader
    from lmms_eval.__main__ import cli_evaluate
    from lmms_eval.models import MODEL_REGISTRY_V2
    from lmms_eval.models.registry_v2 import ModelManifest

    decodes = [0]
    plain = video_reader._CAPI_VideoReaderGetBatch

    def counted(*given: Any) -> Any:
        decodes[0] += 1
        return plain(*given)

    video_reader._CAPI_VideoReaderGetBatch = counted
    file = Path(os.environ[COUNTS]) / f"{os.environ.get('RANK', '0')}.txt"
    atexit.register(lambda: file.write_text(str(decodes[0])))
    reading = f"{__spec__.name if __spec__ else 'decode'}.Reading"
    sys.modules[reading.rpartition(".")[0]] = sys.modules[__name__]
    MODEL_REGISTRY_V2.register_manifest(
        ModelManifest(model_id="reading", chat_class_path=reading), overwrite=True
    )
    sys.argv = ["lmms-eval", *arguments]
    cli_evaluate()


def _reading() -> type[Any]:
    from accelerate import PartialState
    from lmms_eval.api.model import lmms
    from lmms_eval.protocol import ChatMessages

    class Reading(lmms):
        """Reads each video through qwen_vl_utils, as the host's chat runners do."""

        is_simple = False

        def __init__(self, **unused: Any) -> None:
            super().__init__()
            self.device = PartialState().device

        def generate_until(self, requests: list[Any]) -> list[str]:
            from qwen_vl_utils import process_vision_info

            answers: dict[int, str] = {}
            # The host's Qwen runners sort by the prompt, so that questions of videos mix.
            for place in sorted(range(len(requests)), key=lambda k: requests[k].args[0]):
                _, messages, _, doc_id, task, split = requests[place].args
                chat = ChatMessages(messages=messages(self.task_dict[task][split][doc_id]))
                shown = chat.to_hf_messages(video_kwargs={"nframes": FRAMES})
                _, (pixels,) = process_vision_info(shown)
                digest = hashlib.sha256(pixels.numpy().tobytes()).hexdigest()[:8]
                answers[place] = f'{{"sentence_1": {int(digest, 16) % 2}}} {digest}'
            return [answers[place] for place in range(len(requests))]

        def loglikelihood(self, requests: list[Any]) -> Any:
            raise TypeError("only generates text")

        generate_until_multi_round = loglikelihood

    return Reading


def __getattr__(name: str) -> Any:
    # The registry looks the class up here; the host is imported only then.
    if name == "Reading":
        return _reading()
    raise AttributeError(name)


def checkpoint(out: Path) -> Path:
    """Write a tiny model whose answers depend on what it is asked, as its random weights do not."""
    import torch
    from checkpoints import build
    from transformers import Qwen2_5_VLForConditionalGeneration

    build("qwen2_5_vl", out)
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(out)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(LIVELY)
    model.save_pretrained(out)
    return out


def data(root: Path) -> Path:
    """Lay out VidOmni with five captions a video; the prompts' order mixes the videos."""
    from tests.conftest import vidomni_data, vidomni_record
    from tests.video import clips

    records = [
        vidomni_record(
            pair_id=f"v{video}__{k}",
            video_id=f"v{video}",
            sentences=[{"text": f"{k}: what moves in {video}.", "label": 0, "errors": []}],
        )
        for video in range(VIDEOS)
        for k in range(QUESTIONS)
    ]
    vidomni_data(root, records)
    for video in range(VIDEOS):
        clips.write(
            root / "videos" / f"v{video}.mp4",
            frames=50,
            size=(160, 120),
            first=100 * video,
        )
    return root


def run(folder: Path, omni: Path, model: str, arguments: str, ranks: int, **env: str) -> Run:
    """Ask every question through the host's command line."""
    counts = folder / "counts"
    counts.mkdir(parents=True)
    launcher = [sys.executable]
    if ranks > 1:
        launcher += ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
    command = [*launcher, str(Path(__file__).resolve()), "child", "--model", model]
    command += ["--model_args", arguments, "--tasks", "vidomni", "--batch_size", "1"]
    command += ["--gen_kwargs", "max_new_tokens=24", "--log_samples"]
    command += ["--output_path", str(folder / "logs")]
    given = {"VIDOMNI_DATA": str(omni), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    given |= {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1", COUNTS: str(counts)}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, **given, **env},
        cwd=folder,
    )
    found = list((folder / "logs").rglob("*_samples_vidomni.jsonl"))
    if not found:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-4000:])
    lines = found[0].read_text(encoding="utf-8").splitlines()
    samples = [json.loads(line) for line in lines]
    return Run(
        sum(int(file.read_text()) for file in counts.iterdir()),
        {sample["f1"]["pair_id"]: sample["filtered_resps"] for sample in samples},
    )


def _row(folder: Path, omni: Path, inner: str, arguments: str, ranks: int) -> Row:
    host = run(folder / "host", omni, inner, arguments, ranks, VIDOMNI_CACHE_GB="0")
    own = f"inner={inner},journal={folder / 'journal'},cache_gb={ONE_VIDEO_GB}"
    ours = run(
        folder / "ours", omni, "vidomni_runner", ",".join(filter(None, (own, arguments))), ranks
    )
    whole = len(host.answers) == VIDEOS * QUESTIONS
    same = whole and host.answers == ours.answers
    return Row(
        f"decodes a video, {SHOWN[inner]}, {ranks} rank{'s' * (ranks > 1)}",
        host.decodes / VIDEOS,
        ours.decodes / VIDEOS if same else float("inf"),
        1.0,
        "decodes a video",
        f"{VIDEOS} videos x {QUESTIONS} questions, room for one video, "
        + ("same answers" if same else "OTHER ANSWERS"),
    )


def rows() -> list[Row]:
    """Return decodes a video for one rank and for four."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.setdefault("VIDOMNI_HOME", str(folder / "home"))
        omni = data(folder / "omni")
        tiny = f"pretrained={checkpoint(folder / 'tiny')},{SMALL}"
        return [
            _row(folder / "one", omni, "qwen2_5_vl", tiny, 1),
            _row(folder / "several", omni, "reading", "", RANKS),
        ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2:])
    else:
        for row in rows():
            print(row, "held" if row.held else "MISSED")
