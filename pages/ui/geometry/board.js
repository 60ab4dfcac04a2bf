// Points in a plane that are dragged: the point follows at once, and the server computes what
// follows from them, one request at a time, the newest points next.
const NS = "http://www.w3.org/2000/svg";
const DASHES = { solid: "", dash: "0.35 0.2", dot: "0.08 0.16", dashdot: "0.35 0.15 0.08 0.15" };
const SIDE = 12; // units of the height of the drawing, whatever those of the points
const PIXELS = 37; // of such a unit, about
const PAUSE = 700; // milliseconds without a change, after which the page is notified
const boards = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".board");
  let board = boards.get(root);
  if (!board) {
    board = new Board(root);
    boards.set(root, board);
  }
  board.take(data, component);
  return () => clearTimeout(board.timer);
}

function draw(parent, name, attributes) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
}

class Board {
  constructor(root) {
    this.root = root;
    this.svg = root.querySelector("svg");
    this.list = root.querySelector("ul");
    this.output = root.querySelector("output");
    this.kind = root.querySelector("select");
    this.at = 0;
    this.sent = 0;
    this.waiting = false;
    root.querySelector(".add").onclick = () => this.add(this.beside());
    root.querySelector(".delete").onclick = () => this.remove();
    root.querySelector(".best").onclick = () => this.replace(this.data.best);
    this.svg.onkeydown = (event) => this.onKey(event);
    this.svg.onpointerdown = (event) => this.grab(event);
    this.svg.onpointermove = (event) => this.drag(event);
    this.svg.onpointerup = this.svg.onpointercancel = () => (this.held = false);
    this.svg.ondblclick = (event) => this.data.names.length || this.add(this.place(event));
  }

  take(data, component) {
    this.component = component;
    // A switch that has just been used would keep the presenter's keys.
    document.querySelector(".st-key-geometry-presenter input:focus")?.blur();
    if (data.token !== this.token) {
      this.token = data.token;
      this.points = data.points.map((point) => [...point]);
      this.at = 0;
      this.sent = data.turn;
      this.waiting = this.isStale = false;
      this.root.dataset.moves = data.names.length ? "parameters" : "rows";
      this.root.dataset.judged = data.judged;
      this.svg.setAttribute("aria-label", data.label);
    }
    this.data = data;
    if (data.turn === this.sent) {
      this.waiting = false;
      if (this.isStale) this.send();
    }
    this.show();
  }

