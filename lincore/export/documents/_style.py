"""Style sheet and script of a report: light, dark and on paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #16161d; --faint: #55555f; --paper: #ffffff; --shade: #f4f4f8; --line: #d5d5de;
  --accent: #3d44a8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e8ef; --faint: #b3b3bf; --paper: #14151b; --shade: #1f212a; --line: #3b3d49;
    --accent: #aab0ff;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0; background: var(--paper); color: var(--ink); }
header, nav, main, footer { max-width: 45rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.75rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }
h1, h2, p, li, td, th, figcaption { overflow-wrap: anywhere; }
p { margin: 0 0 .8rem; }
.lead, .about, footer { color: var(--faint); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; padding: 0; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
ul.items { padding-left: 1.2rem; }
/* A table begins with the text, and goes on to the edge of the window where it needs that. */
.wide { overflow-x: auto; margin: 0 0 1.5rem; width: max-content; min-width: min(27rem, 100%);
  max-width: max(100%, min(75rem, 100% + (100vw - 45rem) / 2 - .75rem)); }
table { border-collapse: collapse; font-size: .875rem; min-width: 100%;
  font-variant-numeric: tabular-nums; }
.caption { font-size: .875rem; font-weight: 600; margin: 1.25rem 0 .25rem; }
.whole { white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .28rem .9rem .28rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
td { overflow-wrap: break-word; max-width: 26rem; }
thead th { border-bottom: 1.5px solid var(--ink); font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
tbody th { font-weight: 400; }
.long { min-width: 14rem; }
.references { list-style: none; padding-left: 0; }
figure { margin: 1.25rem 0 1.75rem; }
.plot { width: 100%; min-height: 4rem; }
pre { background: var(--shade); padding: .9rem 1rem; font-size: .8rem; line-height: 1.45;
  white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 6px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
footer { padding-top: 1.5rem; padding-bottom: 3rem; font-size: .875rem; }
@media print {
  :root {
    color-scheme: light;
    --ink: #000; --faint: #333; --paper: #fff; --shade: #f6f6f6; --line: #bbb; --accent: #000;
  }
  @page { size: A4; margin: 16mm 15mm; }
  html { font-size: 10.5pt; }
  nav { display: none; }
  header, main, footer { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  .caption { break-after: avoid; }
  figure, tr, li { break-inside: avoid; }
  .wide { overflow: visible; width: auto; max-width: none; }
  table { font-size: 8pt; }
  th, td { padding-right: .5rem; overflow-wrap: break-word; }
  td, tbody th { overflow-wrap: anywhere; }
  tbody th { min-width: 7em; }
  td:not(.number) { min-width: 4.5em; }
  .number { white-space: normal; }
  .long { min-width: 0; }
  pre { border: 1px solid var(--line); }
  a { text-decoration: none; }
}
"""

#: Draws the figures in the colours of the page; again when these change, and for paper.
SCRIPT = """
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const plots = [...document.querySelectorAll('.plot')];
  const family = getComputedStyle(document.body).fontFamily;
  const options = {
    displaylogo: false,
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d', 'sendDataToCloud'],
  };
  const draw = (onPaper) => {
    const ink = dark.matches && !onPaper ? '#e8e8ef' : '#16161d';
    for (const plot of plots) {
      const text = document.getElementById(plot.dataset.source).textContent;
      const drawn = JSON.parse(text.replaceAll('INK', ink));
      drawn.layout.font = {...drawn.layout.font, color: ink, family};
      const size = onPaper || innerWidth > 600 ? 15 : 13;
      const title = drawn.layout.title || {};
      drawn.layout.title = {...title, font: {...title.font, size, weight: 600}};
      drawn.layout.width = onPaper ? 680 : Math.min(plot.parentElement.clientWidth, 680);
      drawn.layout.autosize = false;
      Plotly.react(plot, drawn.data, drawn.layout, options);
    }
  };
  draw(matchMedia('print').matches);
  dark.addEventListener('change', () => draw(false));
  addEventListener('beforeprint', () => draw(true));
  addEventListener('afterprint', () => draw(false));
  let width = innerWidth, waiting = 0;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => draw(false), 200);
  });
})();
"""
