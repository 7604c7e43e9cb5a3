// Everything around the diagram: the verdict, the slider, the events in words, the protocol, how to make it again.

class Tooltip {
  constructor() {
    this.element = document.getElementById("tooltip");
  }

  show(event, pointer) {
    this.element.replaceChildren(h("b", {}, event.text), h("small", {}, `event #${event.id}, step ${event.step}` +
      (event.case >= 0 ? ", click to see what led to it" : "")));
    this.element.hidden = false;
    const { innerWidth, innerHeight } = window;
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.left = `${clamp(pointer.clientX + 14, 4, innerWidth - offsetWidth - 4)}px`;
    this.element.style.top = `${clamp(pointer.clientY + 18, 4, innerHeight - offsetHeight - 4)}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}

function headerPanel(model) {
  const { page } = model;
  const { word, tone, expectation, sentence } = page.verdict;
  return h("header", { class: "top" },
    h("p", { class: "brand" }, h("b", {}, "Mirrorproof"), h("span", { class: "muted" }, page.program.replace("mirrorproof", "version"))),
    h("h1", {}, page.name),
    h("section", { class: `verdict ${tone}`, "aria-label": "Verdict" },
      h("p", { class: "question" }, page.question),
      h("p", { class: "answer" }, page.answer),
      h("p", { class: "sentence" }, h("strong", { class: "stamp" }, word.toUpperCase()),
        expectation ? h("span", { class: "expectation" }, expectation) : null,
        h("span", {}, sentence.replace(/^[A-Z]+(, (NOT )?as expected)?: /, "")))),
    page.problems.length === 0 ? null : h("ul", { class: "problems" }, page.problems.map((text) => h("li", {}, text))),
    (page.not_judged || []).length === 0 ? null
      : h("ul", { class: "muted" }, page.not_judged.map((text) => h("li", {}, text))),
    page.description ? h("p", { class: "description" }, page.description) : null,
    page.facts.length === 0 ? null : h("dl", { class: "facts" }, page.facts.map(([name, value]) => h("div", {},
      h("dt", {}, name), h("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value)))),
    page.events_before > 0 || page.events_total > model.events.length ? h("p", { class: "muted" },
      `This page shows ${plural(model.events.length, "event")} of ${page.events_total.toLocaleString("en")}, from number ` +
      `${(page.events_before + 1).toLocaleString("en")} on.`) : null);
}

// Buttons and the slider that moves through the run.
class Controls {
  constructor(store, timeline) {
    this.store = store;
    const { model } = store;
    this.slider = h("input", { type: "range", id: "slider", min: 0, step: 1, "aria-label": "Event" });
    this.slider.addEventListener("input", () => store.moveToColumn(Number(this.slider.value), { follow: true }));
    this.where = h("p", { class: "where", id: "where" });
    const quiet = h("input", { type: "checkbox", id: "quiet", on: { change: (event) => store.setQuiet(event.target.checked) } });
    quiet.checked = store.showQuiet;
    const hidden = model.events.filter((event) => event.quiet).length;
    const button = (label, title, act) => h("button", { type: "button", title, "aria-label": title, on: { click: act } }, label);
    this.choice = model.partitions.length < 2 ? null : h("select", {
      id: "partition", "aria-label": "Partition", on: { change: (event) => store.setPartition(Number(event.target.value)) },
    }, model.partitions.map((name, i) => h("option", { value: i }, name)));
    this.toolbar = h("div", { class: "toolbar" },
      h("div", { class: "buttons" }, button("−", "Zoom out", () => timeline.zoom(1 / 1.5)),
        button("+", "Zoom in", () => timeline.zoom(1.5)), button("Fit", "Show the whole run", () => timeline.fit())),
      hidden === 0 ? null : h("label", { for: "quiet" }, quiet, ` ${plural(hidden, "quiet event")} (fetches that find nothing new, high watermarks)`),
      this.choice);
    this.element = h("div", { class: "controls" },
      h("div", { class: "slider-row" }, button("◀", "Event before", () => store.moveBy(-1)), this.slider,
        button("▶", "Next event", () => store.moveBy(1))), this.where);
    store.listen(() => this.update());
  }

  update() {
    const { store, slider } = this;
    slider.max = Math.max(0, store.columns.length - 1);
    slider.value = store.column;
    if (this.choice) {
      this.choice.value = store.partition;
    }
    const event = store.model.events[store.cursor];
    if (event) {
      slider.setAttribute("aria-valuetext", `Event ${event.id}: ${event.text}`);
      this.where.replaceChildren(h("span", { class: "muted" }, `#${event.id} · step ${event.step} `), event.text);
    }
  }
}

