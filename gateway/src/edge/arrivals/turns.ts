interface Waiting {
  /** Key of the line to wait in, e.g. an account. */
  readonly line: string;
  /** Called once: with the turn, or with an error. */
  readonly done: (error?: Error) => void;
}

/** Turns of a bounded number of holders at a time. Lines take turns, so a long one keeps a short one waiting for one place only. */
export interface Turns<Holder extends object> {
  take(holder: Holder, waiting: Waiting): void;
  hasTurn(holder: Holder): boolean;
  /** Ends the wait of a holder with an error, if it waits. */
  refuse(holder: Holder, error: Error): void;
  /** Gives the turn of a holder to the next one, or ends its wait without a call. May be called more than once. */
  leave(holder: Holder): void;
}

export function createTurns<Holder extends object>(atOnce: number): Turns<Holder> {
  const holding = new Set<Holder>();
  /** Waiting holders by line. Lines are in the order of their turns, and holders of a line in the order of their arrival. */
  const lines = new Map<string, Map<Holder, Waiting>>();
  const lineOf = new Map<Holder, string>();

  function stopWaiting(holder: Holder): Waiting | undefined {
    const name = lineOf.get(holder);
    if (name === undefined) return undefined;
    lineOf.delete(holder);
    const line = lines.get(name);
    const waiting = line?.get(holder);
    line?.delete(holder);
    if (line?.size === 0) lines.delete(name);
    return waiting;
  }

  function start([name, line]: [string, Map<Holder, Waiting>]): void {
    const [holder] = line.keys();
    lines.delete(name);
    lines.set(name, line);
    if (holder === undefined) return;
    const waiting = stopWaiting(holder);
    holding.add(holder);
    waiting?.done();
  }

  return {
    take(holder, waiting) {
      if (holding.size < atOnce) {
        holding.add(holder);
        return waiting.done();
      }
      lines.set(waiting.line, (lines.get(waiting.line) ?? new Map<Holder, Waiting>()).set(holder, waiting));
      lineOf.set(holder, waiting.line);
    },
    hasTurn: (holder) => holding.has(holder),
    refuse: (holder, error) => stopWaiting(holder)?.done(error),
    leave(holder) {
      stopWaiting(holder);
      if (!holding.delete(holder)) return;
      const [next] = lines;
      if (next !== undefined) start(next);
    },
  };
}
