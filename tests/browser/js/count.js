/* Words outside figures and cells of tables, widgets of these test ids, and figures, as far as they are visible. */
widgets => {
  const main = document.querySelector('[data-testid="stMain"]');
  const visible = element => element.checkVisibility({visibilityProperty: true});
  const own = 'button, input, select, textarea, [role=button], [role=slider]';
  const skipped = '.js-plotly-plot, canvas, td, th, style, script, [data-testid="stIconMaterial"]';
  const roots = [main, ...[...main.querySelectorAll('*')].map(e => e.shadowRoot).filter(Boolean)];
  let words = 0;
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const holder = walker.currentNode.parentElement;
      if (!holder || holder.closest(skipped) || !visible(holder)) continue;
      words += (walker.currentNode.data.match(/\S*[\p{L}\p{N}]\S*/gu) || []).length;
    }
  }
  const selector = widgets.map(id => `[data-testid="${id}"]`).join(', ');
  const outer = [...main.querySelectorAll(selector)].filter(
    e => visible(e) && !e.parentElement.closest(selector));
  const components = [...main.querySelectorAll('[data-testid="stBidiComponentRegular"], ' +
    '[data-testid="stBidiComponentIsolated"]')].filter(
    e => [e, e.shadowRoot].some(r => r && r.querySelector(own)));
  const figures = [...main.querySelectorAll('.js-plotly-plot')].filter(visible);
  return {words, widgets: outer.length + components.length, figures: figures.length};
}
