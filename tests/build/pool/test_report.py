"""``vidomni build pool-report`` with tiny encoders of random weights."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from sklearn.metrics.pairwise import cosine_distances
from typer.testing import CliRunner

from tests.build.pool.clips import LIMITS, copy_pool
from tests.build.pool.test_pool import build, lines
from tests.models.detectors.tiny_clip import build as tiny_clip
from vidomni_plugin.build.pool import encoder as module
from vidomni_plugin.build.pool.encoder import load_encoder
from vidomni_plugin.build.pool.features import encoded
from vidomni_plugin.build.pool.measure import Picture
from vidomni_plugin.cli import app, main

SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1}
SMALL |= {"num_attention_heads": 2, "image_size": 32, "patch_size": 16}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def pool(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = copy_pool(
        clips, tmp_path_factory.mktemp("v"), lambda p: p.stem.startswith(("good_0", "good_12"))
    )
    out = tmp_path_factory.mktemp("pool")
    folders = ("--videos", root / "a", "--videos", root / "b")
    build(*folders, "--out", out, *LIMITS, "--sample", 4)
    return out


def report(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["build", "pool-report", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def pictures_of(pool: Path, sha256: str, role: str) -> list[np.ndarray]:
    with sqlite3.connect(pool / "measured.sqlite") as database:
        found = database.execute(
            "SELECT jpeg FROM pictures WHERE key LIKE ? AND role = ? ORDER BY number",
            (f"{sha256}:%", role),
        ).fetchall()
    return [np.array(Image.open(io.BytesIO(jpeg))) for (jpeg,) in found]


def test_the_report_says_what_the_model_says(pool, clip):
    """All by hand: transformers' own class, one picture at a time, and scikit-learn."""
    report(pool, "--encoder", clip, "--device", "cpu")
    model = transformers.CLIPModel.from_pretrained(clip).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(clip)

    def mean(pictures):
        features = []
        for picture in pictures:
            pixels = processor(images=picture, return_tensors="pt").pixel_values
            with torch.no_grad():
                found = model.get_image_features(pixel_values=pixels).pooler_output[0].numpy()
            features.append(found / np.linalg.norm(found))
        whole = np.mean(features, axis=0)
        return whole / np.linalg.norm(whole)

    videos = lines(pool / "pool.jsonl")
    apart = cosine_distances([mean(pictures_of(pool, v["sha256"], "whole")) for v in videos])
    np.fill_diagonal(apart, np.inf)
    written = rows(pool / "report" / "videos.csv")
    assert [row["video_id"] for row in written] == [v["video_id"] for v in videos]
    nearest = [videos[k]["video_id"] for k in apart.argmin(axis=1)]
    assert [row["nearest"] for row in written] == nearest
    distances = [float(row["nearest_distance"]) for row in written]
    assert distances == pytest.approx(apart.min(axis=1), abs=1e-6)
    whole, *by_source = rows(pool / "report" / "between_videos.csv")
    pairs = apart[np.triu_indices(len(videos), 1)]
    assert float(whole["diversity"]) == pytest.approx(pairs.mean(), abs=1e-6)
    assert [(row["source"], int(row["videos"])) for row in by_source] == [("a", 10), ("b", 1)]
    assert by_source[1]["diversity"] == ""
    frames = pictures_of(pool, videos[0]["sha256"], "window")
    assert len(frames) == 8  # 2 s: two windows of four frames
    between = cosine_distances([mean(frames[:4])], [mean(frames[4:])])[0, 0]
    assert float(written[0]["adjacent"]) == pytest.approx(between, abs=1e-6)


def test_features_are_kept_and_files_are_the_same(pool, clip, tmp_path, monkeypatch):
    report(pool, "--encoder", clip, "--out", tmp_path / "one", "--device", "cpu")
    monkeypatch.setattr(
        "vidomni_plugin.build.pool.features.encoded", lambda *_: pytest.fail("encoded again")
    )
    report(pool, "--encoder", clip, "--out", tmp_path / "two", "--device", "cpu")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert {"map.png", "map.svg", "within_videos.md", "between_videos.tex"} < set(names)
    for name in names:
        one, two = (tmp_path / run / name for run in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), name
    about = json.loads((tmp_path / "one" / "report.json").read_text())
    assert (about["features"], about["videos"]) == ("image features", 11)


def test_another_model_is_encoded_anew_and_the_sample_has_its_own_report(pool, tmp_path):
    other = tiny_clip(tmp_path / "clip", seed=1)
    output = report(pool, "--encoder", other, "--of", "sample", "--device", "cpu")
    assert len(rows(pool / "report_sample" / "videos.csv")) == 4
    assert "all videos" in output


