"""Forty images on one screen: all lists as small tiles, with brightness and contrast, without a rerun.

A component of our own: pointing at a tile frames the same image in the other lists, and the two sliders act
in the browser. Data reaches the page as text and as pictures made here, never as markup.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.ui.components import cards, tiles
from evalcore.ui.components import cards as caution
from evalcore.ui.components.cards import bars_alt
from evalcore.ui.components.places import ask
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ui.components.results import Result
    from evalcore.ui.frame.context import Context

TILE = 144
"""Pixels of a tile: about twice what it takes on the screen, and 40 of them stay below 300 kB."""
LINE = 260
"""Characters of the query's caption at first."""
SLOT = "dense"
"""Key of the component."""

_HTML = """
<div class="tools">
  <label>Brightness <input type="range" id="brightness" min="0.4" max="2.5" step="0.05" value="1"></label>
  <label>Contrast <input type="range" id="contrast" min="0.4" max="3" step="0.05" value="1"></label>
  <button type="button" id="reset">Reset</button>
</div>
<div class="board"></div>
<p class="words" aria-live="polite"></p>
"""
_CSS = """
:host, div {font-family: var(--st-font); color: var(--st-text-color); font-size: 0.82rem;}
.tools {display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: center; margin-bottom: 0.5rem;}
.tools label {display: flex; gap: 0.5rem; align-items: center;}
.tools input {accent-color: var(--st-primary-color); width: 8rem;}
.tools button {font: inherit; color: inherit; cursor: pointer; padding: 0.1rem 0.7rem;
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
  border-radius: var(--st-button-radius);}
.board {display: grid; grid-template-columns: minmax(9rem, 0.5fr) repeat(var(--lists, 2), minmax(0, 1fr));
  gap: 0.9rem;}
section h2 {font-size: 0.9rem; font-weight: 600; margin: 0 0 0.35rem; overflow-wrap: anywhere;}
.grid {display: grid; gap: 0.3rem;
  grid-template-columns: repeat(auto-fill, minmax(var(--tile, 4.4rem), 1fr));}
.board:not(.two) {--tile: 3.8rem;}
.board:not(.two) h2 {min-height: 3.2em;}
.grid.one {grid-template-columns: 1fr;}
.tile {position: relative; display: block; padding: 0; border: 2px solid transparent; width: 100%;
  border-radius: 5px; background: #0B0D10; cursor: pointer; aspect-ratio: 1; overflow: hidden;}
.one .tile {cursor: default;}
.tile img {display: block; width: 100%; height: 100%; object-fit: contain;
  filter: brightness(var(--brightness, 1)) contrast(var(--contrast, 1));}
.tile .none {color: #A5B0BA; font-size: 0.7rem;}
.rank {display: flex; justify-content: space-between; font-size: 0.7rem; line-height: 1.2; opacity: 0.85;}
.shared .tile {border-color: #56B4E9;}
.lit .tile, .tile:focus-visible {outline: 3px solid #E69F00; outline-offset: -1px;}
.cell p {margin: 0.4rem 0 0; line-height: 1.35;}
.cell p + p {opacity: 0.75;}
.words {min-height: 2.4em; margin: 0.4rem 0 0; line-height: 1.3; max-width: 60rem;}
.more {font: inherit; color: var(--st-link-color); background: none; border: 0; padding: 0.1rem 0.2rem;
  cursor: pointer; text-decoration: underline;}
@media (max-width: 900px) {.board {grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr));}
  .board.two {grid-template-columns: 1fr 1fr;} section.query {grid-column: 1 / -1;
  max-width: 14rem;}}
"""
_JS = """
const make = (name, options = {}, children = []) => {
  const made = Object.assign(document.createElement(name), options);
  made.append(...children);
  return made;
};
export default function ({ data, parentElement, setTriggerValue }) {
  const board = parentElement.querySelector(".board"), line = parentElement.querySelector(".words");
  // A text cut short, and the whole of it on demand.
  const say = (place, short, whole) => {
    const text = make("span", { textContent: short });
    const more = make("button", { type: "button", className: "more" });
    const show = (open) => {
      text.textContent = open ? whole : short;
      more.textContent = open ? "Show less" : "Show the whole caption";
      more.setAttribute("aria-expanded", String(open));
      more.onclick = () => show(!open);
    };
    if (whole) show(false);
    place.replaceChildren(...(whole ? [text, " ", more] : [text]));
  };
  // What is said of a tile stays until another is pointed at: its caption can then be had in full.
  const light = (item) => {
    for (const cell of board.querySelectorAll(".cell"))
      cell.classList.toggle("lit", item !== null && cell.dataset.id === item.id);
    if (item !== null) say(line, item.words, item.whole);
  };
  const cell = (item, list) => {
    const inside = item.src ? make("img", { src: item.src, alt: item.alt })
                            : make("span", { className: "none", textContent: "No picture" });
    const button = make(list.query ? "div" : "button", { className: "tile" }, [inside]);
    const made = make("div", { className: "cell" + (item.shared ? " shared" : "") }, [button]);
    made.dataset.id = item.id;
    if (list.query) {
      const lines = item.lines.map(() => make("p"));
      item.lines.forEach(({ text, whole }, i) => say(lines[i], text, whole));
      made.append(...lines);
      return made;
    }
    button.type = "button";
    button.setAttribute("aria-label", `${item.words}. Why?`);
    button.onclick = () => setTriggerValue("chosen", { image: item.id, system: list.system });
    button.onmouseenter = button.onfocus = () => light(item);
    button.onmouseleave = button.onblur = () => light(null);
    made.append(make("div", { className: "rank" }, [
      make("span", { textContent: item.rank }), make("span", { textContent: item.score })]));
    return made;
  };
  const section = (list) => make("section", { className: list.query ? "query" : "" }, [
    make("h2", { textContent: list.title }),
    make("div", { className: "grid" + (list.query ? " one" : "") }, list.items.map((i) => cell(i, list)))]);
  board.replaceChildren(...data.lists.map(section));
  board.style.setProperty("--lists", data.lists.length - 1);
  board.classList.toggle("two", data.lists.length === 3);
  line.replaceChildren();
  const sliders = ["brightness", "contrast"].map((name) => parentElement.querySelector("#" + name));
  for (const slider of sliders) {
    const apply = () => board.style.setProperty("--" + slider.id, slider.value);
    slider.oninput = apply;
    apply();
  }
  parentElement.querySelector("#reset").onclick = () => {
    for (const slider of sliders) { slider.value = 1; slider.oninput(); }
  };
}
"""


