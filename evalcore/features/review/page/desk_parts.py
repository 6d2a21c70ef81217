"""What the judging desk consists of, before anything is shown on it."""

from evalcore.ui.components.viewer import stage

JS = (
    stage.JS
    + """
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
    make("div", { className: "line" }, [reasons, comment, acts]), help);
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
"""
)
