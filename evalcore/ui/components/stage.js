// The two panes and their tools, for the components that show them (they come after it).
//
// Window and level, zoom and pan are the same for both panes: what the reader does to one, the other shows.
// Everything a mouse does, a key and a button do too.

const make = (name, options = {}, children = []) => {
  const made = Object.assign(document.createElement(name), options);
  made.append(...children);
  return made;
};
// Where the program lives: its pages lie one level below it, whatever stands before that.
const home = () => {
  const script = document.querySelector('script[src*="static/js/"]');
  return script ? script.src.split("static/js/")[0].replace(/[/]$/, "") : window.location.origin;
};
const loaded = new Map();
const load = (src) => {
  if (!loaded.has(src)) {
    const image = new Image();
    image.src = home() + src;
    const done = image.decode().then(() => image, () => { loaded.delete(src); return null; });
    loaded.set(src, done);
    if (loaded.size > 16) loaded.delete(loaded.keys().next().value);
  }
  return loaded.get(src);
};
const NORMAL = { zoom: 1, x: 0, y: 0, width: 256, level: 128 };
const KEYS = [
  ["+ −", "larger, smaller (or the wheel)"], ["Shift + arrows", "move (or drag)"],
  ["W, Shift + W", "window narrower, wider (or drag with the right button or Shift)"],
  ["L, Shift + L", "level lower, higher"], ["I", "invert"], ["X", "one to one: a pixel for a pixel"],
  ["0 or Home", "as at first"],
];
const lightTable = (place, more = []) => {
  const view = { ...NORMAL, invert: false, native: false, tool: "move" };
  const table = make("div", { className: "stage" });
  const said = make("p", { className: "said", role: "status" });
  const panes = [0, 1].map(() => {
    const canvas = make("canvas", { tabIndex: 0 });
    canvas.setAttribute("role", "img");
    const title = make("strong"), words = make("span"), none = make("p", { className: "none", hidden: true });
    const glass = make("div", { className: "glass" }, [canvas, none]);
    const box = make("figure", { className: "pane" }, [make("figcaption", {}, [title, words]), glass]);
    return { canvas, title, words, none, box, image: null, src: null };
  });
  const ratio = () => Math.min(window.devicePixelRatio || 1, 2);
  const scale = ({ canvas, image }) => view.zoom * (view.native ? 1
    : Math.min(canvas.width / image.naturalWidth, canvas.height / image.naturalHeight));
  const changed = () => view.invert || view.width !== NORMAL.width || view.level !== NORMAL.level;
  const levels = () => {
    const low = view.level - view.width / 2, out = new Uint8ClampedArray(256);
    for (let i = 0; i < 256; i += 1) {
      out[i] = ((i - low) / view.width) * 255;
      if (view.invert) out[i] = 255 - out[i];
    }
    return out;
  };
  const paint = (pane) => {
    const { canvas, image } = pane;
    const width = Math.round(canvas.clientWidth * ratio());
    const height = Math.round(canvas.clientHeight * ratio());
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const at = canvas.getContext("2d", { willReadFrequently: true });
    at.fillStyle = "#000";
    at.fillRect(0, 0, width, height);
    if (!image) return;
    const by = scale(pane), w = Math.round(image.naturalWidth * by), h = Math.round(image.naturalHeight * by);
    const left = Math.round((width - w) / 2 + view.x * ratio());
    const top = Math.round((height - h) / 2 + view.y * ratio());
    at.imageSmoothingQuality = "high";
    at.drawImage(image, left, top, w, h);
    if (!changed()) return;
    const x = Math.max(0, left), y = Math.max(0, top);
    const across = Math.min(width, left + w) - x, down = Math.min(height, top + h) - y;
    if (across <= 0 || down <= 0) return;
    const part = at.getImageData(x, y, across, down), dots = part.data, out = levels();
    for (let i = 0; i < dots.length; i += 4) {
      dots[i] = out[dots[i]]; dots[i + 1] = out[dots[i + 1]]; dots[i + 2] = out[dots[i + 2]];
    }
    at.putImageData(part, x, y);
  };
  let frame = 0;
  const draw = () => {
    frame ||= requestAnimationFrame(() => { frame = 0; panes.forEach(paint); });
  };
  const tell = () => {
    const parts = [view.native ? "1:1" : "", `Zoom ${Math.round(view.zoom * 100)}%`];
    if (view.width !== NORMAL.width || view.level !== NORMAL.level)
      parts.push(`window ${Math.round(view.width)}, level ${Math.round(view.level)}`);
    if (view.invert) parts.push("inverted");
    said.textContent = parts.filter(Boolean).join(" · ");
    table.classList.toggle("zoomed", view.zoom > 1 || view.native);
    table.classList.toggle("window", view.tool === "window");
    const on = { invert: view.invert, native: view.native, window: view.tool === "window" };
    for (const name of Object.keys(on)) buttons[name].setAttribute("aria-pressed", String(on[name]));
    draw();
  };
  // Nothing is moved further than its middle to the edge of the larger pane.
  const within = () => {
    const most = (side, of) => Math.max(...panes.map((pane) => pane.image
      ? (pane.image[of] * scale(pane) + pane.canvas[side]) / 2 / ratio() - 24 : 0));
    const [x, y] = [most("width", "naturalWidth"), most("height", "naturalHeight")];
    view.x = Math.min(Math.max(view.x, -x), x);
    view.y = Math.min(Math.max(view.y, -y), y);
  };
  const move = (dx, dy) => { view.x += dx; view.y += dy; within(); tell(); };
  const zoom = (by, x = 0, y = 0) => {
    const before = view.zoom;
    view.zoom = Math.min(Math.max(before * by, view.native ? 0.1 : 0.5), 20);
    const grown = view.zoom / before;
    view.x = x - (x - view.x) * grown;
    view.y = y - (y - view.y) * grown;
    within(); tell();
  };
  const window_ = (width, level) => {
    view.width = Math.min(Math.max(view.width + width, 2), 512);
    view.level = Math.min(Math.max(view.level + level, 0), 255);
    tell();
  };
  const reset = () => {
    Object.assign(view, NORMAL, { invert: false, native: false, tool: "move" });
    tell();
  };
  const toggle = (name) => {
    view[name] = !view[name];
    if (name === "native") Object.assign(view, { zoom: 1, x: 0, y: 0 });
    tell();
  };
  const tool = () => { view.tool = view.tool === "window" ? "move" : "window"; tell(); };
  const button = (text, words, keys, act) => {
    const title = `${words} (${keys})`;
    const made = make("button", { type: "button", textContent: text, title, onclick: act });
    made.setAttribute("aria-label", words);
    return made;
  };
  const buttons = {
    smaller: button("−", "Smaller", "-", () => zoom(1 / 1.25)),
    larger: button("+", "Larger", "+", () => zoom(1.25)),
    window: button("Window", "Window and level: drag over a picture", "or the right mouse button", tool),
    invert: button("Invert", "Invert", "I", () => toggle("invert")),
    native: button("1:1", "One pixel for one pixel", "X", () => toggle("native")),
    reset: button("Reset", "As at first", "0", reset),
  };
  const bar = make("div", { className: "tools" }, [...more, ...Object.values(buttons), said]);
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Tools of the pictures");
  const fingers = new Map();
  const middle = () => {
    const all = [...fingers.values()], n = all.length;
    const x = all.reduce((sum, one) => sum + one.x, 0) / n, y = all.reduce((sum, one) => sum + one.y, 0) / n;
    return { x, y, apart: n > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0 };
  };
  for (const { canvas } of panes) {
    const from = (x, y) => {
      const box = canvas.getBoundingClientRect();
      return [x - box.left - box.width / 2, y - box.top - box.height / 2];
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 300), ...from(event.clientX, event.clientY));
    }, { passive: false });
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      const window = event.button === 2 || event.shiftKey;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY, window });
    };
    canvas.onpointermove = (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const before = middle();
      const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      const after = middle();
      if (fingers.size > 1) {
        if (before.apart > 0) zoom(after.apart / before.apart, ...from(after.x, after.y));
        move(after.x - before.x, after.y - before.y);
      } else if (finger.window || view.tool === "window") window_(dx, dy / 2);
      else if (event.pointerType !== "touch" || view.zoom > 1 || view.native) move(dx, dy);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
    canvas.ondblclick = () => reset();
  }
  table.append(bar, make("div", { className: "panes" }, panes.map((pane) => pane.box)));
  place.append(table);
  const sized = new ResizeObserver(draw);
  panes.forEach((pane) => sized.observe(pane.canvas));
  tell();
  const acts = {
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(1 / 1.25), "−": () => zoom(1 / 1.25),
    i: () => toggle("invert"), x: () => toggle("native"), 0: reset, home: reset,
    w: (shift) => window_(shift ? 16 : -16, 0), l: (shift) => window_(0, shift ? 8 : -8),
  };
  const steps = { arrowleft: [-40, 0], arrowright: [40, 0], arrowup: [0, -40], arrowdown: [0, 40] };
  return {
    table, buttons,
    key: (event) => {
      const name = event.key.toLowerCase();
      if (event.shiftKey && steps[name]) { move(...steps[name]); return true; }
      if (!acts[name]) return false;
      acts[name](event.shiftKey);
      return true;
    },
    show: (pair) => {
      Object.assign(view, NORMAL);
      pair.forEach((of, i) => {
        const pane = panes[i];
        pane.box.hidden = false;
        pane.title.textContent = of.title;
        pane.words.textContent = of.words;
        pane.canvas.setAttribute("aria-label", of.alt);
        const blank = (words) => { pane.none.textContent = words; pane.none.hidden = !words; };
        if (pane.src === of.src && pane.image) { blank(""); return; }
        pane.src = of.src;
        pane.image = null;
        blank(of.src ? "" : of.none);
        if (!of.src) return;
        const waits = () => { if (pane.src === of.src && !pane.image) blank("Loading the picture"); };
        const late = setTimeout(waits, 250);
        load(of.src).then((image) => {
          clearTimeout(late);
          if (pane.src !== of.src) return;
          pane.image = image;
          blank(image ? "" : "The picture could not be loaded. Check the connection, then reload the page.");
          draw();
        });
      });
      panes.slice(pair.length).forEach((pane) => { pane.box.hidden = true; });
      tell();
    },
    end: () => sized.disconnect(),
  };
};
