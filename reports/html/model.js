// The data of the page with names instead of columns, and what follows from it: who led when, who was down, which
// state each mirror was in.

const TRUNCATIONS = new Set(["mirror_truncation", "alignment", "follower_truncation", "other_truncation"]);
const STOPS = new Set(["crashed", "power_lost", "stopped"]);
const LOUD = new Set(["unclean_election", "election", "leaderless", "epoch_bump", "mirror_truncation", "alignment",
  "follower_truncation", "other_truncation", "crashed", "power_lost", "stopped", "started", "state", "order",
  "divergence", "unsupported"]);
const EPOCH_HUES = [212, 36, 158, 275, 340, 92, 188, 248, 14, 58];

function decodeModel(page) {
  const kinds = page.kinds || [];
  const events = (page.events || []).map((row) => ({
    id: row[0], step: row[1], lane: row[2], partition: row[3], kind: kinds[row[4]], quiet: row[5] === 1,
    label: row[6], text: row[7], causes: row.slice(8), case: -1, broken: false,
  }));
  const messages = (page.messages || []).map(([sent, handled, received, flags]) => ({
    sent, handled, received, failed: (flags & 1) !== 0, diverging: (flags & 2) !== 0, ignored: (flags & 4) !== 0,
    quiet: (flags & 8) !== 0,
  }));
  const cases = page.cases || [];
  cases.forEach((one, number) => {
    one.number = number;
    if (one.event >= 0) {
      const event = events[one.event];
      event.case = event.case < 0 ? number : event.case;
      event.broken = event.broken || !one.good;
    }
    for (const { event } of [...one.path, ...one.elections]) {
      if (event >= 0) {
        events[event].quiet = false;
      }
    }
  });
  const model = {
    page, events, messages, cases,
    lanes: page.lanes || [], clusters: page.clusters || [], partitions: page.partitions || [],
    replicas: (page.replicas || []).map(([lane, partition], number) => ({ number, lane, partition })),
    steps: decodeSteps(page, events),
    script: (page.script || []).map(([pointer, text, note]) => ({ pointer, text, note })),
  };
  addIntervals(model);
  addEpochs(model);
  return model;
}

// Steps with the place of their first event.
function decodeSteps(page, events) {
  return (page.steps || []).map(([id, number, text, script]) => ({
    event: lowerBound(events, id, (event) => event.id), number, text, script,
  }));
}

const epochOf = (label) => {
  const found = /e(-?\d+)$/.exec(label);
  return found ? Number(found[1]) : -1;
};

function addIntervals(model) {
  const last = model.events.length;
  model.reigns = [];
  model.downs = [];
  model.states = [];
  const reigning = new Map();
  const down = new Map();
  const state = new Map();
  const close = (map, key, event) => {
    const open = map.get(key);
    if (open) {
      open.to = event;
      map.delete(key);
    }
  };
  const open = (map, list, key, interval) => {
    map.set(key, interval);
    list.push(interval);
  };
  model.events.forEach((event, i) => {
    const key = `${event.lane}:${event.partition}`;
    if (event.kind === "leads") {
      close(reigning, key, i);
      open(reigning, model.reigns, key,
        { lane: event.lane, partition: event.partition, from: i, to: last, epoch: epochOf(event.label) });
    } else if (event.kind === "follows") {
      close(reigning, key, i);
    } else if (STOPS.has(event.kind)) {
      for (const other of [...reigning.keys()]) {
        if (other.startsWith(`${event.lane}:`)) {
          close(reigning, other, i);
        }
      }
      close(down, event.lane, i);
      open(down, model.downs, event.lane, { lane: event.lane, from: i, to: last });
    } else if (event.kind === "started") {
      close(down, event.lane, i);
    } else if (event.kind === "state") {
      close(state, key, i);
      open(state, model.states, key,
        { lane: event.lane, partition: event.partition, from: i, to: last, state: event.label });
    }
  });
}

// Every epoch has a hue, the same in logs and lanes.
function addEpochs(model) {
  const epochs = new Set();
  for (const reign of model.reigns) {
    epochs.add(reign.epoch);
  }
  const batches = (row, first) => {
    for (let i = first; i + 5 < row.length; i += 6) {
      epochs.add(row[i + 2]);
    }
  };
  (model.page.logs_before || []).forEach((row) => batches(row, 3));
  for (const row of model.page.log_changes || []) {
    if (row[2] === 0) {
      batches(row, 3);
    }
  }
  model.epochs = [...epochs].sort((a, b) => a - b);
  const hues = new Map(model.epochs.map((epoch, i) => [epoch, EPOCH_HUES[i % EPOCH_HUES.length]]));
  model.hueOf = (epoch) => hues.get(epoch) ?? 0;
}

// The interval that holds an event, among those that pass.
const intervalAt = (intervals, event, passes) =>
  intervals.find((one) => one.from <= event && event < one.to && passes(one));
