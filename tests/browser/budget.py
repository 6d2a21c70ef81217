"""How much a page says: words, widgets and figures of its main part, as drawn."""

from __future__ import annotations

from playwright.sync_api import Page

from evalcore.values.writing import words

MOST = {"words": 250, "widgets": 15, "figures": 2}
"""What a page may say at Simple when it is opened."""
WIDGETS = words(
    """
    stBaseButton-secondary, stBaseButton-primary, stBaseButton-tertiary, stSelectbox, stMultiSelect,
    stSlider, stTextInput, stTextArea, stNumberInput, stCheckbox, stRadio, stButtonGroup,
    stFileUploader, stDownloadButton, stPopoverButton, stTabs, stPageLink
    """
)
"""Test ids of Streamlit's widgets; pills or tabs are one widget, and so is a component of our own."""

COUNT = """widgets => {
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
      words += (walker.currentNode.data.match(/\\S*[\\p{L}\\p{N}]\\S*/gu) || []).length;
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
}"""


def counted(page: Page) -> dict[str, int]:
    """Words outside figures and tables' cells, widgets, and figures that are visible in the main part.

    Words in figures and table cells are data; labels of widgets, captions, headings and links count.
    """
    result: dict[str, int] = page.evaluate(COUNT, list(WIDGETS))
    return result
