// The space-time diagram: a lane for each broker, time to the right. Only what is in view is drawn, so that the
// length of a run does not matter.

const PAD = 26;
const SCRIPT_ROW = 24;
const LANE = 36;
const CONTROLLER_LANE = 54;  // room for the state of the cluster's mirror below the marks
const RIBBON = 13;           // from the lane's line down to the state
const CLUSTER_GAP = 12;
const NARROWEST = 5;  // columns with fewer pixels show only what is loud
const READABLE = 9;   // no need to scroll if columns are at least so wide
const WIDEST = 64;

class Timeline {
  constructor(store, tooltip) {
    this.store = store;
    this.model = store.model;
    this.tooltip = tooltip;
    this.scale = 14;
    this.onView = () => {};
    this.placeLanes();
    this.svg = s("svg", { class: "diagram", height: this.height, "aria-hidden": "true" });
    this.spacer = h("div", { class: "spacer" }, this.svg);
    this.scroller = h("div", { class: "scroller", tabindex: 0, role: "group",
      "aria-label": "Space-time diagram. Arrow keys move between events, plus and minus zoom." }, this.spacer);
    this.element = h("div", { class: "timeline" }, this.laneNames(), this.scroller);
    this.draw = oncePerFrame(() => this.drawNow());
    this.scroller.addEventListener("scroll", () => this.viewMoved(), { passive: true });
    this.listenToPointer();
    store.listen((change) => {
      if (change.columns) {
        this.resize();
      }
      if (change.follow) {
        this.follow(change.case);
      }
      this.draw();
    });
  }

  placeLanes() {
    const script = this.model.script.length > 0 ? SCRIPT_ROW : 4;
    let top = script;
    this.y = this.model.lanes.map((lane, i) => {
      const controller = lane.broker === null;
      top += i > 0 && controller ? CLUSTER_GAP : 0;
      const y = top + LANE / 2;
      top += controller ? CONTROLLER_LANE : LANE;
      return y;
    });
    this.height = top + 8;
  }

  laneNames() {
    const names = this.model.lanes.map((lane, i) => h("div", {
      class: lane.broker === null ? "lane-name controller" : "lane-name", title: lane.name,
      vars: { top: `${this.y[i] - LANE / 2}px`, height: `${LANE}px` },
    }, h("span", {}, lane.broker === null ? this.model.clusters[lane.cluster] : lane.name),
    lane.broker === null ? h("small", {}, "controller") : null));
    if (this.model.script.length > 0) {
      names.push(h("div", { class: "lane-name", vars: { top: "0px", height: `${SCRIPT_ROW}px` } }, h("small", {}, "script")));
    }
    return h("div", { class: "lane-names", vars: { height: `${this.height}px` } }, names);
  }

  get width() {
    return this.scroller.clientWidth || 800;
  }

  // How wide a column may be for the whole run to fit.
  get fitting() {
    return (this.width - 2 * PAD) / Math.max(1, this.store.columns.length - 1);
  }

  resize() {
    this.spacer.style.width = `${Math.max(this.width, 2 * PAD + (this.store.columns.length - 1) * this.scale)}px`;
  }

  fit() {
    this.setScale(this.fitting, this.store.column);
  }

  // To begin with: everything if it is readable, else a readable part.
  begin() {
    this.scale = this.fitting < READABLE ? 13 : Math.min(this.fitting, 40);
    this.resize();
    this.follow(true);
    this.draw();
  }

  setScale(scale, column) {
    const x = this.x(column);
    const low = Math.min(this.fitting, 13);
    this.scale = clamp(scale, low, WIDEST);
    this.resize();
    this.scroller.scrollLeft = PAD + column * this.scale - x;
    this.viewMoved();
  }

  zoom(factor, column = this.store.column) {
    this.setScale(this.scale * factor, column);
  }

  viewMoved() {
    this.draw();
    this.onView();
  }

  x(column) {
    return PAD + column * this.scale - this.scroller.scrollLeft;
  }

