// Rows in a plane that are dragged: the row follows at once, and the server fits the lines again,
// one request at a time, the newest rows next.
const NS = "http://www.w3.org/2000/svg";
const DASHES = { solid: "", dash: "0.35 0.2", dot: "0.08 0.16", dashdot: "0.35 0.15 0.08 0.15" };
const STEP = 0.1;
const boards = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".board");
  let board = boards.get(root);
  if (!board) {
    board = new Board(root);
    boards.set(root, board);
  }
  board.take(data, component.setStateValue);
}

function draw(parent, name, attributes) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return parent.appendChild(made);
}

class Board {
  constructor(root) {
    this.svg = root.querySelector("svg");
    this.list = root.querySelector("ul");
    this.output = root.querySelector("output");
    this.kind = root.querySelector("select");
    this.at = 0;
    this.sent = 0;
    this.waiting = false;
    root.querySelector(".add").onclick = () => this.add(this.beside());
    root.querySelector(".delete").onclick = () => this.remove();
    this.svg.onkeydown = (event) => this.onKey(event);
    this.svg.onpointerdown = (event) => this.grab(event);
    this.svg.onpointermove = (event) => this.drag(event);
    this.svg.onpointerup = this.svg.onpointercancel = () => (this.held = false);
    this.svg.ondblclick = (event) => this.add(this.place(event));
  }

  take(data, send) {
    this.sendState = send;
    if (data.token !== this.token) {
      this.token = data.token;
      this.rows = data.rows.map((row) => [...row]);
      this.reach = data.reach;
      this.at = 0;
      this.sent = data.turn;
      this.waiting = this.isStale = false;
    }
    this.data = data;
    if (data.turn === this.sent) {
      this.waiting = false;
      if (this.isStale) this.send();
    }
    this.show();
  }

  send() {
    if (this.waiting) {
      this.isStale = true;
      return;
    }
    this.isStale = false;
    this.waiting = true;
    this.sent += 1;
    this.sendState("rows", { token: this.token, turn: this.sent, rows: this.rows });
  }

  show() {
    const { svg, reach } = this;
    svg.setAttribute("viewBox", `${-reach} ${-reach} ${2 * reach} ${2 * reach}`);
    svg.replaceChildren();
    for (let at = 2 - reach; at < reach; at += 2) {
      draw(svg, "line", { x1: at, x2: at, y1: -reach, y2: reach, class: "grid" });
      draw(svg, "line", { y1: at, y2: at, x1: -reach, x2: reach, class: "grid" });
      draw(svg, "text", { x: at + 0.08, y: reach - 0.1 }).textContent = at;
      if (at) draw(svg, "text", { x: 0.08 - reach, y: -at - 0.08 }).textContent = at;
    }
    for (const line of this.data.lines) {
      if (!line.ends) continue;
      const [[x1, y1], [x2, y2]] = line.ends;
      const look = { stroke: line.colour, "stroke-width": 0.07, "stroke-dasharray": DASHES[line.dash] ?? "" };
      draw(svg, "line", { x1, x2, y1: -y1, y2: -y2, ...look });
    }
    this.rows.forEach(([x, y, code], i) => {
      const look = { class: i === this.at ? "point chosen" : "point", fill: this.data.colours[code], "data-row": i };
      if (code) draw(svg, "path", { d: `M${x} ${-y - 0.24}l.24 .24-.24 .24-.24-.24z`, ...look });
      else draw(svg, "circle", { cx: x, cy: -y, r: 0.18, ...look });
    });
    this.list.replaceChildren(
      ...this.data.lines.map((line) => {
        const item = document.createElement("li");
        const key = draw(item, "svg", { viewBox: "0 0 2 .8", "aria-hidden": "true" });
        const look = { stroke: line.colour, "stroke-width": 0.2, "stroke-dasharray": DASHES[line.dash] ?? "" };
        draw(key, "line", { x1: 0, x2: 2, y1: 0.4, y2: 0.4, ...look });
        item.append(`${line.name}: ${line.n_wrong}`);
        return item;
      }),
    );
    this.say();
  }

  say() {
    const row = this.rows[this.at];
    const [x, y] = row ? row.map((value) => value.toFixed(1).replace("-", "−")) : [];
    const words = row ? `Row ${this.at + 1}, class ${row[2] + 1}, at (${x}, ${y})` : "No rows";
    if (this.output.textContent !== words) this.output.textContent = words;
  }

  inside(value) {
    return Math.round(Math.min(Math.max(value, -this.reach), this.reach) * 1000) / 1000;
  }

  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [this.inside(at.x), this.inside(-at.y)];
  }

  beside() {
    const [x, y] = this.rows[this.at] ?? [0, 0];
    return [this.inside(x + 3 * STEP), this.inside(y + 3 * STEP)];
  }

  add([x, y], code = Number(this.kind.value)) {
    if (this.rows.length >= this.data.most) return;
    this.rows.push([x, y, code]);
    this.at = this.rows.length - 1;
    this.changed();
  }

  remove() {
    this.rows.splice(this.at, 1);
    this.at = Math.max(0, Math.min(this.at, this.rows.length - 1));
    this.changed();
  }

  changed() {
    this.show();
    this.send();
  }

  grab(event) {
    const row = event.target.dataset?.row;
    if (row === undefined) return;
    this.at = Number(row);
    this.held = true;
    this.svg.setPointerCapture(event.pointerId);
    this.show();
  }

  drag(event) {
    if (!this.held || !this.rows[this.at]) return;
    [this.rows[this.at][0], this.rows[this.at][1]] = this.place(event);
    this.changed();
  }

  onKey(event) {
    const by = event.shiftKey ? 5 * STEP : STEP;
    const ways = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    const row = this.rows[this.at];
    if (ways[event.key] && row) {
      row[0] = this.inside(row[0] + ways[event.key][0]);
      row[1] = this.inside(row[1] + ways[event.key][1]);
      this.changed();
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      const step = event.key === "PageDown" ? 1 : -1;
      this.at = (this.at + step + this.rows.length) % Math.max(this.rows.length, 1);
      this.show();
    } else if (event.key === "Enter") this.add(this.beside(), row?.[2]);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove();
    else if ((event.key === "1" || event.key === "2") && row) {
      row[2] = Number(event.key) - 1;
      this.changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
