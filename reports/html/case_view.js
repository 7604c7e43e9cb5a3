// The cases: every mirror truncation and every broken rule. One is chosen; all views show it.

class CaseList {
  constructor(store) {
    this.store = store;
    const { cases, page } = store.model;
    this.buttons = cases.map((one) => h("button", {
      type: "button", class: `case ${one.good ? "good" : "bad"}`, "aria-pressed": "false", "data-case": one.number,
      on: { click: () => store.choose(one.number) },
    }, h("span", { class: "case-icon", "aria-hidden": "true" },
      s("svg", { viewBox: "-11 -11 22 22", width: 22, height: 22 }, one.type === "truncation"
        ? markShape("mirror_truncation") : s("path", { class: "mark effect", d: "M0,-8L9,7H-9ZM0,-3V2M0,4.6V5" }))),
    h("span", { class: "case-words" }, h("b", {}, one.title), h("small", {}, `${one.subtitle} · event #${one.id}`),
      h("span", { class: "case-finding" }, one.finding))));
    this.element = h("div", { class: "cases" }, this.buttons,
      page.cases_left_out > 0 ? h("p", { class: "muted" }, `and ${plural(page.cases_left_out, "case")} more, not shown`) : null);
    store.listen((change) => {
      if (change.case) {
        this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === store.chosen.number)));
      }
    });
  }
}

// The chosen case in words.
class CaseView {
  constructor(store) {
    this.store = store;
    this.element = h("div", { class: "case-text" });
    store.listen((change) => {
      if (change.case) {
        this.drawNow();
      }
      if (change.cursor) {
        this.markNow();
      }
    });
  }

  place({ event, id, text }) {
    return event < 0
      ? h("span", { class: "told" }, h("small", {}, `#${id}`), " ", text)
      : h("button", { type: "button", class: "told", "data-event": event,
        on: { click: () => this.store.moveTo(event, { follow: true }) } }, h("small", {}, `#${id}`), " ", text);
  }

  list(title, items, name) {
    return items.length === 0 ? null : [h("h4", {}, title), h("ol", { class: name }, items.map((item) => h("li", {}, item)))];
  }

  drawNow() {
    const one = this.store.chosen;
    const removed = one.removed.map(({ text, killer }) => [text, h("br"),
      killer ? [h("span", { class: "muted" }, "lost in "), this.place(killer)]
        : h("strong", { class: "bad-text" }, "no election that could have led here lost it")]);
    this.element.replaceChildren(...[
      h("h3", { class: one.good ? "good-text" : "bad-text" }, one.title),
      h("p", {}, one.finding),
      this.list(one.path.length > 1 ? "How it led there" : "Where", one.path.map((step) => this.place(step)), "path-list"),
      one.type === "truncation" && one.path.length === 0
        ? h("p", { class: "no-path" }, "There is no path: no unclean election of the source lies behind it.") : null,
      this.list("What was removed", removed, "plain-list"),
      one.removed_runs > one.removed.length
        ? h("p", { class: "muted" }, `and ${one.removed_runs - one.removed.length} more`) : null,
      this.list(one.type === "truncation" ? "Which rules it breaks" : "The rule", one.charges.map(({ invariant, kind, message }) => [
        h("b", {}, invariant), ` (${kind})`, message === one.finding ? null : [": ", message]]), "plain-list"),
      this.list("See also", one.evidence.map((step) => this.place(step)), "plain-list"),
    ].flat(Infinity).filter((part) => part));
    this.markNow();
  }

  markNow() {
    for (const button of this.element.querySelectorAll("button[data-event]")) {
      button.classList.toggle("here", Number(button.dataset.event) === this.store.cursor);
    }
  }
}
