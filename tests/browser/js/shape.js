/* What a page shows, beside what count.js counts: widgets of the sidebar, pictures, figures, sizes of tables. */
widgets => {
  const main = document.querySelector('[data-testid="stMain"]');
  const side = document.querySelector('[data-testid="stSidebar"]');
  const visible = element => element.checkVisibility({visibilityProperty: true});
  const roots = [main, ...[...main.querySelectorAll('*')].map(e => e.shadowRoot).filter(Boolean)];
  const plain = (key, value) =>
    ArrayBuffer.isView(value) ? Array.from(value) : key.startsWith('_') ? undefined : value;
  const sidebar = widgets.filter(id => id !== 'stPageLink').map(id => `[data-testid="${id}"]`).join(', ');
  return {
    sidebar: side ? [...side.querySelectorAll(sidebar)].filter(visible).length : 0,
    pictures: roots.reduce((n, root) => n + [...root.querySelectorAll('img')].filter(visible).length, 0),
    figures: [...main.querySelectorAll('.js-plotly-plot')].filter(visible).map(
      f => JSON.stringify({data: f.data, layout: f.layout}, plain)),
    tables: [...main.querySelectorAll('[data-testid="stDataFrame"] [role=grid]')].map(
      t => [+t.getAttribute('aria-rowcount'), +t.getAttribute('aria-colcount')]),
  };
}
