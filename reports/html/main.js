// Puts the page together and gives the keys their meaning.

const KEYS = [["← →", "event before, next event"], ["Shift ← →", "action before, next action"], ["Home End", "first, last event"],
  ["n p", "next case, case before"], ["+ − 0", "zoom in, zoom out, the whole run"], ["q", "show or hide quiet events"]];

function handleKeys(store, timeline, controls) {
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const typing = target.matches("select, textarea, input:not([type=range]):not([type=checkbox])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const step = (direction) => (event.shiftKey ? store.moveBySteps(direction) : store.moveBy(direction));
    const acts = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => store.moveToColumn(0, { follow: true }),
      End: () => store.moveToColumn(store.columns.length - 1, { follow: true }),
      n: () => store.chooseBy(1),
      p: () => store.chooseBy(-1),
      "+": () => timeline.zoom(1.5),
      "=": () => timeline.zoom(1.5),
      "-": () => timeline.zoom(1 / 1.5),
      0: () => timeline.fit(),
      q: () => {
        const box = controls.toolbar.querySelector("#quiet");
        if (box) {
          box.checked = !store.showQuiet;
          store.setQuiet(box.checked);
        }
      },
    };
    // Parts that scroll by themselves keep the keys that scroll them.
    const scrolls = target.matches(".graph, .log-scroller, pre") && /^(Arrow|Home|End)/.test(event.key);
    if (acts[event.key] && !scrolls) {
      event.preventDefault();
      acts[event.key]();
    }
  });
}

function runSections(store) {
  const { model } = store;
  const timeline = new Timeline(store, new Tooltip());
  const controls = new Controls(store, timeline);
  const overview = new Overview(store, timeline);
  const logs = new LogView(store);
  const graph = new GraphView(store);
  const caseView = new CaseView(store);
  const cases = model.cases.length;
  const sections = [
    cases === 0 ? null : h("section", { id: "cases" }, h("h2", {}, "Truncations and broken rules"), new CaseList(store).element),
    h("section", { id: "timeline" }, h("div", { class: "section-head" }, h("h2", {}, "What happened"), controls.toolbar),
      overview.element, timeline.element, controls.element,
      h("details", { class: "legend-box", open: window.innerWidth > 900 }, h("summary", {}, "Legend and keys"), legend(model),
        h("ul", { class: "legend keys" }, KEYS.map(([keys, what]) => h("li", {}, h("kbd", {}, keys), ` ${what}`))))),
    h("div", { class: "columns" },
      h("section", { id: "logs" }, h("h2", {}, "The logs at this event"), logs.element, logLegend()),
      h("section", { id: "events" }, h("h2", {}, "Around this event"), new EventList(store).element)),
    cases === 0 ? null : h("div", { class: "columns", id: "provenance" },
      h("section", {}, h("h2", {}, "What led to it"), graph.element, graphLegend()),
      h("section", {}, caseView.element)),
  ];
  handleKeys(store, timeline, controls);
  const begin = () => {
    timeline.begin();
    overview.draw();
    store.tell({ cursor: true });
  };
  window.addEventListener("resize", oncePerFrame(begin));
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((details) => (details.open = true));
  });
  return { sections, begin };
}

function start() {
  const model = decodeModel(JSON.parse(document.getElementById("report-data").textContent));
  const report = document.getElementById("report");
  const store = new Store(model);
  const run = model.events.length > 0 ? runSections(store) : { sections: [], begin: () => {} };
  report.replaceChildren(...[
    headerPanel(model),
    model.page.campaign ? campaignPanel(model.page.campaign) : null,
    ...run.sections,
    reproducePanel(model.page),
    model.page.protocol ? protocolPanel(model.page) : null,
    h("footer", { class: "muted" }, `Made by ${model.page.program}. This file loads nothing and sends nothing.`),
  ].filter((part) => part));
  run.begin();
  const wanted = /^#case-(\d+)$/.exec(location.hash);
  const worst = model.cases.findIndex((one) => !one.good);
  if (model.cases.length > 0) {
    store.choose(clamp(wanted ? Number(wanted[1]) - 1 : Math.max(0, worst), 0, model.cases.length - 1));
  } else if (model.events.length > 0) {
    store.moveTo(model.events.length - 1, { follow: true });
  }
  store.listen((change) => {
    if (change.case) {
      history.replaceState(null, "", `#case-${store.chosen.number + 1}`);
    }
  });
  document.documentElement.dataset.ready = "true";
}

start();
