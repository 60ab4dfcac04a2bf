// Plays the frames of an experiment in the figure beside it. The figure is Plotly's, drawn by
// Streamlit; where `window.Plotly` is gone, the server draws the frame instead.
const TOTAL = 5000; // milliseconds of all frames at normal speed
const PATIENCE = 4000; // milliseconds until the figure has to be there
const NARROW = "(max-width: 640px)"; // where Streamlit puts columns below each other
const players = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".player");
  let player = players.get(root);
  if (!player) {
    player = new Player(root);
    players.set(root, player);
  }
  player.take(data, component);
  return () => player.leave();
}

class Player {
  constructor(root) {
    this.root = root;
    this.parts = Object.fromEntries(
      ["sentence", "play", "back", "step", "reset"].map((name) => [name, root.querySelector(`.${name}`)]),
    );
    this.range = root.querySelector("input");
    this.label = root.querySelector("output");
    this.speed = root.querySelector("select");
    this.parts.play.onclick = () => (this.timer ? this.stop() : this.play());
    this.parts.step.onclick = () => this.go(this.at + 1);
    this.parts.back.onclick = () => this.go(this.at - 1);
    this.parts.reset.onclick = () => this.go(0);
    this.range.oninput = () => this.go(Number(this.range.value));
    this.press = (event) => this.onKey(event);
  }

  take(data, component) {
    this.data = data;
    this.component = component;
    this.hasLeft = false;
    document.removeEventListener("keydown", this.press, true);
    if (data.presenter) document.addEventListener("keydown", this.press, true);
    // A switch that has just been used would keep the presenter's keys.
    document.querySelector(".st-key-geometry-presenter input:focus")?.blur();
    this.range.max = data.frames.length - 1;
    const isNew = data.token !== this.token;
    this.token = data.token;
    if (isNew) {
      this.filled = fill(data.frames);
      this.stop();
      this.at = data.play ? 0 : data.stop;
    }
    this.show();
    if (isNew && data.play && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
    else if (isNew && data.play) this.go(data.stop);
    // A presenter's keys are those of the player, and its button takes the space bar.
    if (isNew && data.play && data.presenter) this.parts.play.focus({ preventScroll: true });
  }

  play() {
    if (this.at === this.data.frames.length - 1) this.at = 0;
    this.playing(true);
    // Where the figure stands above the player, it is brought into view.
    const stage = document.querySelector(this.data.chart);
    if (stage && matchMedia(NARROW).matches) stage.scrollIntoView({ block: "start", behavior: "smooth" });
    let due = performance.now();
    const tick = () => {
      // A browser that is too slow for every frame leaves some out.
      const late = Math.floor((performance.now() - due) / this.pause());
      const last = this.at < this.data.stop ? this.data.stop : this.data.frames.length - 1;
      this.at = Math.min(this.at + Math.max(late, 1), last);
      due += Math.max(late, 1) * this.pause();
      this.show();
      if (this.at === this.data.stop || this.at === this.data.frames.length - 1) this.stop();
      else this.timer = setTimeout(tick, this.pause());
    };
    this.timer = setTimeout(tick, this.pause());
  }

  pause() {
    const each = TOTAL / this.data.frames.length;
    return Math.min(Math.max(each, 40), 900) / Number(this.speed.value);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.playing(false);
  }

  // Nobody can listen to thirty sentences a second: the last one is spoken.
  playing(isPlaying) {
    this.parts.play.textContent = isPlaying ? "Pause" : "Play";
    this.parts.sentence.setAttribute("aria-live", isPlaying ? "off" : "polite");
    if (!isPlaying && this.data) this.say(true);
  }

  // Streamlit does not draw the first frame again, because to the server nothing has changed.
  leave() {
    this.stop();
    this.hasLeft = true;
    if (this.chart && this.isOurs()) this.restyle(this.chart, 0);
    document.removeEventListener("keydown", this.press, true);
  }

  go(to) {
    this.stop();
    this.at = Math.min(Math.max(to, 0), this.data.frames.length - 1);
    this.show();
  }

  say(again = false) {
    const sentence = this.data.frames[this.at]?.sentence ?? "";
    if (again) this.parts.sentence.textContent = "";
    this.parts.sentence.textContent = sentence;
  }

  show() {
    const frame = this.data.frames[this.at];
    this.say();
    this.range.value = this.at;
    this.range.setAttribute("aria-valuetext", frame.label);
    this.label.textContent = frame.label;
    this.root.dataset.frame = this.at;
    this.draw(this.at, performance.now());
    // The answer waits for it, however the frame is reached.
    if (this.data.play && this.at >= this.data.stop) this.component.setTriggerValue("ended", true);
  }

  draw(at, since) {
    if (at !== this.at) return;
    const chart = document.querySelector(`${this.data.chart} .js-plotly-plot`);
    if (window.Plotly?.restyle && chart?.data?.length) {
      // Streamlit has drawn the first frame, except for how a phone arranges it.
      if (at || chart === this.chart || matchMedia(NARROW).matches) this.restyle(chart, at);
      this.root.dataset.drawn = at;
      if (chart !== this.chart) chart.on?.("plotly_afterplot", () => this.keep());
      this.chart = chart;
    } else if (performance.now() - since < PATIENCE) {
      setTimeout(() => this.draw(at, since), 50);
    } else if (!this.timer && this.asked !== `${this.token} ${at}`) {
      this.asked = `${this.token} ${at}`;
      this.component.setStateValue("frame", { token: this.token, at });
    }
  }

  restyle(chart, at) {
    const places = this.filled[at];
    const moved = { x: places.map((place) => place.x), y: places.map((place) => place.y) };
    if (places.some((place) => place.size)) moved["marker.size"] = places.map((place) => place.size);
    window.Plotly.restyle(chart, moved, this.data.moving);
    const wanted = Object.entries(matchMedia(NARROW).matches ? this.data.narrow : {});
    if (wanted.some(([name, value]) => `${name.split(".").reduce((all, key) => all?.[key], chart.layout)}` !== `${value}`))
      window.Plotly.relayout(chart, this.data.narrow);
  }

  // Another theme or width lets Streamlit draw the first frame again.
  keep() {
    if (!this.hasLeft && !this.timer && !this.isOurs()) this.draw(this.at, performance.now());
  }

  isOurs() {
    const drawn = this.chart.data?.[this.data.moving[0]]?.x;
    const wanted = this.filled[this.at][0].x;
    return Array.isArray(drawn) && drawn.length === wanted.length && drawn.every((x, i) => x === wanted[i]);
  }

  onKey(event) {
    const field = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName)) return;
    if (field.tagName === "BUTTON" && event.key === " ") return; // which it presses
    const acts = {
      " ": () => this.parts.play.click(),
      ArrowRight: () => this.go(this.at + 1),
      ArrowLeft: () => this.go(this.at - 1),
      r: () => this.go(0),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }
}

// A place that is null is the one of the frame before.
function fill(frames) {
  let former = [];
  return frames.map((frame) => (former = frame.places.map((place, i) => place ?? former[i])));
}