def board(context: Context, query: int, lists: Sequence[tuple[str, str, Sequence[Result]]]) -> None:
    """Draw the query and the lists: (system, title, results). A click asks why an image counts."""
    component = st.components.v2.component("cuiscope_dense", html=_HTML, css=_CSS, js=_JS)
    of_query = {"title": "Query", "query": True, "items": [_query(context, query)]}
    of_systems = [
        {
            "title": plain(title, limit=200),
            "query": False,
            "system": system,
            "items": [_of_result(context, query, one) for one in found],
        }
        for system, title, found in lists
    ]
    component(data={"lists": [of_query, *of_systems]}, key=SLOT, on_chosen_change=_asked, height="content")


def _asked() -> None:
    """Callback: open the drawer about the tile that was pressed."""
    chosen = st.session_state[SLOT].get("chosen")
    if isinstance(chosen, dict) and chosen.get("image"):
        ask(str(chosen["image"]), str(chosen.get("system", "")))


def _query(context: Context, image: int) -> dict[str, Any]:
    """The query's tile with its sentences and caption."""
    study = context.study
    names = sorted(study.name_of(cui) for cui in study.concepts.of_image(image))
    caption = study.caption_of(image)
    of_caption = [_cut(caption, LINE)] if caption else []
    lines = [*of_caption, *([{"text": " · ".join(map(plain, names)), "whole": ""}] if names else [])]
    return _item(context, image, size=tiles.CARD) | {"lines": lines}


def _cut(text: str, limit: int) -> dict[str, str]:
    """A text cut short, and all of it; "" where nothing is left out."""
    short, whole = plain(text, limit=limit), plain(text)
    return {"text": short, "whole": whole if whole != short else ""}


def _item(context: Context, image: int, *, size: int = TILE) -> dict[str, Any]:
    tile = tiles.tile(context.study, image, size=size)
    src = "" if tile is None else f"data:image/jpeg;base64,{base64.b64encode(tile).decode()}"
    return {"id": context.study.image_ids[image], "src": src, "alt": cards.describe(context.study, image)}


def _of_result(context: Context, query: int, result: Result) -> dict[str, Any]:
    """One tile: its rank, whether it counts or for how much, and all of it in words."""
    rank, moved = str(result.rank), cards.change(result)
    if result.image < 0:
        words = f"Result {rank}: an image that is not in the study"
        return {
            "id": "",
            "src": "",
            "alt": words,
            "words": words,
            "whole": "",
            "rank": rank,
            "score": "0",
            "shared": False,
        }
    rows = cards.score_rows(context, result)
    item = _item(context, result.image)
    mark = result.mark
    marked = f"{mark.words}, " if mark else ""
    warning = caution.on_card(context.study, query, result)
    said = f"Result {rank}: {marked}{bars_alt(rows)}. {f'{warning}. ' if warning else ''}"
    caption = context.study.caption_of(result.image)
    whole = plain(f"{said}{item['id']}: {caption}") if caption else ""
    return item | {
        "rank": f"{rank} {moved}".strip(),
        "score": mark.brief if mark else "",
        "shared": result.shared,
        "words": f"{said}{item['alt']}",
        "whole": "" if whole == f"{said}{item['alt']}" else whole,
    }