  send() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.component.setTriggerValue("settled", true), PAUSE);
    if (this.waiting) {
      this.isStale = true;
      return;
    }
    this.isStale = false;
    this.waiting = true;
    this.sent += 1;
    const sent = { token: this.token, turn: this.sent, points: this.points };
    this.component.setStateValue("points", sent);
  }

  // From the units of the plane, or of a panel, to those of the drawing, and back.
  across(x, { low, high, spot } = this.data.panels[0]) {
    return this.wide() * (spot[0][0] + ((spot[0][1] - spot[0][0]) * (x - low[0])) / (high[0] - low[0]));
  }

  down(y, { low, high, spot } = this.data.panels[0]) {
    return SIDE * (1 - spot[1][0] - ((spot[1][1] - spot[1][0]) * (y - low[1])) / (high[1] - low[1]));
  }

  wide() {
    return SIDE / this.data.panels[0].spot[0][1];
  }

  inside(point) {
    const { digits, panels } = this.data;
    const { low, high } = panels[0];
    return point.map((value, i) => Number(Math.min(Math.max(value, low[i]), high[i]).toFixed(digits)));
  }

  place(event) {
    const { low, high } = this.data.panels[0];
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return this.inside([
      low[0] + (at.x / SIDE) * (high[0] - low[0]),
      high[1] - (at.y / SIDE) * (high[1] - low[1]),
    ]);
  }

  show() {
    const { svg, data } = this;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${this.wide()} ${SIDE}`);
    svg.style.setProperty("--wide", this.wide() / SIDE);
    const insides = data.panels.map((panel, i) => this.grid(panel, i));
    for (const [x, y, code] of data.behind) this.mark(x, y, code, { class: "behind" });
    const [first] = this.points;
    for (const [x, y] of data.cluster) this.mark(first[0] + x, first[1] + y, first[2], { class: "cluster" });
    for (const line of data.lines) {
      if (!line.ends || (line.isAnswer && !data.judged)) continue;
      const panel = data.panels[line.panel ?? 0];
      // A gap, where y is null, begins a new part.
      const path = line.ends.map(([x, y], i) => {
        const start = !i || line.ends[i - 1][1] === null;
        return y === null ? "" : `${start ? "M" : "L"}${this.across(x, panel).toFixed(3)} ${this.down(y, panel).toFixed(3)}`;
      });
      draw(insides[line.panel ?? 0], "path", { d: path.join(""), fill: "none", ...stroke(line, (line.width ?? 2.6) / PIXELS) });
    }
    data.ellipses.forEach((positions, k) => this.ellipse(positions, k));
    this.points.forEach(([x, y, code], i) => {
      const look = { class: i === this.at ? "point chosen" : "point", "data-point": i };
      if (!data.names.length) this.mark(x, y, code, look);
      else this.handle(x, y, code, look, i > 1); // means come first
      // Below it, where no curve is steep.
      const at = { x: this.across(x), y: this.down(y) + 0.62, class: "symbol" };
      if (data.symbols[i]) draw(svg, "text", at).textContent = data.symbols[i];
    });
    this.list.replaceChildren(
      ...data.lines.filter((line) => line.name).map((line) => {
        const item = document.createElement("li");
        const key = draw(item, "svg", { viewBox: "0 0 2 .8", "aria-hidden": "true" });
        draw(key, "line", { x1: 0, x2: 2, y1: 0.4, y2: 0.4, ...stroke(line, 0.2) });
        item.append(line.n_wrong === undefined ? line.name : `${line.name}: ${line.n_wrong}`);
        return item;
      }),
    );
    this.say();
  }

  // Return an element that shows only what lies inside the panel.
  grid(panel, number) {
    const { low, high, axes, isBare } = panel;
    const [left, right] = [0, 1].map((i) => this.across([low, high][i][0], panel));
    const [bottom, top] = [0, 1].map((i) => this.down([low, high][i][1], panel));
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    draw(this.svg, "rect", { ...box, class: "frame" });
    for (const x of isBare ? [] : steps(low[0], high[0], number ? 3 : 8)) {
      draw(this.svg, "line", { x1: this.across(x, panel), x2: this.across(x, panel), y1: top, y2: bottom, class: "grid" });
      draw(this.svg, "text", { x: this.across(x, panel) + 0.08, y: bottom - 0.1 }).textContent = `${x}`.replace("-", "−");
    }
    const own = number ? [] : this.data.ticks;
    const free = high[1] - 0.05 * (high[1] - low[1]); // the name of the axis is above
    const ticks = own.length ? own : steps(low[1], free, number ? 5 : 8).map((y) => [y, `${y}`.replace("-", "−")]);
    for (const [y, text] of ticks) {
      draw(this.svg, "line", { y1: this.down(y, panel), y2: this.down(y, panel), x1: left, x2: right, class: "grid" });
      // Beside a panel there is room for its numbers.
      const anchor = number ? { x: left - 0.1, y: this.down(y, panel) + 0.1, "text-anchor": "end" } : { x: left + 0.08, y: this.down(y, panel) - 0.08 };
      draw(this.svg, "text", anchor).textContent = text;
    }
    draw(this.svg, "text", { x: right - 0.1, y: bottom - (isBare ? 0.1 : 0.5) , class: "axis", "text-anchor": "end" }).textContent = axes[0];
    draw(this.svg, "text", { x: left + 0.1, y: top + 0.4, class: "axis" }).textContent = axes[1];
    const inside = draw(this.svg, "svg", { ...box, viewBox: `${box.x} ${box.y} ${box.width} ${box.height}` });
    return inside;
  }

  mark(x, y, code, look) {
    const [cx, cy, fill] = [this.across(x), this.down(y), this.data.colours[code]];
    const r = look.class === "behind" ? 0.12 : 0.18;
    const d = r * 1.33;
    if (code) draw(this.svg, "path", { d: `M${cx} ${cy - d}l${d} ${d}-${d} ${d}-${d}-${d}z`, fill, ...look });
    else draw(this.svg, "circle", { cx, cy, r, fill, ...look });
  }

  handle(x, y, code, look, isHandle) {
    const [cx, cy, fill] = [this.across(x), this.down(y), this.data.colours[code]];
    if (isHandle) draw(this.svg, "rect", { x: cx - 0.2, y: cy - 0.2, width: 0.4, height: 0.4, ...look, class: `${look.class} handle` });
    else draw(this.svg, "path", { d: `M${cx - 0.1} ${cy - 0.3}h.2v.2h.2v.2h-.2v.2h-.2v-.2h-.2v-.2h.2z`, fill, ...look });
  }

  // The positions of centre, origin, and two handles: the ends of conjugate half axes from the origin.
  ellipse(positions, k) {
    const [c, o, p, q] = positions.map((i) => this.points[i]);
    const path = Array.from({ length: 73 }, (_, i) => {
      const [a, b] = [Math.cos((i * Math.PI) / 36), Math.sin((i * Math.PI) / 36)];
      const [x, y] = [0, 1].map((j) => c[j] + a * (p[j] - o[j]) + b * (q[j] - o[j]));
      return `${this.across(x).toFixed(3)} ${this.down(y).toFixed(3)}`;
    });
    draw(this.svg, "path", { d: `M${path.join("L")}z`, fill: "none", ...stroke({ colour: this.data.colours[k], dash: ["dash", "solid"][k] }, 0.08) });
  }

  say() {
    const point = this.points[this.at];
    const digits = this.data.names.length ? 2 : 1;
    const [x, y] = point ? point.map((value) => value.toFixed(digits).replace("-", "−")) : [];
    const name = this.data.names[this.at] ?? `row ${this.at + 1}, class ${point?.[2] + 1}`;
    // Its second coordinate may be no number of the axis.
    const position = { x: `, at ${x}`, y: "" }[this.data.ways[this.at]] ?? `, at (${x}, ${y})`;
    const words = point ? `${name[0].toUpperCase()}${name.slice(1)}${position}` : "No rows";
    if (this.output.textContent !== words) this.output.textContent = words;
  }

  step() {
    const { low, high } = this.data.panels[0];
    return (high[0] - low[0]) / 120;
  }

  beside() {
    const [x, y] = this.points[this.at] ?? [0, 0];
    return this.inside([x + 3 * this.step(), y + 3 * this.step()]);
  }

  add([x, y], code = Number(this.kind.value)) {
    if (this.points.length >= this.data.most) {
      this.output.textContent = `There may be ${this.data.most} rows.`;
      return;
    }
    this.points.push([x, y, code]);
    this.at = this.points.length - 1;
    this.changed();
  }

  remove() {
    this.points.splice(this.at, 1);
    this.at = Math.max(0, Math.min(this.at, this.points.length - 1));
    this.changed();
  }

  replace(points) {
    this.points = points.map((point) => [...point]);
    this.changed();
  }

  // Handles go along with the centre from which they are seen.
  move(to) {
    const point = this.points[this.at];
    const axis = this.data.ways[this.at];
    to = to.map((value, i) => (axis && axis !== "xy"[i] ? point[i] : value));
    const by = to.map((value, i) => value - point[i]);
    for (const [i] of this.data.follows.filter(([, origin]) => origin === this.at)) {
      const [x, y, code] = this.points[i];
      this.points[i] = [...this.inside([x + by[0], y + by[1]]), code];
    }
    this.points[this.at] = [...to, point[2]];
    this.changed();
  }

  changed() {
    this.show();
    this.send();
  }

  grab(event) {
    const at = event.target.dataset?.point;
    if (at === undefined) return;
    this.at = Number(at);
    this.held = true;
    this.svg.setPointerCapture(event.pointerId);
    this.show();
  }

  drag(event) {
    if (this.held && this.points[this.at]) this.move(this.place(event));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 5 * this.step() : this.step();
    const moves = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    const point = this.points[this.at];
    const isFree = !this.data.names.length;
    if (moves[event.key] && point) this.move(this.inside([0, 1].map((i) => point[i] + moves[event.key][i])));
    else if (event.key === "PageDown" || event.key === "PageUp") {
      const step = event.key === "PageDown" ? 1 : -1;
      this.at = (this.at + step + this.points.length) % Math.max(this.points.length, 1);
      this.show();
    } else if (isFree && event.key === "Enter") this.add(this.beside(), point?.[2]);
    else if (isFree && (event.key === "Delete" || event.key === "Backspace")) this.remove();
    else if (isFree && (event.key === "1" || event.key === "2") && point) {
      point[2] = Number(event.key) - 1;
      this.changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Round numbers between two ends, about as many as wanted.
function steps(low, high, n) {
  const power = 10 ** Math.floor(Math.log10((high - low) / n));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= (high - low) / n);
  const first = Math.floor(low / step) + 1;
  const values = Array.from({ length: Math.ceil(high / step) - first }, (_, i) => (first + i) * step);
  return values.map((value) => Number(value.toPrecision(12)));
}

function stroke(line, width) {
  return { stroke: line.colour, "stroke-width": width, "stroke-dasharray": DASHES[line.dash] ?? "" };
}
