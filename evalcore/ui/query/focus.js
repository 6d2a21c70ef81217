// Give the focus to the button of a card, unless something else holds it.
export default function ({ data }) {
  const held = document.activeElement;
  if (held && held !== document.body) return;
  document.querySelector(`.st-key-${CSS.escape(data.to)} button`)?.focus();
}