  // First and last column in view.
  range() {
    const left = this.scroller.scrollLeft - PAD;
    return [left / this.scale, (left + this.width) / this.scale];
  }

  centre(column) {
    this.scroller.scrollLeft = PAD + column * this.scale - this.width / 2;
    this.viewMoved();
  }

  follow(always) {
    const x = this.x(this.store.column);
    if (always || x < this.width * 0.08 || x > this.width * 0.92) {
      this.centre(this.store.column);
    }
  }

  // --- pointer ---

  listenToPointer() {
    let drag = null;
    this.scroller.addEventListener("pointerdown", (event) => {
      drag = event.pointerType === "mouse" && event.button === 0
        ? { x: event.clientX, left: this.scroller.scrollLeft, moved: false } : null;
    });
    window.addEventListener("pointermove", (event) => {
      if (drag && Math.abs(event.clientX - drag.x) > 4) {
        drag.moved = true;
        this.scroller.scrollLeft = drag.left - (event.clientX - drag.x);
      }
    });
    window.addEventListener("pointerup", () => setTimeout(() => (drag = null)));
    this.scroller.addEventListener("click", (event) => {
      if (!drag || !drag.moved) {
        this.click(event);
      }
    });
    this.scroller.addEventListener("pointermove", (event) => this.hover(event));
    this.scroller.addEventListener("pointerleave", () => this.tooltip.hide());
    this.scroller.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        event.preventDefault();
        const column = (this.position(event).x + this.scroller.scrollLeft - PAD) / this.scale;
        this.zoom(Math.exp(-event.deltaY * 0.01), column);
      }
    }, { passive: false });
  }

  position(event) {
    const box = this.scroller.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // The visible event drawn nearest to a point, if one is near; the loud before the others.
  eventAt({ x, y }) {
    const column = (x + this.scroller.scrollLeft - PAD) / this.scale;
    const reach = 11 / this.scale;
    let best = -1;
    let distance = 14;
    for (let c = Math.max(0, Math.ceil(column - reach)); c <= column + reach && c < this.store.columns.length; ++c) {
      const event = this.store.columns[c];
      const { lane, kind } = this.model.events[event];
      const away = Math.hypot((c - column) * this.scale, y - this.y[lane]) - (LOUD.has(kind) ? 4 : 0);
      if (away < distance) {
        [best, distance] = [event, away];
      }
    }
    return best;
  }

  click(pointer) {
    const at = this.position(pointer);
    const event = this.eventAt(at);
    if (event < 0) {
      this.store.moveToColumn(Math.round((at.x + this.scroller.scrollLeft - PAD) / this.scale));
    } else if (this.model.events[event].case >= 0) {
      this.store.choose(this.model.events[event].case);
    } else {
      this.store.moveTo(event);
    }
  }

  hover(pointer) {
    const event = pointer.pointerType === "mouse" ? this.eventAt(this.position(pointer)) : -1;
    if (event < 0) {
      this.tooltip.hide();
    } else {
      this.tooltip.show(this.model.events[event], pointer);
    }
  }

  // --- drawing ---

  drawNow() {
    const [left, right] = this.range();
    const first = Math.max(0, Math.floor(left) - 1);
    const last = Math.min(this.store.columns.length - 1, Math.ceil(right) + 1);
    this.svg.setAttribute("width", this.width);
    this.svg.replaceChildren(
      this.drawScript(first, last), this.drawLanes(), this.drawMessages(first, last), this.drawPath(),
      this.drawMarks(first, last), this.drawCursor());
  }

  xOf(event) {
    return this.x(event >= this.model.events.length ? this.store.columns.length : this.store.columnOf[event]);
  }

  // The part of an interval that is in view, in pixels; nothing if none is.
  span(interval) {
    const from = Math.max(-4, this.xOf(interval.from));
    const to = Math.min(this.width + 4, this.xOf(interval.to));
    return to > from ? [from, to] : null;
  }

  drawScript(first, last) {
    const group = s("g", { class: "script" });
    if (this.model.script.length === 0) {
      return group;
    }
    let free = 0;
    let position = -1;
    for (const step of this.model.steps) {
      if (step.script === position || step.script < 0) {
        continue;
      }
      position = step.script;
      const column = this.store.columnOf[step.event];
      if (column < first - 200 || column > last) {
        continue;
      }
      const x = this.x(column);
      const text = this.model.script[position].text.split(":")[0];
      group.append(s("path", { class: "step", d: `M${x},${SCRIPT_ROW - 6}V${this.height - 6}` }));
      if (x >= free && x > -40) {
        group.append(s("text", { x: x + 3, y: 14 }, text));
        free = x + 10 + text.length * 6.2;
      }
    }
    return group;
  }

  drawLanes() {
    const { model, store } = this;
    const group = s("g");
    model.lanes.forEach((lane, i) => {
      group.append(s("path", { class: "rail", d: `M0,${this.y[i]}H${this.width}` }));
    });
    const ours = (interval) => interval.partition === store.partition && interval.to > interval.from;
    for (const reign of model.reigns.filter(ours)) {
      const span = this.span(reign);
      if (span) {
        group.append(s("rect", { class: "reign", x: span[0], y: this.y[reign.lane] - 4.5, width: span[1] - span[0],
          height: 9, vars: { "--h": model.hueOf(reign.epoch) } }));
      }
    }
    for (const down of model.downs) {
      const span = this.span(down);
      if (span) {
        group.append(s("rect", { class: "down-bed", x: span[0], y: this.y[down.lane] - 6, width: span[1] - span[0], height: 12 }),
          s("path", { class: "down", d: `M${span[0]},${this.y[down.lane]}H${span[1]}` }));
      }
    }
    for (const state of model.states.filter(ours)) {
      const span = this.span(state);
      if (span) {
        const [from, to] = span;
        group.append(s("rect", { class: `state ${stateTone(state.state)}`, x: from + 1, y: this.y[state.lane] + RIBBON,
          width: Math.max(1, to - from - 2), height: 17, rx: 3 }, s("title", {}, state.state)));
        const letters = Math.floor((to - from - 12) / 6.8);
        if (letters >= 3) {
          group.append(s("text", { class: "state-name", x: from + 7, y: this.y[state.lane] + RIBBON + 12.5 },
            letters >= state.state.length ? state.state : `${state.state.slice(0, letters - 1)}…`));
        }
      }
    }
    return group;
  }

  drawMessages(first, last) {
    const group = s("g");
    if (this.scale < NARROWEST) {
      return group;
    }
    const { events, messages } = this.model;
    const { columnOf } = this.store;
    const leg = (from, to, name) => {
      if (from < 0 || to < 0 || columnOf[to] < first || columnOf[from] > last) {
        return;
      }
      group.append(arrow(this.xOf(from), this.y[events[from].lane], this.xOf(to), this.y[events[to].lane], name));
    };
    for (const message of messages) {
      const known = message.sent >= 0 ? message.sent : message.handled;
      if (known < 0 || !this.store.isVisible(events[known])) {
        continue;
      }
      leg(message.sent, message.handled, "message");
      leg(message.handled, message.received, message.failed ? "message failed" : message.ignored ? "message ignored"
        : message.diverging ? "message diverging" : "message");
      if (message.handled < 0 && columnOf[message.sent] >= first && columnOf[message.sent] <= last) {
        const [x, y] = [this.xOf(message.sent), this.y[events[message.sent].lane]];
        group.append(s("path", { class: "message ignored", d: `M${x},${y}l12,-9` }));
      }
    }
    return group;
  }

  // The chosen case, from the unclean election to the truncation.
  drawPath() {
    const group = s("g", { class: "path" });
    const path = this.store.chosen ? this.store.chosen.path.filter(({ event }) => event >= 0) : [];
    for (let i = 1; i < path.length; ++i) {
      const [from, to] = [path[i - 1].event, path[i].event];
      group.append(arrow(this.xOf(from), this.y[this.model.events[from].lane], this.xOf(to),
        this.y[this.model.events[to].lane], "lit"));
    }
    for (const { event } of path) {
      group.append(s("circle", { class: "lit-ring", cx: this.xOf(event), cy: this.y[this.model.events[event].lane], r: 11,
        "data-lit": event }));
    }
    return group;
  }

  drawMarks(first, last) {
    const marks = s("g");
    const labels = new Labels();
    const dense = this.scale < NARROWEST;
    const taken = new Set();
    const wanted = [];
    for (let column = first; column <= last; ++column) {
      const i = this.store.columns[column];
      const event = this.model.events[i];
      const x = this.x(column);
      if (dense) {
        const key = `${event.lane}:${Math.round(x / 6)}:${event.kind}`;
        if ((!LOUD.has(event.kind) && event.case < 0) || taken.has(key)) {
          continue;
        }
        taken.add(key);
      }
      const y = this.y[event.lane];
      const chosen = this.store.chosen && this.store.chosen.event === i;
      marks.append(s("g", { class: `event${event.case >= 0 ? " has-case" : ""}${chosen ? " chosen" : ""}`,
        transform: `translate(${x.toFixed(1)},${y})`, "data-event": i, "data-kind": event.kind,
        "data-case": event.case >= 0 ? event.case : null },
      event.broken ? s("circle", { class: "broken", r: 12 }) : null, markShape(event.kind)));
      if (event.label && event.kind !== "state") {
        wanted.push({ event, x, y, loud: LOUD.has(event.kind) });
      }
    }
    for (const loud of [true, false]) {
      for (const one of wanted.filter((other) => other.loud === loud)) {
        if (!dense || loud) {
          labels.add(one.event.lane, one.x, one.y - 13, one.event.label, loud);
        }
      }
    }
    return s("g", {}, marks, labels.group);
  }

  drawCursor() {
    const x = this.x(this.store.column);
    return s("g", { class: "now" }, s("path", { d: `M${x},2V${this.height - 2}` }),
      s("path", { class: "handle", d: `M${x - 5},0H${x + 5}L${x},7Z` }));
  }
}

