/* Notes when a reader last saw something change (__last), and how much moved without an input (__shift). */
() => {
  window.__last = performance.now();
  const seen = ({target}) => !(target.nodeType === 1 ? target : target.parentElement)?.closest("canvas");
  new MutationObserver(changes => { if (changes.some(seen)) window.__last = performance.now(); })
    .observe(document,
             {subtree: true, childList: true, attributes: true, characterData: true});
  window.__shift = 0;
  new PerformanceObserver(list => list.getEntries().forEach(
    one => { if (!one.hadRecentInput) window.__shift += one.value; })).observe(
    {type: 'layout-shift', buffered: true});
  document.addEventListener('load', () => { window.__last = performance.now(); }, true);
}
