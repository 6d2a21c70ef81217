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
