"""The constant style sheet of the pages and the mark; no data ever passes through here."""

from __future__ import annotations

import streamlit as st

MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">'
    '<circle cx="12" cy="16" r="9" fill="#0B6E6E" fill-opacity="0.9"/>'
    '<circle cx="20" cy="16" r="9" fill="#4DB6AC" fill-opacity="0.75"/></svg>'
)
"""Two overlapping sets."""
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 32" width="150" height="32">'
    '<circle cx="12" cy="16" r="9" fill="#0B6E6E" fill-opacity="0.9"/>'
    '<circle cx="20" cy="16" r="9" fill="#4DB6AC" fill-opacity="0.75"/>'
    '<text x="40" y="23" font-family="Helvetica, Arial, sans-serif" font-size="20" font-weight="600" '
    'fill="#1F8A86">CUIscope</text></svg>'
)
"""The mark with the name, legible on light and dark."""

_STYLE = """<style>
[data-testid="stMainBlockContainer"] {padding-left: 2.5rem; padding-right: 2.5rem;}
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] {gap: 0.7rem;}
[data-testid="stSidebarUserContent"] .st-key-pages {gap: 0.15rem;}
[data-testid="stMultiSelect"] [data-rac] {max-height: 16rem;}
[data-testid="stMultiSelect"] [data-tag] {background-color: rgba(47, 156, 152, 0.16); color: inherit;
  font-size: 0.82rem; height: auto; padding-top: 0.1rem; padding-bottom: 0.1rem;}
.st-key-lead p, .st-key-lead-first p {font-size: 1.15rem; line-height: 1.5; max-width: 64rem;}
.st-key-heading h1 {padding: 0;}
[data-testid="stHeading"] h2 {font-size: 1.5rem; padding: 0.5rem 0 1rem;}
[data-testid="stHeading"] h3 {font-size: 1.15rem;}
.st-key-banner p, .st-key-status p {font-size: 0.78rem; opacity: 0.8;}
.st-key-status p {text-align: right;}
.st-key-board .stGrid p, .st-key-query p {font-size: 0.82rem; line-height: 1.35;}
.st-key-board .stGrid .stVerticalBlock, .st-key-query {padding: 0.5rem;}
[data-testid="stMarkdownContainer"] .stMarkdownBadge {white-space: normal !important;}
.st-key-query-pickers, [data-testid="stLayoutWrapper"]:has(> .st-key-legend-below),
  [data-testid="stLayoutWrapper"]:has(> [class*="st-key-"][class*="-stacked"]) {display: none;}
@media (max-width: 768px) {
  [data-testid="stMainBlockContainer"] {padding-top: 3.6rem;}
  .st-key-query-pickers, [data-testid="stLayoutWrapper"]:has(> .st-key-legend-below) {display: flex;}
  [data-testid="stLayoutWrapper"]:has(> .st-key-legend-above) {display: none;}
  [data-testid="stMain"]:has(.st-key-query-pickers input:not(:checked))
    [data-testid="stLayoutWrapper"]:has(> :is(.st-key-query-systems, .st-key-query-filters)) {
    display: none;}
  [data-testid="stMain"]:has(.st-key-query-walk) [data-testid="stLayoutWrapper"]:has(> .st-key-page-notes) {
    order: 1;}
  .st-key-query-walk {gap: 0.5rem;}
  :is(.st-key-go-left, .st-key-go-right, .st-key-why-left, .st-key-why-right)
    [data-testid="stMarkdownContainer"] {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);}
}
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] {padding-left: 1.2rem; padding-right: 1.2rem;}
  .st-key-why-matrix .textpoint {display: none;}
  [data-testid="stLayoutWrapper"]:has(> [class*="st-key-"][class*="-drawn"]) {display: none;}
  [data-testid="stLayoutWrapper"]:has(> [class*="st-key-"][class*="-stacked"]) {display: flex;}
}
.st-key-board img {border-radius: 4px;}
.st-key-board button {min-height: 1.8rem; padding: 0 0.5rem;}
[data-testid="stCaptionContainer"] {color: inherit; opacity: 0.74;}
button[data-testid^="stBaseButton-primary"]:not(:disabled),
button[data-testid^="stBaseButton-primary"]:not(:disabled) p {
  color: light-dark(#FFFFFF, #04211F);}
.st-key-keyboard {position: absolute; width: 1px; height: 1px; overflow: hidden;}
#cuiscope-skip {position: fixed; left: 0.5rem; top: -5rem; z-index: 2000000; padding: 0.6rem 1rem;
  border-radius: 0.5rem; background: #0B6E6E; color: #FFFFFF; font: 600 1rem sans-serif;}
#cuiscope-skip:focus {top: 0.5rem;}
#cuiscope-skip ~ * [data-testid="stSkipToContent"] {display: none;}
:is(a, button, input, textarea, summary, [role="slider"], [role="tab"], [role="radio"], [role="option"],
  [role="combobox"], [tabindex="0"]):focus-visible {
  outline: 3px solid light-dark(#0B6E6E, #63C5C0) !important; outline-offset: 2px;}
#cuiscope-skip:focus-visible {outline: 3px solid #FFFFFF !important; outline-offset: -6px;}
[tabindex="-1"]:focus {outline: none;}
[data-testid="stElementToolbar"]:focus-within {opacity: 1; visibility: visible;}
.st-key-board button [data-testid="stMarkdownContainer"] span {font-size: 0 !important;}
[data-testid="stFullScreenFrame"]:has(img[alt^="Result "]) [data-testid="stElementToolbar"] {display: none;}
@media (max-width: 640px) {
  [class*="st-key-cards-"] [data-testid="stTable"] > div {overflow: visible;}
  [class*="st-key-cards-"] thead {display: none;}
  [class*="st-key-cards-"] :is(table, tbody, tr, td, th) {display: block; width: 100%; border: 0;}
  [class*="st-key-cards-"] tr {border: 1px solid light-dark(#D5DEE0, #2F3944); border-radius: 0.5rem;
    padding: 0.4rem; margin-bottom: 0.5rem;}
  [class*="st-key-cards-"] :is(td, th) {padding: 0.1rem 0.3rem; white-space: normal; text-align: left;}
  [class*="st-key-cards-"] td:has(.stMarkdownColoredText) {display: none;}
  [data-testid="stTable"] th [data-testid="stMarkdownContainer"] {overflow: visible; min-width: max-content;}
  [class*="st-key-square-"] {overflow-x: auto;}
  [class*="st-key-square-"] > * {min-width: 34rem;}
  [class*="st-key-square-multiples"] > * {min-width: 46rem;}
}
</style>"""


def apply() -> None:
    """Add the style sheet to this page."""
    st.html(_STYLE)
