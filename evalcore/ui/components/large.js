const start = (room) => {
  const dialog = make("dialog"), at = make("span", { className: "at" });
  dialog.setAttribute("aria-label", "Query and result, large");
  const tell = { step: () => {}, close: () => {} };
  const press = (text, words, act) => {
    const made = make("button", { type: "button", textContent: text, title: words, onclick: act });
    made.setAttribute("aria-label", words);
    return made;
  };
  const close = press("✕", "Close (Escape)", () => dialog.close());
  const before = press("‹", "Previous result (left arrow or P)", () => tell.step(-1));
  const after = press("›", "Next result (right arrow or N)", () => tell.step(1));
  const glass = lightTable(dialog, [close, before, at, after]);
  dialog.onclose = () => tell.close();
  room.append(dialog);
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { arrowleft: before, p: before, arrowright: after, n: after }[event.key.toLowerCase()];
    if (glass.key(event)) event.preventDefault();
    else if (way) { event.preventDefault(); if (!way.disabled) way.click(); }
  });
  return { dialog, glass, at, before, after, tell };
};
export default function ({ data, parentElement, setTriggerValue }) {
  const room = parentElement.querySelector(".room");
  const shown = room.__shown ||= start(room);
  let asked = false;
  shown.tell.step = (by) => { if (!asked) { asked = true; setTriggerValue("step", by); } };
  shown.tell.close = () => setTriggerValue("closed", true);
  shown.at.textContent = data.at;
  shown.before.disabled = !data.before;
  shown.after.disabled = !data.after;
  shown.glass.show(data.pair);
  if (!shown.dialog.open) { shown.dialog.showModal(); shown.glass.table.querySelector("canvas").focus(); }
  data.soon.forEach(load);
  return () => setTimeout(() => { if (!room.isConnected) shown.glass.end(); });
}
