const skip = ({ label, places }) => {
  const known = document.getElementById("cuiscope-skip");
  const link = known ?? document.createElement("a");
  link.id = "cuiscope-skip";
  link.href = "#results";
  link.textContent = label;
  link.onclick = event => {
    event.preventDefault();
    const main = document.querySelector("[data-testid=stMain]");
    const place = places.map(name => main?.querySelector(name)).find(found => found) ?? main;
    if (!place) return;
    if (!place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "start" });
  };
  if (!known) document.body.prepend(link);
};
const reach = () => {
  for (const place of document.querySelectorAll("[data-testid=stTable] > div:not([tabindex])"))
    if (place.scrollWidth > place.clientWidth) {
      place.setAttribute("tabindex", "0");
      place.setAttribute("role", "region");
      place.setAttribute("aria-label", "Table, can be scrolled");
    }
};
// The largest of the widths that the page has room for: figures are made for it.
const room = (widths) => {
  const page = document.querySelector("[data-testid=stMainBlockContainer]");
  if (!page) return 0;
  const { paddingLeft, paddingRight } = getComputedStyle(page);
  const inside = page.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return widths.findLast(width => width <= inside) ?? widths[0];
};
// On a phone the sidebar covers the page: it closes when another page was opened from it.
const uncover = (page) => {
  if (before && before !== page && window.innerWidth <= 768)
    document.querySelector("[data-testid=stSidebarCollapseButton] [aria-expanded=true]")?.click();
  before = page;
};
let before = "";
let waiting = 0;
let width = 0;
export default function ({ data, setStateValue }) {
  width = data.width;
  const look = () => {
    waiting = 0;
    reach();
    const now = room(data.widths);
    if (now && now !== width) setStateValue("width", width = now);
  };
  const soon = () => { waiting = waiting || setTimeout(look, 200); };
  skip(data);
  uncover(data.page);
  const watch = new MutationObserver(soon);
  watch.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("resize", soon);
  soon();
  return () => {
    watch.disconnect();
    window.removeEventListener("resize", soon);
  };
}
