"""How the judging desk looks: the pictures dark in both themes, what is asked in the colours of the page."""

from evalcore.ui.components.viewer import stage

CSS = (
    stage.CSS
    + """
.desk {display: flex; flex-direction: column; gap: 0.55rem; color: var(--st-text-color);
  --tall: clamp(15rem, min(100dvh - 29rem, 52vw), 60rem);}
.desk:focus {outline: none;}
.desk[hidden], .desk [hidden] {display: none !important;}
.line {display: flex; flex-wrap: wrap; gap: 0.4rem 0.8rem; align-items: center;}
.line p, .help p {margin: 0;}
.far {flex: 1; min-width: 7rem; height: 0.55rem; border-radius: 1rem; overflow: hidden;
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);}
.far i {display: block; height: 100%; background: var(--st-primary-color);}
.count {font-weight: 600; font-variant-numeric: tabular-nums;}
.state {min-width: 5.5rem; font-variant-numeric: tabular-nums;}
.state.wrong {color: var(--st-red-text-color, #B3261E); font-weight: 600;}
.note {display: none; font-size: 0.78rem; opacity: 0.8;}
dialog.wide .note {display: block;}
.asked {font-size: 1.05rem; font-weight: 600;}
.steps {display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 0.4rem; flex: 1 1 34rem;}
.desk button, .desk input[type=text] {font: inherit; color: inherit; min-height: 2.2rem;
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
  border-radius: var(--st-button-radius); padding: 0.1rem 0.7rem;}
.desk button {cursor: pointer;}
.desk button:hover {border-color: var(--st-primary-color);}
.desk .tools button {color: #E9EEF2; background: #1E2630; border-color: #3A4652;}
.desk .tools button[aria-pressed=true] {background: #0B6E6E;}
.desk button[aria-checked=true], .desk .reasons button[aria-pressed=true], .desk button.go {
  background: #0B6E6E; border-color: #0B6E6E; color: #FFFFFF;}
.desk button:focus-visible, .desk input:focus-visible {outline: 3px solid #E69F00; outline-offset: 1px;}
.desk button:disabled {opacity: 0.45; cursor: default;}
.steps button {display: flex; gap: 0.5rem; align-items: center; text-align: left; line-height: 1.15;}
kbd {font: inherit; font-size: 0.75rem; font-weight: 700; border: 1px solid currentColor; opacity: 0.9;
  border-radius: 4px; padding: 0 0.3rem; min-width: 0.7rem; text-align: center; flex: none;}
.reasons {display: flex; flex-wrap: wrap; gap: 0.3rem; align-items: center;}
.reasons button {min-height: 1.9rem; border-radius: 1rem; display: flex; gap: 0.35rem; align-items: center;}
.line input[type=text] {flex: 1; min-width: 10rem;}
.slide {display: flex; gap: 0.8rem; align-items: center; flex: 1 1 30rem;}
.slide input {flex: 1; accent-color: var(--st-primary-color);}
.slide output {font-size: 1.2rem; font-weight: 700; min-width: 2.5rem; font-variant-numeric: tabular-nums;}
.acts {display: flex; flex-wrap: wrap; gap: 0.4rem; margin-left: auto;}
.desk .line > button {display: flex; gap: 0.4rem; align-items: center;}
.acts button {display: flex; gap: 0.4rem; align-items: center;}
.help {border: 1px solid var(--st-border-color); border-radius: 8px; padding: 0.7rem 1rem;
  display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 0.25rem 1.5rem;}
.lists {display: grid; grid-auto-columns: minmax(0, 1fr); grid-auto-flow: column; gap: 1rem;}
.lists h2 {font-size: 0.9rem; margin: 0 0 0.3rem;}
.row {display: flex; gap: 0.35rem; overflow-x: auto; padding: 4px;}
.desk .row button {flex: none; width: 6.2rem; height: 6.2rem; padding: 0; background: #0B0D10; color: #E9EEF2;
  position: relative; overflow: hidden; border: 2px solid transparent;}
.desk .row button[aria-current=true] {border-color: #56B4E9;}
.row img {width: 100%; height: 100%; object-fit: contain; display: block;}
.row span {position: absolute; left: 0; top: 0; background: #0B0D10; padding: 0 0.35rem; font-size: 0.75rem;}
.desk.lists-on {--tall: clamp(13rem, calc(100dvh - 37rem), 50rem);}
dialog.wide {border: none; margin: 0; padding: 0.5rem; width: 100vw; height: 100dvh; max-width: none;
  max-height: none; box-sizing: border-box; background: var(--st-background-color); overflow-y: auto;}
dialog.wide .desk {--tall: clamp(15rem, calc(100dvh - 15.5rem), 90rem);}
dialog.wide .desk.lists-on {--tall: clamp(13rem, calc(100dvh - 24rem), 90rem);}
@media (max-width: 640px) {
  .desk {--tall: 13.5rem;}
  .steps {grid-template-columns: 1fr; flex-basis: 100%;}
  .desk button {min-height: 2.7rem;}
  .lists {grid-auto-flow: row;}
  .acts {width: 100%;}
  .acts {display: grid; grid-template-columns: 1fr 1fr;}
  .acts button {justify-content: center;}
  kbd {display: none;}
}
"""
)
