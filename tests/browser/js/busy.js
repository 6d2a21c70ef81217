/* What shows that the page is still being drawn, computes something or waits for an answer. */
() => {
  const app = document.querySelector("[data-testid=stApp]");
  const found = ["stProgress", "stSkeleton"]
    .filter(name => document.querySelector(`[data-testid=${name}]`));
  if (app?.dataset.testScriptState !== "notRunning") found.push(`script ${app?.dataset.testScriptState}`);
  if (app?.dataset.testConnectionState !== "CONNECTED") found.push(`${app?.dataset.testConnectionState}`);
  if (window.__unanswered) found.push("no answer yet");
  if (!document.querySelector("[data-testid=stMain] h1")) found.push("no title");
  return found;
}
