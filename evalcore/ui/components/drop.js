const ZONE = "[data-testid=stFileUploaderDropzone]", MAIN = "[data-testid=stMain]", MOST_MS = 30000, GONE_MS = 700;
const inside = async entry => {
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader(), all = [], next = () => new Promise((...ends) => reader.readEntries(...ends));
  for (let some; (some = await next()).length;) all.push(...some);
  return (await Promise.all(all.map(inside))).flat();
};
// What was dropped must be asked for at once: after the event it is empty. Folders are walked, as the uploader does.
const filesOf = transfer => Promise.all([...transfer.items].filter(item => item.kind === "file").map(item => {
  const entry = item.webkitGetAsEntry();
  return entry?.isDirectory ? inside(entry) : [item.getAsFile()];
})).then(all => all.flat());
export default function ({ data, parentElement }) {
  const takes = parentElement.querySelector("#takes");
  const part = name => document.querySelector(`.st-key-own-data ${name}`), input = () => part(`${ZONE} input`);
  takes.firstChild.textContent = data.words;
  let gone = 0;
  const ours = ({ target, dataTransfer }) => dataTransfer?.types.includes("Files")
    && !target.closest?.(ZONE) && target.closest?.(MAIN);
  const hide = () => { if (takes.matches(":popover-open")) takes.hidePopover(); };
  const over = event => {
    const main = ours(event);
    if (!main) return hide();
    event.preventDefault();
    clearTimeout(gone);
    gone = setTimeout(hide, GONE_MS); // not every browser says that what was dragged left the window
    event.dataTransfer.dropEffect = "copy";
    const { left, top, width, height } = main.getBoundingClientRect();
    const room = { left: left + 8, top: top + 8, width: width - 16, height: height - 16 };
    for (const [name, pixels] of Object.entries(room)) takes.style[name] = `${pixels}px`;
    if (!takes.matches(":popover-open")) takes.showPopover();
  };
  const drop = async event => {
    hide();
    if (!ours(event)) return;
    event.preventDefault();
    const dropped = new DataTransfer(), until = Date.now() + MOST_MS;
    for (const file of await filesOf(event.dataTransfer)) dropped.items.add(file);
    if (!input()) document.querySelector(".st-key-new-study a")?.click();
    while (!input() && Date.now() < until) await new Promise(done => setTimeout(done, 50));
    if (!input()) return;
    input().files = dropped.files;
    input().dispatchEvent(new Event("change", { bubbles: true }));
    part(ZONE).scrollIntoView({ block: "start" });
  };
  const heard = { dragover: over, drop };
  for (const [name, act] of Object.entries(heard)) document.addEventListener(name, act);
  return () => {
    clearTimeout(gone);
    hide();
    for (const [name, act] of Object.entries(heard)) document.removeEventListener(name, act);
  };
}
