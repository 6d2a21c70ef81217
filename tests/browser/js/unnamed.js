/* What a screen reader could not name. */
main => [
  ...[...main.querySelectorAll("img")].filter(i => !i.alt.trim()).map(i => "img " + i.src.slice(0, 60)),
  ...[...main.querySelectorAll("[data-testid=stPlotlyChart]")]
    .filter(f => !(f.getAttribute("aria-label") || "").trim()).map(f => "figure " + f.innerText.slice(0, 60)),
  ...[...main.querySelectorAll("button, input")]
    .filter(b => b.checkVisibility() && !b.innerText.trim() && !b.title && !b.labels?.length
      && !b.getAttribute("aria-label") && !b.getAttribute("aria-labelledby") && !b.closest("label")
      && !b.closest("[data-testid=stElementToolbar], [data-testid=stDataFrame], .modebar"))
    .map(b => b.outerHTML.slice(0, 120)),
]
