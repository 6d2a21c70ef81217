/* Lines of text in figures that overlap, or leave their figure; turned ones are not looked at. */
main => [...main.querySelectorAll(".js-plotly-plot")].flatMap(figure => {
  const edge = figure.getBoundingClientRect();
  const upright = [...figure.querySelectorAll("svg text")]
    .filter(text => text.textContent.trim() && text.checkVisibility() && !text.getCTM().b);
  const lines = upright.flatMap(text => {
    const broken = [...text.querySelectorAll(":scope > tspan.line")];
    return (broken.length ? broken : [text])
      .map(line => [text, line.textContent, line.getBoundingClientRect()]);
  });
  const out = lines.filter(([, , box]) => box.right > edge.right + 2 || box.left < edge.left - 2)
    .map(([, words]) => `${words}: outside`);
  lines.forEach(([of, words, a], i) => lines.slice(i + 1).forEach(([other, more, b]) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (of !== other && wide > 2 && high > 4) out.push(`${words}: over ${more}`);
  }));
  return out;
})
