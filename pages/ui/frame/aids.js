// Whole names in tooltips where a page shortens them, and the focus of the keyboard.
const BLOCKS = "h1, h2, h3, h4, p, li, label, button, td, [role='option'], [role='combobox'], [data-tag]";
const LABELS = ".xtick text, .ytick text, .legendtext, .xtitle, .ytitle, .annotation-text";
const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex='0']";
const MOST_NAMES = 6; // of one tooltip
const FEWEST_LETTERS = 5; // that a shortened name shares with the whole one
const NARROW = 768; // pixels: the menu lies over the page

const CLICK = 500, LATEST = 2000; // milliseconds from a click to what it does, and for a late run

let names = [];
let pressed = -CLICK;

export default function (component) {
  names = component.data.names;
  if (document.lincoreAids) return;
  document.lincoreAids = true;
  document.addEventListener("pointermove", showWhole, { passive: true });
  document.addEventListener("click", ({ target }) => {
    const opener = target.closest?.("[data-testid='stPopoverButton']");
    if (opener && opener.getAttribute("aria-expanded") !== "true") enter(opener, 30);
    if (target.closest?.("[data-testid='stSidebarNavLink']")) setTimeout(closeMenu);
  }, { capture: true });
  document.addEventListener("keydown", passOn);
  document.addEventListener("pointerdown", () => { pressed = performance.now(); }, { passive: true });
  document.addEventListener("focusout", stay);
}

// A tab that was opened by keyboard loses the focus if an earlier run of the page ends after that:
// for a moment the former tab is the selected one.
function stay({ target, relatedTarget }) {
  const list = target.matches?.("[role='tab']") && target.closest("[role='tablist']");
  if (!list || relatedTarget || performance.now() - pressed < CLICK) return;
  const until = performance.now() + LATEST;
  const timer = setInterval(() => {
    if (document.activeElement !== document.body || performance.now() > until) clearInterval(timer);
    else list.querySelector("[aria-selected='true']")?.focus({ preventScroll: true });
  }, 50);
}

// Streamlit keeps the keys of its shortcuts from every input, but a switch has no use for letters.
function passOn(event) {
  const isPlain = /^[a-z]$/i.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isPlain && event.target.type === "checkbox") {
    document.body.dispatchEvent(new KeyboardEvent("keydown", event));
  }
}

function showWhole({ target, clientX, clientY }) {
  const plot = target.closest?.(".js-plotly-plot");
  // The labels of a plot lie under what it is dragged by.
  const shown = plot ? labelAt(plot, clientX, clientY) : target.closest?.(BLOCKS);
  const title = shown ? wholeNames(shown.value || shown.textContent) : "";
  const bearer = plot ?? shown;
  if (bearer && bearer.title !== title && (title || bearer.dataset.whole)) {
    bearer.title = title;
    bearer.dataset.whole = title;
  }
}

function labelAt(plot, x, y) {
  return [...plot.querySelectorAll(LABELS)].find((label) => {
    const box = label.getBoundingClientRect();
    return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  });
}

// The names that agree best with the letters on both sides of each ellipsis.
function wholeNames(text) {
  const matches = new Set();
  for (let at = text.indexOf("…"); at >= 0; at = text.indexOf("…", at + 1)) {
    const before = text.slice(0, at), after = text.slice(at + 1);
    const shares = names.map((name) => agreement(name, before, after));
    const most = Math.max(...shares);
    if (most >= FEWEST_LETTERS) {
      names.filter((_, i) => shares[i] === most).forEach((name) => matches.add(name));
    }
  }
  return [...matches].slice(0, MOST_NAMES).join("\n");
}

function agreement(name, before, after) {
  let end = name.length - 1;
  while (end > 0 && !after.startsWith(name.slice(-end))) end -= 1;
  let start = name.length - 1;
  while (start > 0 && !before.endsWith(name.slice(0, start))) start -= 1;
  return end ? start + end : 0;
}

// A popover is the last element of the document: without this, Tab leads through the whole page.
function enter(opener, frames) {
  const panel = document.querySelector("[data-testid='stPopoverBody']");
  if (!panel) {
    if (frames) requestAnimationFrame(() => enter(opener, frames - 1));
    return;
  }
  panel.tabIndex = -1;
  panel.focus({ preventScroll: true });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || !panel.contains(event.target)) return;
    const stops = [...panel.querySelectorAll(FOCUSABLE)].filter((stop) => stop.checkVisibility());
    const isLast = event.shiftKey
      ? event.target === panel || event.target === stops[0]
      : !stops.length || event.target === stops[stops.length - 1];
    if (isLast) {
      event.preventDefault();
      opener.focus();
    }
  });
}

function closeMenu() {
  if (innerWidth < NARROW) {
    document.querySelector("[data-testid='stSidebarCollapseButton'] button")?.click();
  }
}