def saved(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def test_other_encoders(tmp_path):
    picture = np.random.default_rng(0).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    vit = transformers.ViTConfig(**SMALL)
    found = {}
    for name, model in (
        ("pooled", transformers.ViTModel(vit)),
        ("no pooler", transformers.ViTModel(vit, add_pooling_layer=False)),
        ("siglip", transformers.SiglipVisionModel(transformers.SiglipVisionConfig(**SMALL))),
        ("dinov2", transformers.Dinov2Model(transformers.Dinov2Config(**SMALL))),
    ):
        encoder = load_encoder(str(saved(model, tmp_path / name)), "cpu")
        features = encoder.features([picture, picture[:, ::-1].copy()])
        assert features.shape == (2, 16)
        assert np.isfinite(features).all()
        assert features[0].tolist() != features[1].tolist()
        found[name] = (encoder.rule, encoder.digest())
    rules = {name: rule for name, (rule, _) in found.items()}
    assert rules["pooled"] == "pooled output"
    assert rules["no pooler"] == "mean of tokens"
    assert len({digest for _, digest in found.values()}) == 4


def test_a_picture_that_is_in_both_is_encoded_once():
    seen: list[int] = []

    def features(pictures):
        seen.append(len(pictures))
        return np.stack([np.full(3, picture.mean(), dtype=np.float32) for picture in pictures])

    def picture(role, number, level):
        file = io.BytesIO()
        Image.new("RGB", (8, 8), (level,) * 3).save(file, "JPEG")
        return Picture(role, number, 0.0, file.getvalue())

    whole = [picture("whole", k, 10 * k) for k in range(8)]
    of_windows = [picture("window", k, 10 * (k // 2)) for k in range(16)]
    found = encoded(SimpleNamespace(features=features), whole, of_windows, batch=3)
    assert seen == [3, 3, 2]
    assert found.whole[:, 0] == pytest.approx([10 * k for k in range(8)], abs=1)
    assert found.windows.shape == (4, 4, 3)
    assert found.windows[1, :, 0] == pytest.approx([20, 20, 30, 30], abs=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--encoder", "/no/such/model"], "/no/such/model: no folder, and not to be had from"),
        (["--of", "half"], "'half' is not one of 'pool', 'sample'"),
        (["--device", "cuda:99", "--encoder", "CLIP"], "[usage]"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(pool, clip, arguments, said, monkeypatch, capsys):
    given = [str(clip) if one == "CLIP" else one for one in arguments]
    monkeypatch.setattr("sys.argv", ["vidomni", "build", "pool-report", str(pool), *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in {1, 2}
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_no_pool_and_lost_pictures_are_problems(pool, clip, tmp_path, monkeypatch, capsys):
    for name in ("pool.jsonl", "settings.json"):
        arguments = ["build", "pool-report", str(tmp_path), "--encoder", str(clip)]
        monkeypatch.setattr("sys.argv", ["vidomni", *arguments, "--device", "cpu"])
        with pytest.raises(SystemExit):
            main()
        assert f"{name}: No such file" in capsys.readouterr().err
        (tmp_path / name).write_bytes((pool / name).read_bytes())
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.count("its pictures are not kept [no-file]") == 11


NOWHERE = "http://127.0.0.1:9"


def command(pool: Path, code: int, **environment: str) -> str:
    """Run the command where there is no network; returns what it said."""
    arguments = ["build", "pool-report", str(pool), "--encoder", "lab/clip", "--device", "cpu"]
    done = subprocess.run(
        [sys.executable, "-c", "from vidomni_plugin.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return " ".join(done.stderr.split())


def test_without_network_it_ends_soon_and_says_what_to_do(pool, clip, tmp_path):
    home = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": NOWHERE, "HF_HUB_OFFLINE": "0"}
    said = command(pool, 1, **home)
    assert "Retrying" not in said  # which took two minutes
    assert "lab/clip: no folder, and not to be had from the hub: " in said
    assert "Connection refused [weights]" in said
    assert "a folder with a vision encoder" in said
    said = command(pool, 1, **home | {"HF_HUB_OFFLINE": "1"})
    assert "the hub: not in the hub's cache, and HF_HUB_OFFLINE is set [weights]" in said
    cache = tmp_path / "hub" / "models--lab--clip"
    shutil.copytree(clip, cache / "snapshots" / "0123abc")
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("0123abc")
    assert "Retrying" not in command(pool, 0, **home)


def test_a_long_message_is_cut_between_words():
    def fail():
        raise OSError("preprocessor " * 40)

    with pytest.raises(module.InputProblems) as caught:
        module._loaded("x", fail)
    (problem,) = caught.value.problems
    assert problem.message.endswith("preprocessor ...")


def test_weights_that_are_missing_are_refused(clip, tmp_path):
    from safetensors.torch import load_file, save_file

    for path in clip.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(clip / "model.safetensors")
    del weights["visual_projection.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(module.InputProblems, match="1 weights are missing, such as visual_proj"):
        load_encoder(str(tmp_path), "cpu")
