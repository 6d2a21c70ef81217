// A query and what the systems returned for it. All texts come as text; addresses of pictures from the server.
const make = (name, options = {}, children = []) => {
  const made = Object.assign(document.createElement(name), options);
  made.append(...children);
  return made;
};
const label = (node, words) => { node.setAttribute("aria-label", words); return node; };
// Where the program lives: its pages are one level below it.
const home = () => {
  const script = document.querySelector('script[src*="static/js/"]');
  return script ? script.src.split("static/js/")[0].replace(/[/]$/, "") : window.location.origin;
};
// A text cut short, and the whole of it on demand.
const caption = ({ short, whole }, owner) => {
  const text = make("span"), more = make("button", { type: "button", className: "more" });
  const show = (open) => {
    text.textContent = open ? whole : short;
    more.textContent = open ? "less" : "more";
    label(more, open ? `Show less of the caption of ${owner}` : `Show the whole caption of ${owner}`);
    more.setAttribute("aria-expanded", String(open));
    more.onclick = () => show(!open);
  };
  if (whole) show(false); else text.textContent = short;
  return make("p", { className: "caption" }, whole ? [text, " ", more] : [text]);
};
const picture = (item) => item.src
  ? make("img", { src: home() + item.src, alt: item.alt, decoding: "sync" })
  : make("span", { className: "none", textContent: item.none });
const concepts = (groups) => groups.map(({ head, names }) => make("p", { className: "concepts" }, [
  ...(head ? [make("span", { className: "head", textContent: head }), " "] : []),
  ...names.flatMap((name) => [make("span", { className: "badge", textContent: name }), " "])]));
const bar = ({ name, value, text }) => {
  const full = make("span", { className: "full" });
  full.style.width = `${100 * value}%`;
  const made = label(make("span", { className: "bar" }, [full]), `${name} ${text}`);
  made.setAttribute("role", "img");
  return made;
};
const query = (item) => make("section", { className: "query" }, [
  make("h2", { textContent: "Query" }),
  ...(item.pictures ? [make("div", { className: "tile" }, [picture(item)])] : []),
  make("div", { className: "about" }, [
    ...(item.caption ? [caption(item.caption, "the query")] : []),
    ...concepts(item.concepts),
    ...(item.labels ? [make("p", { className: "small", textContent: item.labels })] : [])])]);

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".cuiscope-board");
  root.__tell = setTriggerValue;
  const { focus, ...shown } = data;
  const text = JSON.stringify(shown);
  if (root.__shown !== text) { root.__shown = text; draw(root, shown); }
  if (focus) goBack(root, focus, 200);
}
// After the drawer: to the button of the result that was looked at last, once the drawer has let go. It may give the
// focus back to the button it was opened by, a moment later: then once more.
const goBack = (root, place, times) => {
  const held = document.activeElement;
  const to = [...root.querySelectorAll("button[data-why]")].find((one) => one.dataset.why === place);
  if (!to || !times) return;
  if (held?.closest("[role=dialog]")) setTimeout(() => goBack(root, place, times - 1), 50);
  else if (!held || held === document.body || held.matches("button[data-why]")) {
    to.focus();
    if (times > 10) setTimeout(() => goBack(root, place, 10), 300);
  }
};
const draw = (root, data) => {
  // The same image in the rows of other systems lights up with the one that is pointed at.
  const light = (item) => {
    for (const cell of root.querySelectorAll(".result"))
      cell.classList.toggle("lit", Boolean(item?.shared) && cell.dataset.id === item.id);
  };
  const tile = (item) => {
    if (!item.known) return make("div", { className: "tile" }, [make("span", { className: "none", textContent: item.none })]);
    const button = label(make("button", { type: "button", className: "tile" }, [picture(item)]), `Open ${item.name} large`);
    button.onclick = () => root.__tell("large", item.place);
    return button;
  };
  const common = (item) => item.known ? [make("p", { className: "common" }, [
    ...item.common.flatMap(([sign, name]) => [
      make("span", { className: `badge ${sign === "=" ? "same" : "kin"}`, textContent: `${sign} ${name}` }), " "]),
    ...(item.more ? [make("span", { className: "small", textContent: `+ ${item.more}` })] : [])])] : [];
  const result = (item, list) => {
    const why = label(make("button", { type: "button", className: "why", textContent: "Why?" }), `Why ${item.name}?`);
    why.dataset.why = item.place;
    why.onclick = () => root.__tell("why", { image: item.id, system: list.system });
    const made = make("article", { className: "result" + (item.shared ? " shared" : "") }, [
      ...(data.pictures ? [tile(item)] : []),
      make("div", { className: "line" }, [
        make("span", { className: "rank", textContent: item.rank }),
        ...(item.moved ? [make("span", { className: "moved", textContent: item.moved })] : []),
        item.bars.length === 1 ? bar(item.bars[0]) : make("span", { className: "room" }),
        make("span", { className: `mark ${item.tone}`, textContent: item.mark })]),
      ...(item.bars.length > 1 ? [make("div", { className: "bars" }, item.bars.flatMap((one) => [
        make("span", { textContent: one.short }), bar(one), make("span", { textContent: one.text })]))] : []),
      ...(item.image_id ? [make("p", { className: "small", textContent: item.image_id })] : []),
      ...(item.caption ? [caption(item.caption, item.name)] : []),
      ...concepts(item.concepts),
      ...common(item),
      ...(item.known ? [why] : [])]);
    made.dataset.id = item.id;
    made.onmouseenter = () => light(item);
    made.onmouseleave = () => light(null);
    made.addEventListener("focusin", () => light(item));
    return made;
  };
  const list = (of) => {
    const dot = make("span", { className: "dot" });
    dot.style.background = of.colour;
    const row = label(make("div", { className: "results", tabIndex: 0 }, of.items.map((item) => result(item, of))),
      `Results of ${of.title}`);
    row.setAttribute("role", "group");
    return make("section", { className: "list" }, [
      make("h2", {}, [dot, make("span", { textContent: of.title }),
        ...(of.badge ? [make("span", { className: "reads", textContent: of.badge })] : []),
        make("span", { className: "small", textContent: of.score })]),
      ...(of.empty ? [make("p", { className: "empty", textContent: of.empty })] : []), row]);
  };
  const rows = make("div", { className: "rows" }, data.lists.map(list));
  const all = make("div", { className: "lists" }, [query(data.query), ...(data.lists.length ? [rows] : [])]);
  all.classList.toggle("alone", data.lists.length === 0);
  all.classList.toggle("words-only", !data.pictures);
  root.replaceChildren(all);
};