// What happened around the event looked at.
class EventList {
  constructor(store) {
    this.store = store;
    this.step = h("p", { class: "step-text" });
    this.list = h("ol", { class: "events" });
    this.element = h("div", { class: "event-list" }, this.step, this.list);
    this.draw = oncePerFrame(() => this.drawNow());
    store.listen(() => this.draw());
  }

  drawNow() {
    const { store } = this;
    const { model, columns } = store;
    const step = model.steps[lowerBound(model.steps, store.cursor + 1, (one) => one.event) - 1];
    const script = step && step.script >= 0 ? model.script[step.script] : null;
    this.step.replaceChildren(...[
      step ? h("span", {}, step.number < 0 ? "The start" : [h("b", {}, `Action ${step.number}: `), step.text]) : null,
      script ? h("span", { class: "script-line" }, h("code", {}, script.pointer), " ", script.text,
        script.note ? h("em", {}, ` — ${script.note}`) : null) : null,
    ].filter((part) => part));
    const first = clamp(store.column - 5, 0, Math.max(0, columns.length - 11));
    const items = columns.slice(first, first + 11).map((i) => {
      const event = model.events[i];
      return h("li", { class: i === store.cursor ? "here" : null, "aria-current": i === store.cursor ? "true" : null },
        h("button", { type: "button", on: { click: () => (event.case >= 0 ? store.choose(event.case) : store.moveTo(i, { follow: true })) } },
          s("svg", { viewBox: "-10 -10 20 20", width: 16, height: 16, "aria-hidden": "true" }, markShape(event.kind)),
          h("small", {}, `#${event.id}`), h("span", {}, event.text)));
    });
    this.list.replaceChildren(...items);
  }
}

function protocolPanel(page) {
  const { preset, options } = page.protocol;
  const changed = options.filter((option) => option.value !== option.proposed);
  const others = options.filter((option) => option.value === option.proposed);
  const row = (option) => h("tr", { class: option.value === option.proposed ? null : "changed" },
    h("th", { scope: "row" }, h("code", {}, option.name)), h("td", {}, h("code", {}, option.value)),
    h("td", { class: "muted" }, option.value === option.proposed ? "as proposed" : ["the proposal: ", h("code", {}, option.proposed)]),
    h("td", { class: "muted values" }, option.values.filter((value) => value !== option.value && value !== option.proposed).join(", ")));
  const head = h("thead", {}, h("tr", {}, ["option", "in force", "", "other values"].map((text) => h("th", { scope: "col" }, text))));
  const table = (rows) => h("div", { class: "table-box" }, h("table", {}, head.cloneNode(true), h("tbody", {}, rows.map(row))));
  return h("section", { id: "protocol" }, h("h2", {}, "Protocol in force"),
    h("p", {}, preset ? ["The preset ", h("code", {}, preset), "."] : `${plural(changed.length, "option")} changed from the proposal.`),
    changed.length > 0 ? table(changed) : null,
    h("details", {}, h("summary", {}, `${changed.length > 0 ? "The others" : "All options"} (${others.length})`), table(others)));
}

function copyButton(text) {
  const button = h("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copied = copyBySelection(text);
    }
    button.textContent = copied ? "Copied" : "Not copied";
    document.getElementById("announcer").textContent = button.textContent;
    setTimeout(() => (button.textContent = "Copy"), 1600);
  });
  return button;
}

