/* Notes the first mark of the curves when it moves, with the setting that the server has drawn by then. */
plot => {
  const mark = () => plot.querySelector(".scatterlayer .point").getAttribute("transform");
  const first = mark();
  window.__moved = null;
  const look = () => {
    if (mark() === first) requestAnimationFrame(look);
    else window.__moved = [mark(), { ...plot.layout.meta }];
  };
  look();
}
