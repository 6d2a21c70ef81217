// What the judging desk does in the browser; the panes come from the viewer's stage.js, before it.
//
// The next item is on the screen as soon as Enter is pressed: its pictures were fetched before. Answers
// wait in an outbox, which goes to the program again and again until the store has confirmed them; it is kept in
// the tab until then, so a program that stops in between loses nothing. An answer has an id of its own:
// sent twice, it is stored once.

const press = (text, key, act) => {
  const made = make("button", { type: "button", onclick: act });
  if (key) made.append(make("kbd", { textContent: key }));
  made.append(make("span", { textContent: text }));
  return made;
};
const build = (room) => {
  const desk = make("div", { className: "desk", tabIndex: -1, hidden: true });
  const wide = make("dialog", { className: "wide" });
  const note = make("p", { className: "note", textContent: "Research tool. Not for diagnosis." });
  wide.setAttribute("aria-label", "Judging, over the whole window");
  const bar = make("i"), far = make("div", { className: "far" }, [bar]);
  far.setAttribute("role", "progressbar");
  far.setAttribute("aria-label", "Judged");
  const count = make("p", { className: "count" });
  const status = make("p", { className: "state" });
  status.setAttribute("role", "status");
  const large = press("Whole window", "G");
  const glass_place = make("div"), lists = make("div", { className: "lists", hidden: true });
  const glass = lightTable(glass_place);
  const asked = make("p", { className: "asked", id: "asked" });
  const steps = make("div", { className: "steps" });
  steps.setAttribute("role", "radiogroup");
  steps.setAttribute("aria-labelledby", "asked");
  const slide = make("div", { className: "slide", hidden: true });
  const range = make("input", { type: "range", min: 0, max: 100, step: 1 }), shown = make("output");
  const ends = [make("span"), make("span")];
  slide.append(ends[0], range, ends[1], shown);
  range.setAttribute("aria-labelledby", "asked");
  const reasons = make("div", { className: "reasons" });
  reasons.setAttribute("role", "group");
  reasons.setAttribute("aria-label", "Reasons");
  const comment = make("input", { type: "text", placeholder: "Comment (T)", maxLength: 2000 });
  comment.setAttribute("aria-label", "Comment");
  const undo = press("Undo", "U");
  const cannot = press("Cannot say", "C");
  const go = press("Save and next", "Enter");
  go.className = "go";
  const help = make("div", { className: "help", hidden: true });
  const ask = press("Keys", "?", () => { help.hidden = !help.hidden; });
  const acts = make("div", { className: "acts" }, [ask, undo, cannot, go]);
  desk.append(
    make("div", { className: "line" }, [count, far, status, note, large]), glass_place, lists,
    make("div", { className: "line" }, [asked, steps, slide]),
    make("div", { className: "line why" }, [reasons, comment, acts]), help);
  room.append(desk, wide);
  return {
    desk, wide, bar, far, count, status, large, glass_place, lists, glass, asked, steps, slide, range, shown,
    ends, reasons, comment, undo, cannot, go, ask, help,
  };
};
const keys_of = (item, reasons) => [
  item.steps ? [`1 to ${item.steps.length}`, "set the grade"]
    : ["digits, Backspace", "set the value, 0 to 100"],
  ...reasons.filter((one) => one.key).map((one) => [one.key.toUpperCase(), `tick ${one.name}`]),
  ["Enter", "save and go on"], ["C", "cannot say, and go on"], ["U", "take the last one back"],
  ["T", "write a comment; Escape leaves it"], ["G", "whole window"], ["?", "these keys"],
  ...(item.lists ? [["arrows", "another image of the lists"]] : []), ...KEYS,
];

const AGAIN_MS = 3000;
const name_of = () => [...crypto.getRandomValues(new Uint8Array(16))]
  .map((one) => one.toString(16).padStart(2, "0")).join("");
