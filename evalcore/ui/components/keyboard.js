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
let waiting = 0;
const soon = () => { waiting = waiting || setTimeout(() => { waiting = 0; reach(); }, 200); };
export default function ({ data }) {
  skip(data);
  const watch = new MutationObserver(soon);
  watch.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("resize", soon);
  soon();
  return () => {
    watch.disconnect();
    window.removeEventListener("resize", soon);
  };
}
