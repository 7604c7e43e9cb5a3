// What each kind of event looks like: one shape each, so that nothing depends on colour alone.

const SCISSORS = "M-5,-8L3,4M5,-8L-3,4M-2.6,6.4a2.4,2.4 0 1,1 -4.8,0a2.4,2.4 0 1,1 4.8,0M7.4,6.4" +
  "a2.4,2.4 0 1,1 -4.8,0a2.4,2.4 0 1,1 4.8,0";
const dot = (r) => `M${-r},0a${r},${r} 0 1,1 ${2 * r},0a${r},${r} 0 1,1 ${-2 * r},0Z`;

// [shape, tone, filled, name in the legend]
const MARKS = {
  unclean_election: ["M2.5,-9L-6,2L-1,2L-2.5,9L6,-2L1,-2Z", "cause", true, "unclean election (ULE)"],
  election: ["M0,-6L6,0L0,6L-6,0Z", "ink", true, "election"],
  leaderless: ["M0,-6L6,0L0,6L-6,0Z", "ink", false, "no leader"],
  epoch_bump: ["M-5,4L0,-2L5,4M-5,-1L0,-7L5,-1", "ink", false, "epoch raised"],
  isr: ["M-4,-4h8v8h-8Z", "muted", false, "ISR changed"],
  leads: ["M0,-6L6,5L-6,5Z", "ink", true, "takes over as leader"],
  follows: ["M0,5L-5,-4L5,-4Z", "muted", false, "follows"],
  initial: [dot(4.5), "ink", false, "log at the start"],
  written: [dot(4), "good", true, "written by a client or the leader"],
  mirrored: [dot(4), "mirror", true, "mirrored"],
  copied: [dot(3.2), "mirror", false, "copied by a follower"],
  mirror_truncation: [SCISSORS, "effect", false, "mirror truncation"],
  alignment: [SCISSORS, "mirror", false, "cut by LOG_ALIGNMENT"],
  follower_truncation: [SCISSORS, "muted", false, "follower truncation"],
  other_truncation: [SCISSORS, "ink", false, "tail lost, log restarted"],
  crashed: ["M-5,-5L5,5M5,-5L-5,5", "effect", false, "crash"],
  power_lost: ["M-5,-5L5,5M5,-5L-5,5M-7,0H7", "effect", false, "power loss"],
  stopped: ["M-4,-4h8v8h-8Z", "muted", true, "stop"],
  started: ["M-4,-6L6,0L-4,6Z", "good", true, "start (with its version)"],
  state: ["M0,-4V12", "ink", false, "mirror state"],
  work: [dot(2), "muted", true, "mirror work begins"],
  order: ["M-4,8V-7L6,-3L-4,1", "ink", true, "operator's order"],
  position: ["M-4,-6h8v12l-4,-3l-4,3Z", "ink", false, "last mirror position"],
  aligned: ["M-5,-3H5M-5,3H5", "mirror", false, "aligned"],
  divergence: ["M0,7V0L-5,-7M0,0L5,-7", "effect", false, "divergence noticed"],
  log_start: ["M-3,-6V6M-3,0H5", "ink", false, "log start moved"],
  cleaned: ["M-5,4L5,-4M-5,0L0,-4M0,4L5,0", "ink", false, "log cleaner took records"],
  high_watermark: ["M0,-4V4", "muted", false, "high watermark"],
  epoch_cache: [dot(1.6), "muted", true, "epoch cache"],
  request: [dot(2), "muted", true, "request"],
  answer: [dot(2), "muted", true, "answer"],
  receipt: [dot(2), "muted", true, "answer received"],
  unsupported: ["M-4,4L4,-4M-6,0a6,6 0 1,1 12,0a6,6 0 1,1 -12,0", "effect", false, "version not supported"],
  disconnected: ["M-4,-4L4,4M4,-4L-4,4", "muted", false, "connection lost"],
  acked: ["M-4,0L-1,3L5,-4", "good", false, "acknowledged"],
  note: [dot(3), "muted", true, "other"],
};

function markShape(kind, extra = {}) {
  const [d, tone, filled] = MARKS[kind] || MARKS.note;
  return s("path", { d, class: `mark ${tone}${filled ? " filled" : ""}`, ...extra });
}

function legend(model) {
  const present = new Set(model.events.map((event) => event.kind));
  const items = Object.keys(MARKS)
    .filter((kind) => present.has(kind) && !["request", "answer", "receipt", "work", "epoch_cache"].includes(kind))
    .map((kind) => h("li", {},
      s("svg", { viewBox: "-10 -10 20 20", width: 18, height: 18, "aria-hidden": "true" }, markShape(kind)),
      MARKS[kind][3]));
  const line = (attributes) => s("svg", { viewBox: "0 0 30 18", width: 30, height: 18, "aria-hidden": "true" },
    s("path", { d: "M1,9H24", ...attributes }), s("path", { d: "M24,5.5L30,9L24,12.5Z", class: attributes.class + " head" }));
  const lines = [
    ["message", "request or answer"], ["message diverging", "answer that diverges"], ["message failed", "error"],
    ["message ignored", "lost or ignored"], ["lit", "what led to the truncation"],
  ].map(([name, text]) => h("li", {}, line({ class: name }), text));
  return h("ul", { class: "legend" }, items, lines,
    h("li", {}, h("span", { class: "swatch", vars: { "--h": EPOCH_HUES[0] } }), "broad band: leads (colour: epoch)"));
}
