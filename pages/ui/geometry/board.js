// Points in a plane that are dragged: the point follows at once, and the server computes what
// follows from them, one request at a time, the newest points next.
const NS = "http://www.w3.org/2000/svg";
const DASHES = { solid: "", dash: "0.35 0.2", dot: "0.08 0.16", dashdot: "0.35 0.15 0.08 0.15" };
const SIDE = 12; // units of the drawing, whatever those of the points
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
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return parent.appendChild(made);
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

  // From the units of the points to those of the drawing, and back.
  across(x) {
    return (SIDE * (x - this.data.low[0])) / (this.data.high[0] - this.data.low[0]);
  }

  down(y) {
    return (SIDE * (this.data.high[1] - y)) / (this.data.high[1] - this.data.low[1]);
  }

  inside(point) {
    const { low, high, digits } = this.data;
    return point.map((value, i) => Number(Math.min(Math.max(value, low[i]), high[i]).toFixed(digits)));
  }

  place(event) {
    const { low, high } = this.data;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return this.inside([
      low[0] + (at.x / SIDE) * (high[0] - low[0]),
      high[1] - (at.y / SIDE) * (high[1] - low[1]),
    ]);
  }

  show() {
    const { svg, data } = this;
    svg.replaceChildren();
    this.grid();
    for (const [x, y, code] of data.behind) this.mark(x, y, code, { class: "behind" });
    for (const line of data.lines) {
      if (!line.ends) continue;
      const [[x1, y1], [x2, y2]] = line.ends;
      const ends = { x1: this.across(x1), x2: this.across(x2), y1: this.down(y1), y2: this.down(y2) };
      draw(svg, "line", { ...ends, ...stroke(line, 0.07) });
    }
    data.ellipses.forEach((parts, k) => this.ellipse(parts, k));
    this.points.forEach(([x, y, code], i) => {
      const look = { class: i === this.at ? "point chosen" : "point", "data-point": i };
      if (!data.names.length) this.mark(x, y, code, look);
      else this.handle(x, y, code, look, !data.ellipses.some(([centre]) => centre === i));
    });
    this.list.replaceChildren(
      ...data.lines.map((line) => {
        const item = document.createElement("li");
        const key = draw(item, "svg", { viewBox: "0 0 2 .8", "aria-hidden": "true" });
        draw(key, "line", { x1: 0, x2: 2, y1: 0.4, y2: 0.4, ...stroke(line, 0.2) });
        item.append(`${line.name}: ${line.n_wrong}`);
        return item;
      }),
    );
    this.say();
  }

  grid() {
    const { low, high, axes } = this.data;
    const step = high[0] - low[0] > 8 ? 2 : 1;
    for (let x = Math.ceil(low[0] / step) * step; x < high[0]; x += step) {
      if (x > low[0]) draw(this.svg, "line", { x1: this.across(x), x2: this.across(x), y1: 0, y2: SIDE, class: "grid" });
      if (x > low[0]) draw(this.svg, "text", { x: this.across(x) + 0.08, y: SIDE - 0.1 }).textContent = `${x}`.replace("-", "−");
    }
    for (let y = Math.ceil(low[1] / step) * step; y < high[1]; y += step) {
      if (y > low[1]) draw(this.svg, "line", { y1: this.down(y), y2: this.down(y), x1: 0, x2: SIDE, class: "grid" });
      if (y > low[1]) draw(this.svg, "text", { x: 0.08, y: this.down(y) - 0.08 }).textContent = `${y}`.replace("-", "−");
    }
    draw(this.svg, "text", { x: SIDE - 0.1, y: SIDE - 0.1, class: "axis", "text-anchor": "end" }).textContent = axes[0];
    draw(this.svg, "text", { x: 0.1, y: 0.4, class: "axis" }).textContent = axes[1];
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

  ellipse([centre, origin, one, other], k) {
    const [c, o, p, q] = [centre, origin, one, other].map((i) => this.points[i]);
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
    const words = point ? `${name[0].toUpperCase()}${name.slice(1)}, at (${x}, ${y})` : "No rows";
    if (this.output.textContent !== words) this.output.textContent = words;
  }

  step() {
    return (this.data.high[0] - this.data.low[0]) / 120;
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
    const by = to.map((value, i) => value - point[i]);
    const along = this.data.ellipses.filter(([, origin]) => origin === this.at).flatMap((parts) => parts.slice(2));
    for (const i of new Set(along)) {
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
    const ways = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    const point = this.points[this.at];
    const isFree = !this.data.names.length;
    if (ways[event.key] && point) this.move(this.inside([0, 1].map((i) => point[i] + ways[event.key][i])));
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

function stroke(line, width) {
  return { stroke: line.colour, "stroke-width": width, "stroke-dasharray": DASHES[line.dash] ?? "" };
}
