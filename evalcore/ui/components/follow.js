const said = (key, otherwise) => {
  const value = document.querySelector(`.st-key-${key} input[type="range"]`)?.getAttribute("aria-valuetext");
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
export default function ({ data, parentElement }) {
  const place = parentElement.querySelector("#values");
  const figure = () => document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
  const follow = () => {
    const plot = figure(), meta = plot?.layout?.meta ?? { alpha: data.at[0], threshold: data.at[1] };
    const at = Object.fromEntries(["alpha", "threshold"].map(key => [key, said(key, meta[key])]));
    say(place, data, at.alpha, at.threshold);
    if (!plot?._fullLayout || !plot.layout.meta) return;
    if (plot.follow !== follow) {
      if (plot.follow) plot.removeListener("plotly_afterplot", plot.drawn);
      plot.follow = follow;
      plot.drawn = () => { plot.followed = plot.layout.meta?.threshold; follow(); };
      plot.on("plotly_afterplot", plot.drawn);
      plot.followed ??= plot.layout.meta.threshold;
    }
    lines(plot, data, at);
  };
  const watch = new MutationObserver(follow);
  watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-valuetext"] });
  const whenDrawn = new MutationObserver(() => {
    if (figure()?._fullLayout) { whenDrawn.disconnect(); follow(); }
  });
  whenDrawn.observe(document.body, { subtree: true, childList: true });
  follow();
  return () => {
    watch.disconnect();
    whenDrawn.disconnect();
  };
}
