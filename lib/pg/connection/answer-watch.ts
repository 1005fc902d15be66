/** Pause in milliseconds between looks at the connections. */
const lookMs = 500;

/** A connection that is watched. */
export interface Watched {
  /** Bytes received so far. */
  readonly bytesRead: number;
  /** Whether the server has to answer something. */
  readonly owesAnswer: boolean;
  /** Longest time in milliseconds that an answer may take. */
  readonly answerLimitMs: number;
  /** Closes the connection without a word to the server. Its statements fail. */
  abandon(error: Error): void;
}

interface Silence {
  bytesRead: number;
  /** Looks in a row that saw no new byte. */
  looks: number;
  /** The same while an answer was owed. */
  owedLooks: number;
}

/**
 * Finds connections whose server does not answer any more, also when TCP reports nothing, and abandons them. One timer looks at all
 * connections of a database. Looks are counted and not the clock, so a process that was stopped does not take its own pause for
 * silence of the server.
 *
 * When one connection is lost like this, those that were silent just as long are abandoned with it: after a failover all of them
 * lead to the same dead server, and each would otherwise cost its next caller the whole limit.
 */
export class AnswerWatch {
  readonly #connections = new Map<Watched, Silence>();
  #timer: NodeJS.Timeout | undefined;

  add(connection: Watched): void {
    this.#connections.set(connection, { bytesRead: connection.bytesRead, looks: 0, owedLooks: 0 });
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
  }

  remove(connection: Watched): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    for (const [connection, silence] of this.#connections) note(connection, silence);
    for (const [connection, { owedLooks }] of this.#connections) {
      if (owedLooks * lookMs <= connection.answerLimitMs) continue;
      return this.#abandonSilent(owedLooks, connection.answerLimitMs);
    }
  }

  #abandonSilent(leastLooks: number, limitMs: number): void {
    const error = new Error(`PostgreSQL did not answer within ${limitMs} ms.`);
    for (const [connection, { looks }] of Array.from(this.#connections)) {
      // The last byte of another one may have come just before, in the interval in which the lost one was asked.
      if (looks >= leastLooks - 1) connection.abandon(error);
    }
  }
}

function note(connection: Watched, silence: Silence): void {
  const { bytesRead, owesAnswer } = connection;
  const isSilent = bytesRead === silence.bytesRead;
  silence.bytesRead = bytesRead;
  silence.looks = isSilent ? silence.looks + 1 : 0;
  silence.owedLooks = isSilent && owesAnswer ? silence.owedLooks + 1 : 0;
}
