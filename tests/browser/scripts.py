"""JavaScript that the browser tests evaluate in the page."""

#: Counts what the page sends to the server: a click is over when its message has been answered.
#: (Watching for the script state `running` instead misses runs of a few milliseconds.)
WATCH = """
window.lincore = {sent: 0, at: 0, begun: 0, answered: true, looks: 0};
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  if (!this.lincoreWatched) {
    this.lincoreWatched = true;
    this.addEventListener('message', () => { window.lincore.answered = true; });
  }
  Object.assign(window.lincore, {at: performance.now(), answered: false});
  window.lincore.begun ||= window.lincore.at;
  window.lincore.sent += 1;
  return send.call(this, message);
};
"""

#: True once the page was found finished seven times in a row, 50 ms apart: `notRunning` alone
#: holds before the first run as well, and Plotly draws after the script has ended. Looks are
#: counted, not milliseconds: a page busy with drawing has not read what the server sent.
SETTLED = """
() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const seen = (element) => element.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)];
  const now = performance.now();
  const settled = app
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && (window.lincore.answered || now - window.lincore.at > 2000)
    && document.querySelector('[data-testid="stMain"] [data-testid="stElementContainer"]')
    && !document.querySelector('[data-testid*="Skeleton"], [data-stale="true"]')
    && all('[data-testid="stPlotlyChart"]').filter(seen).every((chart) =>
         chart.querySelector('.js-plotly-plot .main-svg'))
    && all('img').filter(seen).every((image) => image.complete);
  window.lincore.looks = settled ? window.lincore.looks + 1 : 0;
  return window.lincore.looks > 6;
}
"""

#: A figure's data and layout; typed arrays become lists, base64 ones stay for Python to decode.
FIGURE = """
(box) => {
  const plot = box.matches('.js-plotly-plot') ? box : box.querySelector('.js-plotly-plot');
  const plain = (name, value) => ArrayBuffer.isView(value) ? Array.from(value) : value;
  const shown = {data: plot.data, layout: plot.layout};
  return JSON.parse(JSON.stringify(shown, (name, value) =>
    name.startsWith('_') || name === 'template' ? undefined : plain(name, value)));
}
"""

#: The sizes of the WebGL scenes that are alive in a figure.
SCENES = """
(box) => [...box.querySelectorAll('.js-plotly-plot')].flatMap((plot) =>
  Object.values(plot._fullLayout)
    .map((part) => part && part._scene && part._scene.glplot && part._scene.glplot.gl)
    .filter((gl) => gl && !gl.isContextLost())
    .map((gl) => [gl.drawingBufferWidth, gl.drawingBufferHeight]))
"""

#: Rows of an HTML table, or of the table that a data frame's canvas holds for screen readers.
ROWS = """
(box) => [...box.querySelectorAll('table tr')].map((row) =>
  [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim()))
"""

#: Starts a stopwatch: from the next message sent to the last change of the page, or to the end of
#: the last task that kept it busy (WebGL draws without changing the document).
START = """
() => {
  const state = window.lincore;
  state.begun = 0;
  state.changed = performance.now();
  if (state.watching) return;
  state.watching = true;
  const now = () => { state.changed = Math.max(state.changed, performance.now()); };
  new MutationObserver(now).observe(document.body,
    {subtree: true, childList: true, attributes: true, characterData: true});
  new PerformanceObserver((list) => list.getEntries().forEach((task) => {
    state.changed = Math.max(state.changed, task.startTime + task.duration);
  })).observe({type: 'longtask'});
}
"""

#: Seconds on the stopwatch; none when nothing was sent.
STOP = """
() => window.lincore.begun ? (window.lincore.changed - window.lincore.begun) / 1000 : null
"""

#: Where a place of a figure's data lies in the window, in pixels.
PLACE = """
(box, [x, y]) => {
  const plot = box.querySelector('.js-plotly-plot');
  const {xaxis, yaxis} = plot._fullLayout;
  const {left, top} = plot.getBoundingClientRect();
  return [left + xaxis._offset + xaxis.d2p(x), top + yaxis._offset + yaxis.d2p(y)];
}
"""

#: Where the marker with this customdata lies in the figure's data: [x, y], or null.
MARKER = """
(box, wanted) => {
  const plain = (value) => value === undefined || value === null ? []
    : typeof value === 'object' ? Array.from(value).map(Number) : [Number(value)];
  const same = (value) => String(plain(value)) === String(wanted);
  for (const trace of box.querySelector('.js-plotly-plot')._fullData) {
    const index = trace.visible === true && trace.customdata
      ? Array.from(trace.customdata).findIndex(same) : -1;
    if (index >= 0) return [trace.x[index], trace.y[index]];
  }
  return null;
}
"""

#: True once Plotly has found the mark at a place of a figure's data under the pointer.
HOVERED = """
([plot, x, y]) => (plot._hoverdata || []).some((mark) => mark.x === x && mark.y === y)
"""