// For pages opened from disk, where some browsers refuse the clipboard.
function copyBySelection(text) {
  const area = h("textarea", { class: "hidden-text", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

function download(file, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = h("a", { href: url, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function reproducePanel(page) {
  return h("section", { id: "reproduce" }, h("h2", {}, "Make it again"),
    page.commands.map(({ what, line }) => h("div", { class: "command" }, h("span", { class: "muted" }, what),
      h("div", { class: "command-line" }, h("code", {}, line), copyButton(line)))),
    page.scenario ? [
      h("div", { class: "command" }, h("span", { class: "muted" }, "The scenario itself"),
        h("div", { class: "command-line" }, h("code", {}, page.scenario.file), copyButton(page.scenario.text),
          h("button", { type: "button", class: "copy", id: "download", on: { click: () => download(page.scenario.file, page.scenario.text) } },
            "Download"))),
      h("details", {}, h("summary", {}, "Show it"), h("pre", { tabindex: 0 }, page.scenario.text)),
    ] : null);
}

function shrunkForms(failure) {
  return failure.shrunk_forms ?? (failure.shrunk ? [failure.shrunk] : []);
}

// What a merge says of the campaigns that it counted together.
function partsPanel(campaign) {
  if (!campaign.parts) {
    return null;
  }
  const lines = campaign.parts.map((part) => h("tr", {}, h("td", {}, part.folder),
    h("td", {}, part.shard.count > 1 ? `${part.shard.index}/${part.shard.count}` : `from seed ${part.first_seed}`),
    h("td", {}, part.seeds.toLocaleString("en")), h("td", {}, part.failing_seeds.toLocaleString("en")),
    h("td", {}, part.finished ? "" : "not finished")));
  const notes = campaign.missing_shards.slice(0, 10).map((shard) => `Missing: shard ${shard.index}/${shard.count}.`)
    .concat(campaign.overlaps.map((overlap) => overlap.left_out
      ? `Left out: ${overlap.folder}, as ${overlap.other} has run all of its ${plural(overlap.seeds, "seed")}.`
      : `${overlap.folder} and ${overlap.other} have both run ${plural(overlap.seeds, "seed")}, counted twice.`));
  if (campaign.missing_shards.length > 10) {
    notes.push(`Missing: ${plural(campaign.missing_shards.length - 10, "shard")} more.`);
  }
  return [h("h3", {}, "Counted together"), h("div", { class: "table-box" }, h("table", {},
    h("thead", {}, h("tr", {}, ["folder", "shard", "seeds", "failing", ""].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, lines))), notes.map((text) => h("p", {}, text))];
}

// What the runs with a recorded verdict, replayed before the campaign, came to.
function corpusPanel(corpus) {
  if (!corpus) {
    return null;
  }
  const differing = corpus.not_as_recorded;
  const text = differing.length === 0
    ? `${plural(corpus.runs, "run")} with a recorded verdict ${corpus.runs === 1 ? "was" : "were"} replayed first: all as recorded.`
    : `${differing.length.toLocaleString("en")} of ${plural(corpus.runs, "run")} with a recorded verdict ended otherwise:`;
  return [h("h3", {}, "The corpus"), h("p", {}, text),
    differing.length === 0 ? null : h("ul", {}, differing.map((entry) => h("li", {}, h("code", {}, entry.file), `: ${entry.difference}`)))];
}

function campaignPanel(campaign) {
  const failures = campaign.failures.map((failure) => h("tr", {}, h("td", {}, h("b", {}, failure.invariant), h("br"), failure.kind),
    h("td", {}, failure.seeds.toLocaleString("en")), h("td", {}, failure.message,
      failure.replay ? h("div", { class: "command-line" }, h("code", {}, failure.replay), copyButton(failure.replay)) : null,
      shrunkForms(failure).map((form) => h("div", {}, `Shrunk to ${plural(form.steps, "step")}: `, h("code", {}, form.file))))));
  const known = campaign.known_findings.map((finding) => h("tr", {}, h("td", {}, h("b", {}, finding.name)),
    h("td", {}, finding.seeds.toLocaleString("en")), h("td", {}, `known finding, first met with seed ${finding.first_seed}`)));
  return h("section", { id: "campaign" }, h("h2", {}, "The campaign"),
    h("p", {}, `${plural(campaign.seeds, "seed")}, ${plural(campaign.actions, "action")}, ${plural(campaign.events, "event")} in ` +
      `${campaign.seconds.toFixed(1)} s. ${campaign.justified_mirror_truncations.toLocaleString("en")} of ` +
      `${plural(campaign.mirror_truncations, "mirror truncation")} traced to an unclean leader election.` +
      Object.entries(campaign.excused_mirror_truncations).map(([excuse, count]) => ` ${count.toLocaleString("en")} excused: ${excuse}.`).join("")),
    failures.length + known.length === 0 ? null : h("div", { class: "table-box" }, h("table", {},
      h("thead", {}, h("tr", {}, ["what broke", "seeds", "first of them"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, failures, known))), corpusPanel(campaign.corpus), partsPanel(campaign));
}
