let touched = false; // A number that nobody touched may show its least value for a moment.
const said = (key, otherwise) => {
  const input = document.querySelector(`.st-key-${key} input`);
  const value = input?.type === "range" ? input.getAttribute("aria-valuetext") : touched && input?.value;
  return value ? Number(value) : otherwise;
};
const between = (alphas, values, alpha) => {
  const after = alphas.findIndex(one => one >= alpha);
  if (after < 0 || alpha < alphas[0]) return null;
  const [low, high] = [values[Math.max(after - 1, 0)], values[after]];
  if (alphas[after] === alpha) return high;
  if (low === null || high === null) return null;
  return low + (high - low) * (alpha - alphas[after - 1]) / (alphas[after] - alphas[after - 1]);
};
const path = (points, xs, ys) => {
  let text = "", pen = "M";
  for (const [x, y] of points) {
    if (y === null) { pen = "M"; continue; }
    text += `${pen}${xs.c2p(x)},${ys.c2p(y)}`;
    pen = "L";
  }
  return text;
};
const say = (place, { alphas, lines }, alpha, threshold) => {
  const rows = (lines[threshold] ?? []).map(({ name, mean }) => ({ name, value: mean[alphas.indexOf(alpha)] }));
  const known = rows.filter(row => typeof row.value === "number").sort((a, b) => b.value - a.value);
  const words = [`At α ${alpha}, ${threshold} ${threshold === 1 ? "step" : "steps"}: `];
  known.forEach((row, i) => words.push(i ? " · " : "", `${row.name} `, Object.assign(
    document.createElement("strong"), { textContent: row.value.toFixed(3) })));
  place.replaceChildren(...words, known.length ? "" : "…");
};
const lines = (plot, data, { alpha, threshold }) => {
  const { meta } = plot.layout, { xaxis, yaxis } = plot._fullLayout, sent = data.lines[threshold];
  if (!meta || !xaxis || !sent) return;
  const traces = [];
  for (const group of plot.querySelectorAll(".scatterlayer .trace"))
    traces[group.__data__[0].trace.index] = group;
  sent.forEach(({ mean, low, high }, i) => {
    if (plot.followed !== threshold) {
      const points = values => data.alphas.map((x, j) => [x, values[j]]).filter(([, y]) => y !== null || values === mean);
      const band = `${path([...points(high), ...points(low).reverse()], xaxis, yaxis)}Z`;
      traces[2 * i]?.querySelectorAll("path").forEach(one => one.setAttribute("d", band));
      const line = traces[2 * i + 1], known = points(mean).filter(([, y]) => y !== null);
      line?.querySelector(".js-line")?.setAttribute("d", path(points(mean), xaxis, yaxis));
      line?.querySelectorAll(".point").forEach((one, j) => known[j] && one.setAttribute(
        "transform", `translate(${xaxis.c2p(known[j][0])},${yaxis.c2p(known[j][1])})`));
    }
    const value = between(data.alphas, mean, alpha);
    const mark = traces[2 * sent.length + i]?.querySelector(".point");
    if (mark && value !== null) mark.setAttribute("transform", `translate(${xaxis.c2p(alpha)},${yaxis.c2p(value)})`);
  });
  const title = plot.querySelector(".gtitle tspan tspan") ?? plot.querySelector(".gtitle tspan");
  if (plot.followed !== threshold && title) title.textContent = data.titles[threshold];
  plot.followed = threshold;
  const shift = `translateX(${xaxis.c2p(alpha) - xaxis.c2p(meta.alpha)}px)`;
  for (const one of [plot.querySelector(".shapelayer path"), [...plot.querySelectorAll(".annotation")].pop()])
    if (one) one.style.transform = shift;
};
// How the server drew a figure, by its `meta`, and which setting it shows now.
const drawn = new WeakMap();
const asDrawn = ({ data, layout: { meta, annotations, shapes, title, xaxis, yaxis } }) => {
  if (!drawn.has(meta)) drawn.set(meta, {
    x: data.map(trace => [...trace.x]), hover: data.map(trace => [...trace.hovertext]),
    notes: annotations.map(note => ({ ...note })), shapes: shapes?.map(shape => ({ ...shape })) ?? [],
    title: title.text, names: [...(yaxis.ticktext ?? [])], end: xaxis.range[1],
    own: [meta.k, meta.alpha, meta.threshold].join("|"), shown: null,
  });
  return drawn.get(meta);
};
const number = text => Number(text.replace("−", "-"));
const dots = (plot, data, at) => {
  const { meta } = plot.layout, was = asDrawn(plot), key = [at.k, at.alpha, at.threshold].join("|");
  if (key === (was.shown ?? was.own)) return;
  const own = key === was.own, frame = data.frames[key];
  if ((!own && !frame) || !plot.data.length) return;
  was.shown = key;
  const rows = meta.systems.map((name, i) => own ? [i] : frame[0][data.systems.indexOf(name)]);
  const x = own ? was.x : rows.map(([, mean, ends]) => {
    const [low, high] = ends.split(" – ").map(number), middle = number(mean);
    return Number.isNaN(high ?? NaN) ? [middle, middle, middle] : [low, middle, high];
  });
  const end = own ? was.end : frame[1], names = [];
  was.names.forEach((name, i) => { names[rows[i][0]] = name; });
  const notes = was.notes.map((note, i) => {
    if (note.yref !== "y") return note;
    const [row, mean, ends] = rows[note.y];
    const changed = !own && i < rows.length && note.text.replace(/<b>.*?<\/b>/, `<b>${mean}</b>`).replace(/>[^<]*<\/span>$/, `>${ends}</span>`);
    return { ...note, y: row, text: own ? note.text : changed || "…" };
  });
  const shapes = was.shapes.map((shape, i) => i || meta.baseline === null ? shape : { ...shape, x0: x[meta.baseline][1], x1: x[meta.baseline][1] });
  window.Plotly?.update(plot, {
    x, y: rows.map(([row]) => [row, row, row]),
    hovertext: own ? was.hover : rows.map(([, mean]) => [mean, mean, mean]),
  }, {
    annotations: notes, shapes, "xaxis.range": [0, end],
    ...(names.length && { "yaxis.ticktext": names }),
    "title.text": was.title.replace(new RegExp(`(@|top(?: |<br>))${meta.k}(?!\\d)`), `$1${at.k}`),
  });
};
export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector("#values");
  const figure = () => document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
  const follow = () => {
    const plot = figure(), meta = plot?.layout?.meta ?? { alpha: data.at?.[0], threshold: data.at?.[1] };
    const at = Object.fromEntries(["k", "alpha", "threshold"].map(key => [key, said(key, meta[key])]));
    if (data.lines) say(place, data, at.alpha, at.threshold);
    if (!plot?._fullLayout || !plot.layout.meta) return;
    if (plot.follow !== follow) {
      if (plot.follow) plot.removeListener("plotly_afterplot", plot.drawn);
      plot.follow = follow;
      plot.drawn = () => { plot.followed = plot.layout.meta?.threshold; follow(); };
      plot.on("plotly_afterplot", plot.drawn);
      plot.followed ??= plot.layout.meta.threshold;
    }
    (data.lines ? lines : dots)(plot, data, at);
  };
  const watch = new MutationObserver(follow);
  watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-valuetext"] });
  // A number that is typed or stepped through changes no attribute.
  const soon = ({ target }) => {
    if (!target.closest?.(".st-key-k")) return;
    touched = true;
    requestAnimationFrame(follow);
  };
  const events = ["input", "click", "keydown"];
  for (const event of events) document.addEventListener(event, soon, true);
  const whenDrawn = new MutationObserver(() => {
    if (figure()?._fullLayout) { whenDrawn.disconnect(); follow(); }
  });
  whenDrawn.observe(document.body, { subtree: true, childList: true });
  follow();
  const later = data.later && setTimeout(() => setTriggerValue("later", true), 800);
  return () => {
    clearTimeout(later);
    watch.disconnect();
    whenDrawn.disconnect();
    for (const event of events) document.removeEventListener(event, soon, true);
  };
}
