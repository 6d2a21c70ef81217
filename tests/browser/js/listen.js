/* Runs in every page before anything else: counts what is sent to the server, and notes what it has not yet
answered. Streamlit answers each change of a widget, first by saying that it runs the page. */
() => {
  window.__sent = 0;
  window.__unanswered = false;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...message) {
    if (!this.__heard) {
      this.__heard = true;
      this.addEventListener("message", () => { window.__unanswered = false; });
    }
    window.__sent += 1;
    window.__unanswered = true;
    return send.apply(this, message);
  };
}