// Words beside marks, as far as they do not run into each other.
class Labels {
  constructor() {
    this.group = s("g", { class: "labels" });
    this.taken = new Map();
  }

  add(lane, x, y, text, loud) {
    const half = text.length * 3 + 2;
    const taken = this.taken.get(lane) || [];
    if (taken.some(([from, to]) => x - half < to && x + half > from)) {
      return;
    }
    taken.push([x - half, x + half]);
    this.taken.set(lane, taken);
    this.group.append(s("text", { x: x.toFixed(1), y, class: loud ? "loud" : null }, text));
  }
}

function stateTone(state) {
  return { MIRRORING: "st-on", LOG_ALIGNMENT: "st-work", EPOCH_FENCING: "st-work", ULE_RECOVERY: "st-recovery",
    FAILED: "st-failed", STOPPING: "st-off", STOPPED: "st-off", PAUSING: "st-off", PAUSED: "st-off" }[state] || "st-off";
}

function arrow(x1, y1, x2, y2, name) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [size, half] = name === "lit" ? [9, 4.5] : [6, 3];
  const gap = name === "lit" ? 11 : 3;
  const [tx, ty] = [x2 - dx * gap, y2 - dy * gap];
  const [bx, by] = [tx - dx * size, ty - dy * size];
  const n = (value) => value.toFixed(1);
  return s("g", { class: name },
    s("path", { d: `M${n(x1)},${n(y1)}L${n(bx)},${n(by)}` }),
    s("path", { class: "head", d: `M${n(tx)},${n(ty)}L${n(bx - dy * half)},${n(by + dx * half)}L${n(bx + dy * half)},` +
      `${n(by - dx * half)}Z` }));
}