const start = (room) => {
  const now = { session: null, data: null, at: null, outbox: [], past: [], drafts: new Map(), draft: null,
    tries: 0, sent: 0, wrong: "", place: [0, 0], send: () => {}, steps: [], reasons: [] };
  const {
    desk, wide, bar, far, count, status, large, glass_place, lists, glass, asked, steps, slide, range, shown,
    ends, reasons, comment, undo, cannot, go, ask, help,
  } = build(room);
  const open_wide = (on) => {
    if (on && !wide.open) { wide.append(desk); wide.showModal(); }
    if (!on && wide.open) wide.close();
    desk.focus();
  };
  wide.onclose = () => room.append(desk);

  large.onclick = () => open_wide(!wide.open);
  undo.onclick = () => undo_last();
  cannot.onclick = () => save("cannot-say");
  go.onclick = () => save("value");
  range.oninput = () => grade(Number(range.value));
  comment.oninput = () => { now.draft.comment = comment.value; keep(); };
  const store = () => `cuiscope-review:${now.session}`;
  const keep = () => {
    if (!now.data) return;
    const at = now.at && now.draft ? [[now.at.key, now.draft]] : [];
    const begun = ([, one]) => one.value !== null || one.comment || one.reasons.length;
    const text = JSON.stringify({ outbox: now.outbox, drafts: [...now.drafts, ...at].filter(begun) });
    try { sessionStorage.setItem(store(), text); } catch (full) { /* it is in this page all the same */ }
  };
  const kept = () => {
    try { return JSON.parse(sessionStorage.getItem(store())) || {}; } catch (odd) { return {}; }
  };
  const send = () => {
    if (!now.outbox.length) return;
    now.tries += 1;
    now.sent = Date.now();
    now.send({ answers: now.outbox, tries: now.tries });
  };
  const refresh = () => {
    const { data } = now, more = now.outbox.reduce((sum, one) => sum + (one.status === "undone" ? -1 : 1), 0);
    const done = Math.min(Math.max(data.done + more, 0), data.n);
    count.textContent = `${done} of ${data.n} judged`;
    bar.style.width = `${(100 * done) / Math.max(data.n, 1)}%`;
    for (const [name, value] of [["valuenow", done], ["valuemin", 0], ["valuemax", data.n]])
      far.setAttribute(`aria-${name}`, value);
    const late = now.outbox.length > 0 && Date.now() - now.first > AGAIN_MS;
    status.textContent = now.wrong || (late
      ? "Not saved yet: the program does not answer. Trying again; please keep this page open."
      : now.outbox.length ? "Saving…" : now.saved ? "Saved" : "");
    status.classList.toggle("wrong", Boolean(now.wrong || late));
    undo.disabled = !last();
    desk.dataset.saved = String(data.done);
    desk.dataset.waiting = String(now.outbox.length);
  };
  const mark = () => {
    const { draft } = now;
    now.steps.forEach((step) => {
      const on = draft.value !== null && Math.abs(step.value - draft.value) < 1e-9;
      step.button.setAttribute("aria-checked", String(on));
    });
    for (const { name, button } of now.reasons)
      button.setAttribute("aria-pressed", String(draft.reasons.includes(name)));
    range.value = draft.value === null ? 50 : Math.round(draft.value * 100);
    shown.textContent = draft.value === null ? "–" : String(Math.round(draft.value * 100));
    if (comment.value !== draft.comment) comment.value = draft.comment;
  };
  const grade = (value) => {
    now.draft.value = now.at.steps ? value : value / 100;
    now.wrong = "";
    mark(); keep(); refresh();
  };
  const tick = (name) => {
    const others = now.draft.reasons.filter((one) => one !== name);
    now.draft.reasons = others.length < now.draft.reasons.length ? others : [...others, name];
    mark(); keep();
  };
  const look = (list, place) => {
    const { lists: all } = now.at, row = Math.min(Math.max(list, 0), all.length - 1);
    const n = all[row].tiles.length;
    if (!n) return;
    now.place = [row, Math.min(Math.max(place, 0), n - 1)];
    [...lists.querySelectorAll("button")].forEach((one) => {
      const here = one.dataset.at === now.place.join("-");
      one.setAttribute("aria-current", String(here));
      if (here) one.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    glass.show([now.at.query, all[row].tiles[now.place[1]]]);
  };
  const tile_of = (list, row) => (tile, place) => {
    const made = make("button", { type: "button", onclick: () => look(row, place) });
    made.onfocus = made.onclick;
    made.dataset.at = `${row}-${place}`;
    made.setAttribute("aria-label", `${list.title}, ${tile.alt}`);
    made.append(
      tile.src ? make("img", { src: home() + tile.src, alt: "" }) : make("small", { textContent: tile.none }),
      make("span", { textContent: String(place + 1) }));
    return made;
  };
  const tiles = (item) => lists.replaceChildren(...item.lists.map((list, row) => make("section", {}, [
    make("h2", { textContent: list.title }),
    make("div", { className: "row" }, list.tiles.length ? list.tiles.map(tile_of(list, row))
      : [make("p", { textContent: "This list is empty." })])])));
  const form_of = (item) => {
    asked.textContent = item.question;
    const drawn = JSON.stringify([item.steps, item.ends, item.reasons]);
    if (drawn !== now.drawn) {
      now.drawn = drawn;
      now.steps = (item.steps || []).map(({ words, value }, i) => {
        const button = press(words, String(i + 1), () => grade(value));
        button.setAttribute("role", "radio");
        return { button, value };
      });
      steps.replaceChildren(...now.steps.map((one) => one.button));
      steps.hidden = !item.steps;
      slide.hidden = Boolean(item.steps);
      ends.forEach((end, i) => { end.textContent = item.ends[i]; });
      now.reasons = item.reasons.map(({ name, words, key }) =>
        ({ name, key, button: press(words, key.toUpperCase(), () => tick(name)) }));
      const why = make("span", { textContent: "Why? Tick any that apply:" });
      reasons.replaceChildren(...(now.reasons.length ? [why] : []), ...now.reasons.map((one) => one.button));
      help.replaceChildren(...keys_of(item, now.reasons).map(([key, words]) =>
        make("p", {}, [make("kbd", { textContent: key }), ` ${words}`])));
    }
  };
  const show = (item) => {
    now.at = item;
    desk.hidden = false;
    desk.dataset.item = item ? item.key : "";
    for (const one of [glass_place, steps.parentElement, reasons, comment, cannot, go, ask, large])
      one.hidden = !item;
    lists.hidden = !item || !item.lists;
    if (!item) return;
    now.draft = now.drafts.get(item.key) || { value: null, reasons: [], comment: "" };
    now.drafts.delete(item.key);
    form_of(item);
    mark();
    desk.classList.toggle("lists-on", Boolean(item.lists));
    if (item.lists) {
      tiles(item);
      look(item.lists.findIndex((one) => one.tiles.length), 0);
    } else glass.show([item.query, ...(item.result ? [item.result] : [])]);
    const on = desk.getRootNode().activeElement;
    if (!on || on === comment || lists.contains(on)) desk.focus({ preventScroll: true });
  };
  const sources = (item) => [item.query, item.result, ...(item.lists || []).flatMap((one) => one.tiles)]
    .filter((one) => one && one.src).map((one) => one.src);
  // What is on the screen stays, unless it was judged, here or in another tab; then the first that is open.
  const choose = () => {
    const answered = new Set(now.outbox.filter((one) => one.status !== "undone").map((one) => one.item));
    const undone = new Set(now.outbox.filter((one) => one.status === "undone").map((one) => one.item));
    const open = now.data.items.filter((one) => !answered.has(one.key));
    const same = now.at && open.find((one) => one.key === now.at.key);
    if (now.at && (same || undone.has(now.at.key))) {
      if (same) now.at = same;
      desk.hidden = false;
    } else {
      if (now.at && now.draft) now.drafts.set(now.at.key, now.draft);
      show(open[0] || null);
    }
    open.slice(0, 4).flatMap(sources).forEach(load);
  };
  const save = (kind) => {
    if (!now.at) return;
    if (kind === "value" && now.draft.value === null) {
      const first = now.at.steps ? "Choose a grade first (1 to 5)" : "Set a value first";
      now.wrong = `${first}, or C for cannot say.`;
      refresh();
      return;
    }
    const { value, reasons: why, comment: text } = now.draft;
    const answer = { id: name_of(), item: now.at.key, status: kind, value: kind === "value" ? value : null,
      reasons: why, comment: text };
    now.past.push({ item: now.at, answer });
    put(answer);
    now.at = null;
    now.draft = null;
    choose(); keep(); refresh();
  };
  const put = (answer) => {
    if (!now.outbox.length) now.first = Date.now();
    now.outbox.push(answer);
    now.wrong = "";
    send();
  };
  const before = (one) => one && !now.outbox.some((sent) => sent.item === one.item.key);
  const last = () => now.past[now.past.length - 1]
    || (before(now.data.before) ? now.data.before : null);
  const undo_last = () => {
    const one = last();
    if (!one) return;
    now.past.pop();
    if (now.at && now.draft) now.drafts.set(now.at.key, now.draft);
    const { value, reasons: why, comment: text } = one.answer;
    now.drafts.set(one.item.key, { value, reasons: why, comment: text });
    put({ id: name_of(), item: one.item.key, status: "undone", value: null, reasons: [], comment: "" });
    show(one.item);
    keep(); refresh();
  };
  const digit = (text) => {
    const { draft, at } = now;
    if (at.steps) {
      const step = now.steps[Number(text) - 1];
      if (step) grade(step.value);
      return Boolean(step);
    }
    const before = now.typed === at.key && draft.value !== null ? String(Math.round(draft.value * 100)) : "";
    const typed = Number(`${before}${text}`);
    now.typed = at.key;
    grade(typed > 100 ? Number(text) : typed);
    return true;
  };
  const shorter = () => {
    const text = String(Math.round((now.draft.value || 0) * 100)).slice(0, -1);
    if (!text) { now.draft.value = null; mark(); keep(); } else grade(Number(text));
    return true;
  };
  const act = (event) => {
    const name = event.key.toLowerCase();
    if (name === "?") { ask.click(); return true; }
    if (name === "u") { if (!event.repeat) undo_last(); return true; }
    if (name === "g") { open_wide(!wide.open); return true; }
    if (!now.at) return false;
    if (name === "enter") { if (!event.repeat) save("value"); return true; }
    if (name === "c") { if (!event.repeat) save("cannot-say"); return true; }
    if (name === "t") { comment.focus(); return true; }
    if (/^[0-9]$/.test(name) && digit(name)) return true;
    if (name === "backspace" && !now.at.steps) return shorter();
    const ticked = now.reasons.find((one) => one.key === name);
    if (ticked) { tick(ticked.name); return true; }
    const ways = { arrowleft: [0, -1], arrowright: [0, 1], arrowup: [-1, 0], arrowdown: [1, 0] };
    if (now.at.lists && ways[name] && !event.shiftKey) {
      look(now.place[0] + ways[name][0], now.place[1] + ways[name][1]);
      return true;
    }
    return glass.key(event);
  };
  const on_key = (event) => {
    if (!room.isConnected || desk.hidden || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const path = event.composedPath(), on = path[0], ours = path.includes(desk);
    if (on === comment) {
      if (event.key === "Enter") { event.preventDefault(); save("value"); desk.focus(); }
      if (event.key === "Escape") { event.preventDefault(); desk.focus(); }
      event.stopImmediatePropagation();
      return;
    }
    if (on.matches && on.matches("input:not([type=range]), textarea, select, [contenteditable=true]")) return;
    const own = on.tagName === "BUTTON" || on.tagName === "A" || on.tagName === "SUMMARY";
    // Enter saves, also from a grade or reason just clicked; any other button keeps its Enter.
    const asks = ours && (steps.contains(on) || reasons.contains(on));
    if (event.key === "Enter" && own && !asks) return;
    if (event.key === " " || event.key === "Tab") return;
    if (on === range && event.key.startsWith("Arrow")) return;
    if (!act(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", on_key, true);
  const leaving = (event) => { if (now.outbox.length) event.preventDefault(); };
  window.addEventListener("beforeunload", leaving);
  const clock = setInterval(() => {
    if (!room.isConnected || !now.data || !now.outbox.length) return;
    if (Date.now() - now.sent > AGAIN_MS) send();
    refresh();
  }, 500);
  return {
    take: (data, give) => {
      now.send = give;
      if (data.session !== now.session) {
        const { tries } = now;
        Object.assign(now, { session: data.session, at: null, draft: null, past: [], wrong: "", tries });
        now.saved = false;
        const { outbox = [], drafts = [] } = kept();
        now.outbox = outbox;
        now.drafts = new Map(drafts);
        now.first = now.sent = outbox.length ? Date.now() - AGAIN_MS : 0;
      }
      now.data = data;
      const stored = new Set(data.stored), waited = now.outbox.length;
      now.outbox = now.outbox.filter((one) => !stored.has(one.id));
      if (now.outbox.length < waited) { now.saved = true; now.first = Date.now(); }
      const failed = new Set((data.failed || { ids: [] }).ids);
      const back = now.outbox.filter((one) => failed.has(one.id));
      if (back.length) {
        now.outbox = now.outbox.filter((one) => !failed.has(one.id));
        now.past = now.past.filter((one) => !failed.has(one.answer.id));
        if (now.at && now.draft) now.drafts.set(now.at.key, now.draft);
        for (const { item, status: kind, value, reasons: why, comment: text } of back)
          if (kind !== "undone") now.drafts.set(item, { value, reasons: why, comment: text });
        now.wrong = data.failed.words;
        now.at = null;
      }
      choose(); keep(); refresh();
    },
    end: () => {
      window.removeEventListener("keydown", on_key, true);
      window.removeEventListener("beforeunload", leaving);
      clearInterval(clock);
      glass.end();
    },
  };
};
export default function ({ data, parentElement, setStateValue }) {
  const room = parentElement.querySelector(".room");
  const desk = room.__desk ||= start(room);
  desk.take(data, (outbox) => setStateValue("outbox", outbox));
  return () => setTimeout(() => { if (!room.isConnected) { desk.end(); delete room.__desk; } });
}
