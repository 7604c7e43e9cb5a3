// The whole run in one strip: what matters of each cluster, and which part the diagram below shows.

const ROW = 13;
const OVERVIEW = { unclean_election: 3, mirror_truncation: 3, follower_truncation: 1, alignment: 2, other_truncation: 2,
  crashed: 1, power_lost: 1, election: 1, state: 1, divergence: 2 };

class Overview {
  constructor(store, timeline) {
    this.store = store;
    this.timeline = timeline;
    this.frame = s("rect", { class: "frame", y: 1, rx: 3 });
    this.marks = s("g");
    this.cursor = s("path", { class: "cursor" });
    this.svg = s("svg", { class: "overview", role: "img", "aria-label": "The whole run; drag to move the diagram" },
      this.marks, this.frame, this.cursor);
    this.element = h("div", { class: "overview-box" }, this.svg);
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.go(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) {
        this.go(event);
      }
    });
    this.drawFrame = oncePerFrame(() => this.frameNow());
    store.listen((change) => (change.columns || change.case ? this.draw() : this.drawFrame()));
    timeline.onView = () => this.drawFrame();
  }

  get columns() {
    return Math.max(1, this.store.columns.length);
  }

  x(column) {
    return 6 + (column / this.columns) * (this.width - 12);
  }

  go(event) {
    const share = clamp((event.clientX - this.svg.getBoundingClientRect().left - 6) / (this.width - 12), 0, 1);
    this.timeline.centre(share * this.columns);
  }

  draw() {
    const { model } = this.store;
    this.width = this.svg.clientWidth || 600;
    this.height = 8 + model.clusters.length * ROW;
    this.svg.setAttribute("height", this.height);
    const seen = new Map();
    for (const i of this.store.columns) {
      const event = model.events[i];
      const weight = event.broken ? 4 : OVERVIEW[event.kind] || 0;
      if (weight > 0) {
        const row = model.lanes[event.lane].cluster;
        const x = Math.round(this.x(this.store.columnOf[i]) / 3) * 3;
        const key = `${row}:${x}`;
        if (!seen.has(key) || seen.get(key).weight < weight) {
          seen.set(key, { event, weight, row, x });
        }
      }
    }
    const lines = model.clusters.map((_, row) => s("path", { class: "rail", d: `M6,${this.y(row)}H${this.width - 6}` }));
    const ticks = [...seen.values()].map(({ event, row, x }) => {
      const tone = event.broken ? "effect" : (MARKS[event.kind] || MARKS.note)[1];
      const tall = event.broken || event.kind === "unclean_election" || event.kind === "mirror_truncation" ? 5 : 3;
      return s("path", { class: `tick ${tone}`, d: `M${x},${this.y(row) - tall}V${this.y(row) + tall}` });
    });
    this.marks.replaceChildren(...lines, ...ticks);
    this.frameNow();
  }

  y(row) {
    return 4 + row * ROW + ROW / 2;
  }

  frameNow() {
    if (!this.width) {
      return;
    }
    const [first, last] = this.timeline.range();
    const left = this.x(clamp(first, 0, this.columns));
    const right = this.x(clamp(last, 0, this.columns));
    this.frame.setAttribute("x", left - 3);
    this.frame.setAttribute("width", Math.max(8, right - left + 6));
    this.frame.setAttribute("height", this.height - 2);
    this.cursor.setAttribute("d", `M${this.x(this.store.column)},1V${this.height - 1}`);
  }
}
