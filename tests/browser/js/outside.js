() => {
  const svg = document.documentElement, box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((one) => {
    const at = one.getBoundingClientRect();
    return at.width && (at.left < box.left - 1 || at.right > box.right + 1
      || at.top < box.top - 1 || at.bottom > box.bottom + 1);
  }).map((one) => one.textContent);
}
