// Draws the figures when the file is opened, where there was nothing to draw them beforehand.
document.querySelectorAll("img[data-figure]").forEach(async (image) => {
  const spec = JSON.parse(document.getElementById(image.dataset.figure).textContent);
  const [width, height] = ["width", "height"].map((name) => Number(image.getAttribute(name)));
  image.src = await Plotly.toImage(spec, { width, height, format: "svg" });
});
