// The provenance of the chosen case, as Graphviz laid it out: events and records, joined by what led to what.

const ROLES = ["event", "records", "missing"];
const EDGE_KINDS = ["direct", "through", "of-records", "to-missing"];
const GRAPH_PAD = 12;

class GraphView {
  constructor(store) {
    this.store = store;
    this.element = h("div", { class: "graph", tabindex: 0, role: "group", "aria-label": "Provenance graph" });
    this.draw = oncePerFrame(() => this.drawNow());
    this.mark = oncePerFrame(() => this.markNow());
    store.listen((change) => (change.case ? this.draw() : this.mark()));
  }

  drawNow() {
    const one = this.store.chosen;
    if (!one) {
      this.element.replaceChildren();
      return;
    }
    const { width, height, nodes, edges } = one.graph;
    this.nodes = [];
    const svg = s("svg", {
      viewBox: `${-GRAPH_PAD} ${-GRAPH_PAD} ${width + 2 * GRAPH_PAD} ${height + 2 * GRAPH_PAD}`, role: "group",
    }, edges.filter((edge) => !edge[3]).map((edge) => this.edge(edge)), edges.filter((edge) => edge[3]).map((edge) => this.edge(edge)),
    nodes.map((node) => this.node(node)));
    // Never smaller than can be read; wider than the screen scrolls.
    const room = this.element.clientWidth || 600;
    const scale = clamp(room / (width + 2 * GRAPH_PAD), 0.82, 1);
    svg.setAttribute("width", (width + 2 * GRAPH_PAD) * scale);
    svg.setAttribute("height", (height + 2 * GRAPH_PAD) * scale);
    this.element.replaceChildren(svg);
    const end = nodes.find((node) => node[1] === one.event);
    if (end) {
      this.element.scrollLeft = (end[3] + GRAPH_PAD) * scale - room / 2;
    }
    this.markNow();
  }

  markNow() {
    for (const { element, event } of this.nodes || []) {
      element.classList.toggle("here", event >= 0 && event === this.store.cursor);
    }
  }

  edge([, , kind, lit, ...numbers]) {
    const points = [];
    for (let i = 0; i + 1 < numbers.length; i += 2) {
      points.push([numbers[i], numbers[i + 1]]);
    }
    if (points.length < 2) {
      return null;
    }
    const [first, ...rest] = points;
    const end = rest[rest.length - 1];
    const before = rest.length > 1 ? rest[rest.length - 2] : first;
    const length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
    const [dx, dy] = [(end[0] - before[0]) / length, (end[1] - before[1]) / length];
    // Graphviz ends the line where the head begins.
    const tip = [end[0] + dx * 9, end[1] + dy * 9];
    const course = rest.length % 3 === 0 ? `C${rest.map((point) => point.join(",")).join(" ")}`
      : rest.map((point) => `L${point.join(",")}`).join("");
    return s("g", { class: `edge ${EDGE_KINDS[kind]}${lit ? " lit-edge" : ""}` },
      s("path", { d: `M${first.join(",")}${course}` }),
      s("path", { class: "head", d: `M${tip[0]},${tip[1]}L${end[0] - dy * 4.5},${end[1] + dx * 4.5}` +
        `L${end[0] + dy * 4.5},${end[1] - dx * 4.5}Z` }));
  }

  node([role, event, lit, x, y, width, height, lines]) {
    const { model } = this.store;
    const known = event >= 0 ? model.events[event] : null;
    const tone = known && known.kind === "unclean_election" ? " is-cause" : known && TRUNCATIONS.has(known.kind) ? " is-cut" : "";
    const [left, top] = [x - width / 2, y - height / 2];
    const shape = ROLES[role] === "records"
      ? s("path", { class: "box", d: `M${left},${top}H${left + width - 10}L${left + width},${top + 10}V${top + height}H${left}Z` })
      : s("rect", { class: "box", x: left, y: top, width, height, rx: ROLES[role] === "missing" ? 12 : 5 });
    const element = s("g", {
      class: `node ${ROLES[role]}${lit ? " lit-node" : ""}${tone}`,
      tabindex: known ? 0 : null, role: known ? "button" : null, "data-event": known ? event : null,
      on: known ? {
        click: () => this.go(event),
        keydown: (press) => {
          if (press.key === "Enter" || press.key === " ") {
            press.preventDefault();
            this.go(event);
          }
        },
      } : {},
    }, shape, lines.map((line, i) => s("text", { x: left + 10, y: top + 21 + i * 15, class: i === 0 ? "first" : null }, line)),
    known ? s("title", {}, `Event #${known.id}, step ${known.step}`) : null);
    this.nodes.push({ element, event });
    return element;
  }

  go(event) {
    const { model } = this.store;
    const number = model.events[event].case;
    if (number >= 0 && TRUNCATIONS.has(model.events[event].kind)) {
      this.store.choose(number);
    } else {
      this.store.moveTo(event, { follow: true });
    }
  }
}

function graphLegend() {
  const line = (name) => s("svg", { viewBox: "0 0 30 14", width: 30, height: 14, "aria-hidden": "true" },
    s("g", { class: `edge ${name}` }, s("path", { d: "M1,7H23" }), s("path", { class: "head", d: "M30,7L22,3V11Z" })));
  return h("ul", { class: "legend" },
    h("li", {}, line("direct lit-edge"), "from the unclean election to the truncation"),
    h("li", {}, line("direct"), "one event needed the other"),
    h("li", {}, line("through"), "led to it through events left out"),
    h("li", {}, line("of-records"), "wrote, lost or removed these records"),
    h("li", {}, line("to-missing"), "the path that should be there and is not"));
}
