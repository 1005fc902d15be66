/** The time of the fakes. Tests move it; nothing in a fake waits in real time. */
export interface VirtualClock {
  now(): Date;
  /** Runs `task` when the clock is moved to this delay from now or beyond it. Never runs by itself. */
  after(delayMs: number, task: () => Promise<void> | void): void;
  /** Moves the clock forward and runs the tasks that become due, in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Forgets all tasks. */
  clear(): void;
}

interface Alarm {
  readonly at: number;
  readonly task: () => Promise<void> | void;
}

export interface VirtualClockOptions {
  /** With it, time stands still there except in `advance`. Without it, the clock is the real one plus the time of all advances. */
  readonly frozenAt?: Date;
}

/** Creates the clock that fakes share. */
export function createVirtualClock({ frozenAt }: VirtualClockOptions = {}): VirtualClock {
  let offsetMs = frozenAt?.getTime() ?? 0;
  let alarms: Alarm[] = [];
  const nowMs = (): number => offsetMs + (frozenAt === undefined ? Date.now() : 0);
  const takeDue = (untilMs: number): Alarm | undefined => {
    const [first] = alarms.toSorted((a, b) => a.at - b.at);
    if (first === undefined || first.at > untilMs) return undefined;
    alarms = alarms.filter((alarm) => alarm !== first);
    return first;
  };
  return {
    now: () => new Date(nowMs()),
    after: (delayMs, task) => void alarms.push({ at: nowMs() + delayMs, task }),
    async advance(ms) {
      const untilMs = nowMs() + ms;
      for (let alarm = takeDue(untilMs); alarm !== undefined; alarm = takeDue(untilMs)) {
        offsetMs += Math.max(0, alarm.at - nowMs());
        await alarm.task();
      }
      offsetMs += Math.max(0, untilMs - nowMs());
    },
    clear: () => {
      alarms = [];
    },
  };
}
