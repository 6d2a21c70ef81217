// What a diagnosis asks beside how sure the reader is: the answer, a region if wanted, and the time it took.
//
// It comes between the viewer's stage.js and desk.js, which keeps the draft and the outbox. The fields of its
// own are in `draft.more`: answer, concept, region, seconds.

const stopwatch = () => {
  let sum = 0, from = null, on = false;
  const seconds = () => (sum + (from === null ? 0 : performance.now() - from)) / 1000;
  const turn = () => {
    if (from !== null) sum += performance.now() - from;
    from = on && !document.hidden ? performance.now() : null;
  };
  document.addEventListener("visibilitychange", turn);
  return {
    seconds,
    start: (before) => { from = null; sum = before * 1000; on = true; turn(); },
    stop: () => { on = false; turn(); },
    end: () => document.removeEventListener("visibilitychange", turn),
  };
};
const NONE = "None of these: keep my words";
const MIDDLE = [0.4, 0.4, 0.2, 0.2], NUDGE = 0.02;
const diagnosing = (glass, changed, search) => {
  const box = make("div", { className: "diagnosis", hidden: true });
  const step = make("p", { className: "step" });
  const asked = make("p", { className: "asked", id: "diagnosis-asked" });
  const choices = make("div", { className: "choices" });
  choices.setAttribute("role", "radiogroup");
  choices.setAttribute("aria-labelledby", "diagnosis-asked");
  const input = make("input", { type: "text", maxLength: 400, placeholder: "Type a diagnosis" });
  input.setAttribute("aria-labelledby", "diagnosis-asked");
  input.setAttribute("aria-controls", "diagnosis-matches");
  const matches = make("div", { className: "matches", id: "diagnosis-matches" });
  matches.setAttribute("role", "listbox");
  const picked = make("p", { className: "picked" });
  picked.setAttribute("role", "status");
  const free = make("div", { className: "free" }, [input, matches, picked]);
  const mark = make("button", { type: "button", className: "mark" }, [
    make("kbd", { textContent: "M" }), make("span")]);
  box.append(step, make("div", { className: "line" }, [asked, choices, free, mark]));
  const watch = stopwatch();
  const now = { item: null, more: {}, part: "answer", buttons: [], marking: false, place: 0, options: [],
    wait: 0 };

  const turn = (part) => { now.part = part; box.dataset.part = part; changed(); };
  const set = (answer, concept = "") => {
    Object.assign(now.more, { answer, concept });
    turn("sure");
    show_answer();
    changed(true);
  };
  const show_answer = () => {
    const { answer = "", concept = "" } = now.more;
    for (const { button, name } of now.buttons) button.setAttribute("aria-checked", String(name === answer));
    picked.textContent = !answer ? "" : concept ? `${answer} (${concept})` : `${answer}: in your words`;
    const on = now.more.region ? "Region marked" : "Mark a region";
    mark.lastChild.textContent = now.marking ? "Drag, or arrows; Enter ends" : on;
    mark.setAttribute("aria-pressed", String(now.marking));
  };
  const put_region = (region) => {
    now.more.region = region;
    glass.region(region, (drawn) => { now.more.region = drawn; show_answer(); changed(); });
    show_answer(); changed();
  };
  const marking = (on) => { now.marking = on; glass.marking(on); show_answer(); };
  mark.onclick = () => marking(!now.marking);
  const nudge = (name, shift) => {
    const ways = { arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1] };
    if (!ways[name]) return false;
    const [x, y] = ways[name].map((one) => one * NUDGE);
    let [left, top, width, height] = now.more.region || MIDDLE;
    if (shift) {
      width = Math.min(Math.max(width + x, NUDGE), 1 - left);
      height = Math.min(Math.max(height + y, NUDGE), 1 - top);
    } else if (now.more.region) {
      left = Math.min(Math.max(left + x, 0), 1 - width);
      top = Math.min(Math.max(top + y, 0), 1 - height);
    }
    put_region([left, top, width, height]);
    return true;
  };

  // Free text: what is typed goes to the program, which answers with concepts of these names.
  const options = (found) => {
    now.options = input.value.trim() ? [...found, { words: NONE, none: true }] : [];
    now.place = 0;
    draw_options();
  };
  const draw_options = () => matches.replaceChildren(...now.options.map((one, i) => {
    const made = make("button", { type: "button", tabIndex: -1, textContent: one.words });
    made.onclick = () => pick(i);
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", String(i === now.place));
    return made;
  }));
  const pick = (place) => {
    const one = now.options[place];
    if (!one) return;
    set(one.none ? input.value.trim().replace(/\s+/g, " ") : one.name, one.none ? "" : one.cui);
    options([]);
    now.options = [];
    draw_options();
    box.parentElement.focus({ preventScroll: true });
  };
  input.oninput = () => {
    Object.assign(now.more, { answer: "", concept: "" });
    show_answer(); changed();
    options([]);
    clearTimeout(now.wait);
    now.wait = setTimeout(() => search(input.value.trim().slice(0, 100)), 150);
  };
  input.onfocus = () => turn("answer");
  return {
    box, input,
    // Whether a key is for the answer or the region; the rest is the desk's.
    key: (event) => {
      const name = event.key.toLowerCase();
      const { region, free: words } = now.item.diagnosis;
      if (now.marking) {
        if (nudge(name, event.shiftKey)) return true;
        if (["enter", "escape", "m"].includes(name)) { marking(false); return true; }
        if (["backspace", "delete"].includes(name)) { put_region(null); marking(false); return true; }
      }
      if (name === "m" && region) { marking(true); if (!now.more.region) put_region(MIDDLE); return true; }
      if (name === "d") { turn("answer"); if (words) { input.focus(); input.select(); } return true; }
      const one = now.buttons.find((button) => button.key === name);
      if (one && (now.part === "answer" || !/^[0-9]$/.test(name))) { set(one.name); return true; }
      return now.part === "answer" && /^[0-9]$/.test(name);
    },
    // Keys while words are typed: what the desk does with them otherwise must not happen.
    typed: (event) => {
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      if (steps[event.key] && now.options.length) {
        now.place = Math.min(Math.max(now.place + steps[event.key], 0), now.options.length - 1);
        draw_options();
        event.preventDefault();
      }
      if (event.key === "Enter") { pick(now.place); event.preventDefault(); }
      if (event.key === "Escape") { box.parentElement.focus(); event.preventDefault(); }
    },
    found: (answer) => {
      if (answer && now.item && now.item.diagnosis && !now.more.answer
        && answer.text === input.value.trim().slice(0, 100)) options(answer.options);
    },
    missing: (more) => (more.answer ? "" : "Choose a diagnosis first"),
    sure: () => { if (now.item && now.item.diagnosis && now.part !== "sure") turn("sure"); },
    // Called with an item that appears, and with none.
    show: (item, draft, before) => {
      now.item = item;
      box.hidden = !item || !item.diagnosis;
      if (box.hidden) { watch.stop(); glass.region(null, () => {}); return; }
      const asks = item.diagnosis;
      now.more = draft.more ||= {};
      step.replaceChildren(make("strong", { textContent: asks.step }),
        `${asks.session ? ` · ${asks.session}` : ""}${before ? ` · Alone you answered: ${before}` : ""}`);
      asked.textContent = asks.ask;
      choices.hidden = asks.free;
      free.hidden = !asks.free;
      mark.hidden = !asks.region;
      now.buttons = asks.choices.map(({ name, words, key }) => {
        const button = press(words, key.toUpperCase(), () => set(name));
        button.setAttribute("role", "radio");
        return { name, key, button };
      });
      choices.replaceChildren(...now.buttons.map((one) => one.button));
      input.value = now.more.answer || "";
      options([]);
      now.options = [];
      draw_options();
      marking(false);
      put_region(now.more.region || null);
      turn(now.more.answer ? "sure" : "answer");
      show_answer();
      watch.start(now.more.seconds || 0);
    },
    time: (draft) => {
      if (now.item && now.item.diagnosis && draft && draft.more === now.more)
        draft.more.seconds = Math.round(watch.seconds() * 1000) / 1000;
    },
    keys: (item) => {
      const { choices: all, free: words, region } = item.diagnosis;
      const last = all.length ? all[all.length - 1].key : "";
      return [
        ...(words ? [["type, arrows, Enter", "find and pick a diagnosis"]]
          : [[`1 to ${last.toUpperCase()}`, "choose the diagnosis"]]),
        [item.steps ? `then 1 to ${item.steps.length}` : "then digits", "how sure you are"],
        ["D", "change the diagnosis"],
        ...(region ? [["M", "mark a region: drag, or arrows and Shift + arrows; Delete removes it"]] : []),
      ];
    },
    end: () => watch.end(),
  };
};
