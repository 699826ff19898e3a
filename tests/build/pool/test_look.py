"""Contact sheets and their page: all pictures with times, nothing from data is run."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
from PIL import Image

from tests.build.pool.test_draw import video
from vidomni_plugin.build.pool.look import contact_sheet, remove_look, write_look
from vidomni_plugin.build.pool.measure import Picture


def pictures(count=8, size=(120, 80)):
    found = []
    for number in range(count):
        file = io.BytesIO()
        Image.new("RGB", size, (30 * number, 0, 0)).save(file, "JPEG")
        found.append(Picture("whole", number, 0.5 + number, file.getvalue()))
    return found


def test_a_sheet_shows_every_picture_with_its_time():
    sheet = np.asarray(Image.open(io.BytesIO(contact_sheet(pictures()))))
    assert sheet.shape == (2 * 84 - 4, 4 * 124 - 4, 3)
    for number in range(8):
        top, left = number // 4 * 84, number % 4 * 124
        tile = sheet[top : top + 80, left : left + 120].astype(int)
        assert np.abs(tile[40, 60] - (30 * number, 0, 0)).max() < 12
        assert tile[60:, :50].min(axis=2).max() > 200  # white letters
        assert tile[:40].min(axis=2).max() < 60


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.pictures = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if tag == "a" and name == "href"]
        self.pictures += [value for name, value in attrs if tag == "img" and name == "src"]


def test_names_from_data_are_text_and_links_lead_to_the_videos(tmp_path):
    path = tmp_path / '<script>alert(1)</script>&"#1.mp4'
    odd = video(1).model_copy(update={"path": str(path), "source": "<img src=x onerror=alert(1)>"})
    page = write_look([odd, video(2)], lambda _: pictures(), tmp_path / "pool")
    text = page.read_text(encoding="utf-8")
    found = Page(text)
    assert "script" not in found.tags
    assert found.pictures == ["v1.jpg", "v2.jpg"]
    assert (page.parent / unquote(found.links[0])).resolve() == path
    assert "<script>" not in text
    # A later look removes sheets of videos that are no longer looked at.
    write_look([video(2)], lambda _: pictures(), tmp_path / "pool")
    assert sorted(p.name for p in page.parent.iterdir()) == ["index.html", "v2.jpg"]
    (page.parent / "notes.txt").touch()
    remove_look(tmp_path / "pool")
    assert [p.name for p in page.parent.iterdir()] == ["notes.txt"]
    (page.parent / "notes.txt").unlink()
    remove_look(tmp_path / "pool")
    remove_look(tmp_path / "pool")
    assert list((tmp_path / "pool").iterdir()) == []
