// Every replica's log at the event looked at, one above the other on one axis of offsets.

const CELL = 34;
const BAR = 26;
const ROW_HEIGHT = 38;
const AXIS = 24;
const KIND_LETTERS = ["", "A", "C", "R"];  // abort marker, commit marker, PID_RESET
const KIND_NAMES = ["", "abort marker", "commit marker", "PID_RESET"];

// Logs no longer than this are drawn record by record.
const WHOLE = 64;

// Offsets as pixels: one cell for one offset; in long logs a stretch where nothing changes takes little more.
class OffsetAxis {
  constructor(bounds) {
    this.bounds = [...new Set(bounds)].sort((a, b) => a - b);
    const [low, high] = [this.bounds[0], this.bounds[this.bounds.length - 1]];
    if (high - low <= WHOLE) {
      this.bounds = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    }
    this.places = [0];
    for (let i = 1; i < this.bounds.length; ++i) {
      const length = this.bounds[i] - this.bounds[i - 1];
      this.places.push(this.places[i - 1] + (length === 1 ? CELL : CELL + 14 * Math.log2(length)));
    }
  }

  x(offset) {
    const i = clamp(lowerBound(this.bounds, offset), 0, this.bounds.length - 1);
    return 4 + (this.places[i] || 0);
  }

  // The run in the pieces that the axis has for it.
  pieces(run) {
    const first = lowerBound(this.bounds, run.base);
    const end = lowerBound(this.bounds, run.last + 1);
    return this.bounds.slice(first, end).map((base, i) => ({
      ...run, base, last: this.bounds[first + i + 1] - 1, serial: run.serial + base - run.base }));
  }

  get width() {
    return (this.places[this.places.length - 1] || 0) + CELL + 8;
  }
}

class LogView {
  constructor(store) {
    this.store = store;
    this.model = store.model;
    this.book = new LogBook(store.model);
    this.names = h("div", { class: "log-names" });
    this.svg = s("svg", { role: "img", "aria-label": "The logs; the list of events says the same in words" });
    this.scroller = h("div", { class: "log-scroller", tabindex: 0, role: "group", "aria-label": "Logs" }, this.svg);
    this.element = h("div", { class: "logs" }, this.names, this.scroller);
    this.draw = oncePerFrame(() => this.drawNow());
    store.listen(() => this.draw());
  }

  // The replicas of the partition, each with its log and what its next truncation does to it.
  rows() {
    const { cursor, partition } = this.store;
    const logs = this.book.at(cursor);
    const before = this.book.at(cursor - 1);
    return this.model.replicas.filter((replica) => replica.partition === partition).map((replica) => {
      const cut = this.book.nextCut(replica.number, cursor);
      const now = cut !== undefined && cut.event === cursor;
      const log = logs[replica.number];
      const isCut = (batch) => cut !== undefined && (batch.last >= cut.target || cut.start >= cut.target);
      return { replica, log, cut, now, runs: runsOf(log.batches),
        doomed: cut && !now ? runsOf(log.batches.filter(isCut)) : [],
        gone: now ? runsOf(before[replica.number].batches.filter(isCut)) : [] };
    });
  }

  drawNow() {
    const rows = this.rows();
    const bounds = [0];
    for (const { log, cut, runs, gone, doomed } of rows) {
      bounds.push(log.start, log.end, log.watermark);
      if (cut && (gone.length > 0 || doomed.length > 0)) {
        bounds.push(cut.target);
      }
      for (const run of [...runs, ...gone]) {
        bounds.push(run.base, run.last + 1);
      }
    }
    const low = Math.min(...rows.map(({ log }) => log.start), ...bounds.slice(1));
    const axis = new OffsetAxis(bounds.filter((bound) => bound >= low));
    const height = AXIS + this.place(rows) + 4;
    this.svg.setAttribute("width", axis.width);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(hatch(), this.drawAxis(axis, height), ...rows.map((row) => this.drawRow(row, axis)));
    this.names.replaceChildren(...rows.map((row) => this.nameOf(row)));
    this.names.style.height = `${height}px`;
    this.scroller.scrollLeft = this.interest(rows, axis) - this.scroller.clientWidth / 2;
  }

  // Where to look: at what this event or the next truncation removes, else where the logs end.
  interest(rows, axis) {
    const cutting = rows.find(({ gone }) => gone.length > 0) || rows.find(({ doomed }) => doomed.length > 0);
    return axis.x(cutting ? cutting.cut.target : Math.max(...rows.map(({ log }) => log.end)));
  }

  // Gives each row its y; a gap between clusters.
  place(rows) {
    let y = 0;
    let cluster = -1;
    for (const row of rows) {
      const own = this.model.lanes[row.replica.lane].cluster;
      y += cluster >= 0 && own !== cluster ? CLUSTER_GAP : 0;
      cluster = own;
      row.y = AXIS + y;
      y += ROW_HEIGHT;
    }
    return y;
  }

