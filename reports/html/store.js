// Where the reader is: the event looked at, the case chosen, the partition, whether quiet events are shown. Views
// listen; whoever moves one thing moves all of them.

class Store {
  constructor(model) {
    this.model = model;
    this.listeners = [];
    this.partition = 0;
    this.showQuiet = model.events.every((event) => event.quiet);
    this.cursor = -1;
    this.chosen = null;
    this.layOut();
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // `change`: what moved, so that a view may do less.
  tell(change) {
    for (const listener of this.listeners) {
      listener(change);
    }
  }

  isVisible(event) {
    return (this.showQuiet || !event.quiet) && (event.partition < 0 || event.partition === this.partition);
  }

  // Gives each visible event a column; others share that of the visible one before.
  layOut() {
    this.columns = [];
    this.columnOf = new Int32Array(this.model.events.length);
    this.model.events.forEach((event, i) => {
      if (this.isVisible(event)) {
        this.columns.push(i);
      }
      this.columnOf[i] = Math.max(0, this.columns.length - 1);
    });
  }

  get column() {
    return this.cursor < 0 ? 0 : this.columnOf[this.cursor];
  }

  moveTo(event, change = {}) {
    this.cursor = clamp(event, Math.min(0, this.model.events.length - 1), this.model.events.length - 1);
    this.tell({ cursor: true, ...change });
  }

  moveToColumn(column, change = {}) {
    if (this.columns.length > 0) {
      this.moveTo(this.columns[clamp(column, 0, this.columns.length - 1)], change);
    }
  }

  moveBy(columns) {
    this.moveToColumn(this.column + columns, { follow: true });
  }

  moveBySteps(direction) {
    const step = this.cursor < 0 ? -1 : this.model.events[this.cursor].step;
    let column = this.column;
    while (column + direction >= 0 && column + direction < this.columns.length) {
      column += direction;
      if (this.model.events[this.columns[column]].step !== step) {
        break;
      }
    }
    this.moveToColumn(column, { follow: true });
  }

  choose(number) {
    const one = this.model.cases[number];
    if (!one) {
      return;
    }
    this.chosen = one;
    if (one.partition >= 0 && one.partition !== this.partition) {
      this.partition = one.partition;
      this.layOut();
    }
    if (one.event >= 0) {
      this.cursor = one.event;
    }
    this.tell({ cursor: true, case: true, columns: true, follow: true });
  }

  chooseBy(direction) {
    const count = this.model.cases.length;
    if (count > 0) {
      const now = this.chosen ? this.chosen.number : direction > 0 ? -1 : 0;
      this.choose((now + direction + count) % count);
    }
  }

  setQuiet(shown) {
    this.showQuiet = shown;
    this.layOut();
    this.tell({ cursor: true, columns: true, follow: true });
  }

  setPartition(partition) {
    this.partition = partition;
    this.layOut();
    this.tell({ cursor: true, columns: true, follow: true });
  }
}
