"""Weights in OpenAI's layout give the features that OpenAI's arithmetic gives."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from vidomni_plugin.models.detectors.checkpoint import load_checkpoint
from vidomni_plugin.models.detectors.pacs import PacsDetector
from vidomni_plugin.problems import InputProblems

WIDTH, OUT, PATCH, SIZE, LONGEST, WORDS = 16, 12, 16, 32, 77, 514
HEADS, LAYERS = 2, 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(WIDTH, HEADS)
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(WIDTH, 2 * WIDTH), "c_proj": nn.Linear(2 * WIDTH, WIDTH)}
        )

    def forward(self, x, mask):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        hidden = self.mlp["c_fc"](self.ln_2(x))
        return x + self.mlp["c_proj"](hidden * torch.sigmoid(1.702 * hidden))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.resblocks = nn.ModuleList([Block() for _ in range(LAYERS)])

    def forward(self, x, mask=None):
        for block in self.resblocks:
            x = block(x, mask)
        return x


class Visual(nn.Module):
    def __init__(self):
        super().__init__()
        self.class_embedding = nn.Parameter(torch.randn(WIDTH))
        self.positional_embedding = nn.Parameter(torch.randn((SIZE // PATCH) ** 2 + 1, WIDTH))
        self.conv1 = nn.Conv2d(3, WIDTH, PATCH, PATCH, bias=False)
        self.ln_pre, self.ln_post = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.transformer = Transformer()
        self.proj = nn.Parameter(torch.randn(WIDTH, OUT))

    def forward(self, pictures):
        x = self.conv1(pictures).flatten(2).permute(2, 0, 1)
        first = self.class_embedding.expand(1, x.shape[1], WIDTH)
        x = torch.cat([first, x]) + self.positional_embedding[:, None]
        return self.ln_post(self.transformer(self.ln_pre(x))[0]) @ self.proj


class OpenAI(nn.Module):
    """CLIP as its paper describes it, with the parameter names of its first release."""

    def __init__(self):
        super().__init__()
        self.visual = Visual()
        self.transformer = Transformer()
        self.token_embedding = nn.Embedding(WORDS, WIDTH)
        self.positional_embedding = nn.Parameter(torch.randn(LONGEST, WIDTH))
        self.ln_final = nn.LayerNorm(WIDTH)
        self.text_projection = nn.Parameter(torch.randn(WIDTH, OUT))
        self.logit_scale = nn.Parameter(torch.tensor(2.0))

    def words(self, ids):
        x = self.token_embedding(torch.tensor(ids)) + self.positional_embedding[: len(ids)]
        mask = torch.full((len(ids), len(ids)), float("-inf")).triu(1)
        return self.ln_final(self.transformer(x[:, None], mask)[:, 0]) @ self.text_projection


@pytest.fixture(scope="module")
def openai():
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = OpenAI().eval()
        for weight in model.parameters():  # biases of zero would hide a mix-up
            if weight.ndim == 1:
                nn.init.normal_(weight)
    return model


@pytest.mark.parametrize("form", ["under state_dict", "bare", "parallel"])
@torch.no_grad()
def test_the_same_features(form, openai, tiny, tmp_path):
    weights = openai.state_dict()
    if form == "parallel":
        weights = {f"module.{name}": value for name, value in weights.items()}
    content = weights if form == "bare" else {"state_dict": weights, "epoch": 3}
    torch.save(content, tmp_path / "pac.pth")
    detector = PacsDetector(str(tiny), weights=tmp_path / "pac.pth", device="cpu")
    pictures = torch.randn(3, 3, SIZE, SIZE)
    clip = detector.clip
    ours = clip.model.get_image_features(pixel_values=pictures).pooler_output
    torch.testing.assert_close(ours, openai.visual(pictures), atol=1e-5, rtol=1e-5)
    ids = clip.ids("a photo of a dog")
    words = torch.from_numpy(clip.words(ids))
    torch.testing.assert_close(words, openai.words(ids), atol=1e-5, rtol=1e-5)
    assert len(detector.told()["weights"]) == 12


def test_weights_of_transformers_are_taken_as_well(tiny, tmp_path):
    from transformers import CLIPModel

    model = CLIPModel.from_pretrained(tiny)
    other = {name: value + 1 for name, value in model.state_dict().items()}
    torch.save({"state_dict": other}, tmp_path / "weights.pt")
    load_checkpoint("vidomni_pacs", tmp_path / "weights.pt", model)
    for name, value in model.state_dict().items():
        assert torch.equal(value, other[name])


def lora(weights):
    return weights | {"visual.transformer.resblocks.0.lora_A": torch.zeros(4, 16)}


def without(weights):
    return {k: v for k, v in weights.items() if k != "ln_final.bias"}


def wider(weights):
    return weights | {"visual.proj": torch.zeros(WIDTH, 2 * OUT)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lora, "1 weights are not known: visual.transformer.resblocks.0.lora_A"),
        (without, "1 weights are missing: text_model.final_layer_norm.bias"),
        (wider, "1 weights are of another shape: visual_projection.weight"),
        (lambda weights: {"state_dict": 3}, "no file of weights alone: there is no state_dict"),
        (lambda weights: {"state_dict": {}}, "there are no weights in it"),
        (lambda weights: {"state_dict": weights, "made_by": Block}, "no file of weights alone"),
    ],
    ids=["LoRA", "missing", "shape", "no weights", "empty", "a program"],
)
def test_what_does_not_fit_is_refused(change, message, openai, tiny, tmp_path):
    from transformers import CLIPModel

    torch.save(change(dict(openai.state_dict())), tmp_path / "bad.pth")
    model = CLIPModel.from_pretrained(tiny)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(InputProblems) as refused:
        load_checkpoint("vidomni_pacs", tmp_path / "bad.pth", model)
    assert message in str(refused.value)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


@pytest.mark.parametrize("content", [None, b"", b"no weights"], ids=["no file", "empty", "text"])
def test_what_is_no_file_of_weights(content, tiny, tmp_path):
    path = tmp_path / "bad.pth"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        InputProblems, match=r"bad\.pth: (there is no such file|no file of weights alone)"
    ):
        PacsDetector(str(tiny), weights=path, device="cpu")