  nameOf({ replica, y, log }) {
    const { cursor, partition } = this.store;
    const reign = intervalAt(this.model.reigns, cursor,
      (one) => one.lane === replica.lane && one.partition === partition);
    const down = intervalAt(this.model.downs, cursor, (one) => one.lane === replica.lane);
    return h("div", { class: `log-name${down ? " is-down" : ""}`, vars: { top: `${y}px`, height: `${ROW_HEIGHT}px` } },
      h("span", {}, this.model.lanes[replica.lane].name),
      down ? h("small", {}, "down")
        : reign ? h("small", { class: "leader", vars: { "--h": this.model.hueOf(reign.epoch) } }, `leads e${reign.epoch}`)
          : h("small", {}, `HW ${log.watermark}`));
  }

  drawAxis(axis, height) {
    const group = s("g", { class: "axis" });
    let free = -1;
    axis.bounds.forEach((bound, i) => {
      const x = axis.x(bound);
      group.append(s("path", { d: `M${x},${AXIS - 6}V${height}` }));
      const next = axis.bounds[i + 1];
      const text = next === undefined || next - bound === 1 ? `${bound}` : `${bound}–${next - 1}`;
      const half = text.length * 3.4;
      const middle = next === undefined ? x + CELL / 2 : (x + axis.x(next)) / 2;
      if (next !== undefined && middle - half > free) {
        group.append(s("text", { x: middle, y: AXIS - 9 }, text));
        free = middle + half + 2;
      }
    });
    return group;
  }

  drawRow({ log, runs, doomed, gone, cut, y }, axis) {
    const top = y + (ROW_HEIGHT - BAR) / 2;
    const group = s("g", { class: "log", "data-log": "" });
    for (const [list, name] of [[runs, "record"], [gone, "record gone"]]) {
      for (const piece of list.flatMap((run) => axis.pieces(run))) {
        group.append(this.cell(piece, axis, top, name));
      }
    }
    for (const run of doomed) {
      const from = axis.x(cut ? Math.max(run.base, Math.min(cut.target, run.last)) : run.base);
      group.append(s("rect", { class: "doomed", x: from, y: top, width: axis.x(run.last + 1) - from, height: BAR, rx: 3 },
        s("title", {}, `Removed by event #${this.model.events[cut.event].id}`)));
    }
    const end = axis.x(log.end);
    group.append(s("path", { class: "log-end", d: `M${end - 4},${top - 3}H${end}V${top + BAR + 3}H${end - 4}` },
      s("title", {}, `log end ${log.end}`)));
    const mark = axis.x(Math.max(log.watermark, axis.bounds[0]));
    group.append(s("path", { class: "watermark", d: `M${mark},${top - 5}V${top + BAR + 4}` }),
      s("path", { class: "watermark flag", d: `M${mark - 4.5},${top - 6}H${mark + 4.5}L${mark},${top}Z` },
        s("title", {}, `high watermark ${log.watermark}`)));
    return group;
  }

  cell(run, axis, top, name) {
    const x = axis.x(run.base);
    const width = axis.x(run.last + 1) - x;
    const count = run.last - run.base + 1;
    const kind = KIND_NAMES[run.kind] ? `, ${KIND_NAMES[run.kind]}` : "";
    const origin = this.model.clusters[run.origin] || "?";
    const offsets = count === 1 ? `offset ${run.base}` : `offsets ${run.base} to ${run.last}`;
    return s("g", { class: name, vars: { "--h": this.model.hueOf(run.epoch) }, "data-offset": run.base },
      s("rect", { x: x + 1, y: top, width: Math.max(1, width - 2), height: BAR, rx: 3 }),
      s("text", { x: x + width / 2, y: top + BAR / 2 + 4 }, `e${run.epoch}${KIND_LETTERS[run.kind]}`),
      s("title", {}, `${offsets}, epoch ${run.epoch}${kind}; first written in ${origin} (record ${run.serial})`));
  }
}

// What a doomed record is covered with.
function hatch() {
  return s("defs", {}, s("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)" }, s("path", { d: "M0,0V6", class: "effect", "stroke-width": 2.4 })));
}

function logLegend() {
  const box = (...shapes) => s("svg", { viewBox: "0 0 26 20", width: 26, height: 20, "aria-hidden": "true" }, shapes);
  const bed = (name) => s("g", { class: name, vars: { "--h": EPOCH_HUES[0] } },
    s("rect", { x: 2, y: 3, width: 22, height: 14, rx: 3 }));
  return h("ul", { class: "legend" },
    h("li", {}, box(bed("record"), s("text", { class: "sample", x: 13, y: 14 }, "e1")), "record, colour and number: its epoch"),
    h("li", {}, box(bed("record"), s("rect", { class: "doomed", x: 2, y: 3, width: 22, height: 14, rx: 3 })),
      "the next truncation of this log removes it"),
    h("li", {}, box(bed("record gone")), "removed by this event"),
    h("li", {}, box(s("path", { class: "watermark", d: "M13,3V19" }), s("path", { class: "watermark flag", d: "M8,2H18L13,8Z" })),
      "high watermark"),
    h("li", {}, box(s("path", { class: "log-end", d: "M9,3H13V18H9" })), "log end"),
    h("li", {}, h("b", {}, "R"), " PID_RESET, ", h("b", {}, "C"), " commit, ", h("b", {}, "A"), " abort marker"));
}
