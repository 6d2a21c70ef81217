"""A study in which every text tries something: Markdown, markup, formulas, terminal codes.

Texts that mean something to a page name a host that does not exist, so that asking for it shows.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import tomlkit
from PIL import Image

HOST = "evil.invalid"
AT = f"http://{HOST}/x"
PAYLOADS = (
    f"![i]({AT}.png)",
    f"![i][r] [r]: {AT}.png",
    f"[![i]({AT}.png)]({AT})",
    f"![i](//{HOST}/x.png)",
    f"![i](http:\\\\{HOST}\\x.png)",
    f"![i](<{AT}.png> 'title')",
    f"]({AT}) ![i]({AT}",
    f"\\![i]({AT}.png)",
    f"&#33;&#91;i&#93;&#40;{AT}&#41;",
    f"&excl;[i]({AT})",
    f"!\u200b[i]({AT}.png)",
    f"**![i]({AT})**",
    f"[link]({AT})",
    "[l](javascript:window.__owned=1)",
    f"<{AT}>",
    AT,
    f"www.{HOST}",
    f"mail@{HOST}",
    f"[^1] [^1]: ![i]({AT})",
    f"- ![i]({AT})",
    f"# ![i]({AT})",
    f"> ![i]({AT})",
    f"| ![i]({AT}) |",
    f"`![i]({AT})",
    f"``` ![i]({AT})",
    f"$\\href{{{AT}}}{{x}}$",
    f"$\\includegraphics{{{AT}.png}}$",
    "$$\\frac{1}{",
    f":red[![i]({AT})]",
    f":material/home: :streamlit: :smile: :small[![i]({AT})]",
    f"]:red-badge[![i]({AT})]",
    "<script>window.__owned=1</script>",
    f"<img src={AT}.png onerror=window.__owned=1>",
    '"><img src=x onerror=window.__owned=1>',
    f"<iframe src={AT}></iframe>",
    "<iframe srcdoc='<script>parent.__owned=1</script>'></iframe>",
    f"<a href='{AT}'>a</a><b>b</b>",
    f"<svg onload=window.__owned=1><image href={AT} /></svg>",
    f"<style>@import url({AT});</style>",
    f"<link rel=stylesheet href={AT}>",
    f"<base href={AT}>",
    f"<form action={AT}><input name=q autofocus>",
    f"<object data={AT}></object><embed src={AT}>",
    f"<video poster={AT} src={AT}>",
    "%{customdata} %{x} {{7*7}}",
    "<meta http-equiv=refresh content='0;url=//evil.invalid'>",
    "' onmouseover='window.__owned=1' x='",
    '=HYPERLINK("http://evil.invalid")',
    "＝1+1",
    "@SUM(1+1)",
    "constructor",
    "__proto__",
)
"""For pages."""
CONTROLS = (
    "\x1b[31mred",
    "\x9b31mred",
    "\u202egnp.exe\x7f",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.invalid\x1b\\link\x1b]8;;\x1b\\",
    "\x9d0;title\x9c",
    "back\x08\x08\x08space",
    "bell\x07",
    "\u2066b\u2069",
    "\u200fright",
    "para\u2029graph",
    "\x85next",
    "\ufeffmark",
)
"""For terminals."""
RETURNED = 20
CUIS = tuple(f"C{i:07}" for i in range(1, 101))


def write_hostile(folder: Path, texts: tuple[str, ...] = PAYLOADS, *, ids: tuple[str, ...] = ()) -> Path:
    """A sound study, but for its texts: every kind of text of it takes turns with all of them.

    ``ids`` are the image ids; by default the texts themselves.
    """
    ids = tuple(dict.fromkeys(text.strip() for text in (ids or texts)))
    folder.mkdir(parents=True, exist_ok=True)
    cuis, n = CUIS[: len(texts)], len(texts)

    def table(name: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])

    holds = [
        (image, ";".join(sorted({cuis[i % n], cuis[(i + 1) % n], cuis[(2 * i) % n]})))
        for i, image in enumerate(ids)
    ]
    table("concepts.csv", ("ID", "CUIs"), holds)
    table("captions.csv", ("ID", "Caption"), [(image, texts[i % n]) for i, image in enumerate(ids)])
    values = [(image, texts[i // 2 % n], texts[i // 3 % n], texts[-1]) for i, image in enumerate(ids)]
    table("labels.csv", ("ID", texts[0], texts[1 % n], "organ"), values)
    table("names.csv", ("cui", "name"), list(zip(cuis, texts, strict=True)))
    links = [(cuis[i], cuis[i // 2], texts[i], texts[-i].lower()) for i in range(1, n)]
    table("graph/edges.csv", ("child", "parent", "source", "rela"), links)
    (folder / "images").mkdir(exist_ok=True)
    for image in (name for name in ids if "/" not in name):
        Image.fromarray(np.zeros((8, 8), np.uint8)).save(folder / "images" / f"{image}.png")
    systems = {}
    for step, name in enumerate((texts[0], texts[1], texts[2], "hog"), start=1):
        answers = {
            query: {ids[(i + step * j) % len(ids)]: 1 / j for j in range(1, RETURNED + 1)}
            for i, query in enumerate(ids)
        }
        (folder / f"{step}.json").write_text(json.dumps(answers), encoding="utf-8")
        systems[name] = {"run": f"{step}.json"}
    toml = {"name": texts[0], "description": " ".join(texts[:3]), "systems": systems}
    (folder / "study.toml").write_text(tomlkit.dumps(toml), encoding="utf-8")
    return folder
