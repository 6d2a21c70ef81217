/* What of the page leads to another host, or could hold or send something. */
() => {
  const found = [], names = ["src", "srcset", "href", "xlink:href", "action", "data", "poster"];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "META", "FORM"].includes(one.tagName) && one.closest("body"))
        found.push(one.outerHTML.slice(0, 200));
      for (const name of names) {
        if (!one.hasAttribute(name)) continue;
        const to = new URL(one.getAttribute(name), location.origin);
        if (!(to.host === location.host || ["data:", "blob:"].includes(to.protocol)))
          found.push(one.outerHTML.slice(0, 200));
      }
      if (one.shadowRoot) look(one.shadowRoot);
    }
  };
  look(document);
  return found;
}
