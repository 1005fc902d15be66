import type { Story } from './story.ts';

/** Something that contradicts a guarantee. */
export interface Violation {
  readonly what: string;
  /** Absent when it belongs to no session. */
  readonly story: Story | undefined;
}

/** Most violations of a lane that are kept with their stories; further ones are only counted. */
const mostOfLane = 3;

/** Counts of events so far, and the violations. */
export class Tally {
  readonly #report: (violation: Violation) => void;
  /** By name, in the order of first use. */
  readonly counts = new Map<string, number>();
  /** Answers by status; 0: the connection broke. */
  readonly statuses = new Map<number, number>();
  readonly faults = new Map<string, number>();
  readonly violations: Violation[] = [];
  violationCount = 0;
  slowestRecoveryMs = 0;

  /** `report` is called with each violation that is kept, as soon as it is found. */
  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  count(name: string, number = 1): void {
    add(this.counts, name, number);
  }

  answered(status: number): void {
    add(this.statuses, status, 1);
  }

  happened(fault: string): void {
    add(this.faults, fault, 1);
  }

  violate(story: Story | undefined, what: string): void {
    this.violationCount += 1;
    story?.note(`VIOLATION ${what}`);
    const ofLane = this.violations.filter((one) => one.story?.lane === story?.lane).length;
    if (ofLane >= mostOfLane) return;
    this.violations.push({ what, story });
    this.#report({ what, story });
  }

  describe(): string {
    const { counts, statuses, faults, violationCount, slowestRecoveryMs } = this;
    return [
      `requests ${sum(statuses)} (by status: ${list(statuses)})`,
      `faults ${sum(faults)} (${list(faults)})`,
      list(counts),
      `slowest recovery ${Math.round(slowestRecoveryMs)} ms, violations ${violationCount}`,
    ].join('\n  ');
  }
}

function add<Key>(map: Map<Key, number>, key: Key, number: number): void {
  map.set(key, (map.get(key) ?? 0) + number);
}

function sum(map: ReadonlyMap<unknown, number>): number {
  return [...map.values()].reduce((total, number) => total + number, 0);
}

function list(map: ReadonlyMap<string | number, number>): string {
  return Array.from(map, ([name, count]) => `${name} ${count}`)
    .toSorted()
    .join(', ');
}
