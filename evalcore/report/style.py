"""The look of a report: light, for screen and paper. A constant; no data ever passes through here."""

STYLE = """
:root {color-scheme: light;}
@page {margin: 15mm;}
body {font: 10pt/1.45 "Source Sans 3", "Segoe UI", Arial, Helvetica, "Liberation Sans", sans-serif;
  color: #17212B; background: #FFFFFF; max-width: 180mm; margin: 12mm auto; padding: 0 4mm;}
h1 {font-size: 19pt; line-height: 1.2; margin: 0 0 2mm;}
h2 {font-size: 13pt; margin: 8mm 0 2mm; padding-top: 2mm; border-top: 1px solid #C9D1D7;
  break-after: avoid;}
h1, dd, td, figcaption, p {overflow-wrap: anywhere;}
p {margin: 0 0 2mm; orphans: 3; widows: 3;}
.kind {color: #0B6E6E; font-weight: 600; margin: 0;}
.verdict {font-size: 12pt;}
header p, figcaption, caption {color: #45525D;}
figure {margin: 4mm 0 6mm; break-inside: avoid;}
img {display: block; width: 100%; height: auto; max-height: 235mm; object-fit: contain;
  object-position: left top;}
figcaption, caption {font-size: 8.5pt; text-align: left;}
caption {padding-bottom: 1mm; break-after: avoid;}
table {border-collapse: collapse; width: 100%; margin: 3mm 0 6mm; font-size: 8pt; line-height: 1.3;}
thead {display: table-header-group;}
.short, tr {break-inside: avoid;}
th, td {padding: 1mm 1.2mm; text-align: left; vertical-align: top; border-bottom: 1px solid #E3E8EC;}
th {border-bottom-color: #56626D; font-weight: 600; vertical-align: bottom;}
.n {text-align: right; font-variant-numeric: tabular-nums;}
td:first-child {min-width: 20mm;}
td.n {white-space: nowrap; overflow-wrap: normal;}
dl {margin: 0 0 4mm; columns: 2; column-gap: 8mm; font-size: 9pt;}
dl div {break-inside: avoid; padding: 0.6mm 0; border-bottom: 1px solid #E3E8EC;}
dt {color: #45525D; font-size: 8pt;}
dd {margin: 0;}
pre {font: 8pt/1.4 "DejaVu Sans Mono", Consolas, monospace; background: #F4F7F8; padding: 2mm;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 4mm;}
a {color: #0B6E6E;}
footer {margin-top: 8mm; padding-top: 2mm; border-top: 1px solid #C9D1D7; font-size: 8.5pt; color: #45525D;}
@media print {body {margin: 0; padding: 0; max-width: none;}}
"""
