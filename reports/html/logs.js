// The logs of all replicas after any event, rebuilt from what each event changed. Copies are kept at regular
// distances, so that a jump costs no more than the way from the nearest one.

const APPEND = 0;
const TRUNCATE = 1;
const LOG_START = 2;
const CLEANED = 4;
const DISTANCE = 256;

function readBatches(row, first) {
  const batches = [];
  for (let i = first; i + 5 < row.length; i += 6) {
    batches.push({ base: row[i], last: row[i + 1], epoch: row[i + 2], kind: row[i + 3], origin: row[i + 4],
      serial: row[i + 5] });
  }
  return batches;
}

function applyChange(log, row) {
  switch (row[2]) {
    case APPEND:
      for (const batch of readBatches(row, 3)) {
        if (log.batches.length === 0 && log.end === 0) {
          log.start = batch.base;
        }
        log.batches.push(batch);
        log.end = batch.last + 1;
      }
      break;
    case TRUNCATE: {
      const [target, start] = [row[3], row[4]];
      while (log.batches.length > 0 && (log.batches[log.batches.length - 1].last >= target || start >= target)) {
        log.batches.pop();
      }
      log.start = start;
      log.end = target;
      log.watermark = Math.min(log.watermark, target);
      break;
    }
    case LOG_START:
      log.start = Math.max(log.start, row[3]);
      while (log.batches.length > 0 && log.batches[0].last < log.start) {
        log.batches.shift();
      }
      break;
    case CLEANED:
      log.batches = log.batches.filter((batch) => batch.base < row[3] || batch.last > row[4]);
      break;
    default:
      log.watermark = row[3];
  }
}

class LogBook {
  constructor(model) {
    this.changes = model.page.log_changes || [];
    this.start = (model.page.logs_before || []).map((row) => ({
      start: row[0], end: row[1], watermark: row[2], batches: readBatches(row, 3),
    }));
    while (this.start.length < model.replicas.length) {
      this.start.push({ start: 0, end: 0, watermark: 0, batches: [] });
    }
    this.copies = [];
    this.cuts = model.replicas.map(() => []);
    const logs = this.copyOf(this.start);
    this.changes.forEach((row, i) => {
      if (i % DISTANCE === 0) {
        this.copies.push(this.copyOf(logs));
      }
      applyChange(logs[row[1]], row);
      if (row[2] === TRUNCATE) {
        this.cuts[row[1]].push({ event: row[0], target: row[3], start: row[4] });
      }
    });
  }

  copyOf(logs) {
    return logs.map((log) => ({ ...log, batches: log.batches.slice() }));
  }

  // After the event; -1: before the first.
  at(event) {
    const end = lowerBound(this.changes, event + 1, (row) => row[0]);
    const copy = Math.min(Math.floor(end / DISTANCE), this.copies.length - 1);
    const logs = this.copyOf(copy < 0 ? this.start : this.copies[copy]);
    for (let i = Math.max(0, copy) * DISTANCE; i < end; ++i) {
      applyChange(logs[this.changes[i][1]], this.changes[i]);
    }
    return logs;
  }

  // The first truncation of the replica at or after the event.
  nextCut(replica, event) {
    const cuts = this.cuts[replica];
    return cuts[lowerBound(cuts, event, (cut) => cut.event)];
  }
}

// Neighbours of one epoch whose identities follow each other become one run.
function runsOf(batches) {
  const runs = [];
  for (const batch of batches) {
    const last = runs[runs.length - 1];
    if (last && last.kind === 0 && batch.kind === 0 && last.epoch === batch.epoch && last.last + 1 === batch.base &&
        last.origin === batch.origin && last.serial + (last.last - last.base) + 1 === batch.serial) {
      last.last = batch.last;
    } else {
      runs.push({ ...batch });
    }
  }
  return runs;
}
