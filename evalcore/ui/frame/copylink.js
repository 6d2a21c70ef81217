export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("#copy");
  button.textContent = data.label;
  button.onclick = async () => {
    const link = new URL(window.location.href);
    if (data.alone) link.search = "";
    for (const [name, value] of Object.entries(data.also)) link.searchParams.set(name, value);
    let done = true;
    try { await navigator.clipboard.writeText(link.toString()); } catch (refused) { done = false; }
    button.textContent = done ? "Link copied" : "Copy the address bar";
    setTimeout(() => { button.textContent = data.label; }, 2000);
  };
}
