import { setTimeout as delay } from 'node:timers/promises';
import { refusedPause } from '../exchange/index.ts';
import type { Unanswered } from '../wire/index.ts';

/** A stream that was opened and not used. */
export interface OpenedStream {
  /** Resolves when the server has answered with headers, or the stream is over; it never rejects. */
  readonly answered: Promise<Unanswered | undefined>;
  /** Ends the stream without a use. */
  abandon(): void;
}

/** Time in milliseconds for a replica to answer before the next one is tried as well. */
const patienceMs = 250;
/** The connection gives out replicas in turn, and others take turns meanwhile: each try may lead to the same one again. */
const mostTries = 12;

/**
 * Opens a stream whose server answers: while none has, another stream is opened every quarter of a second, which mostly leads to another replica. So a frozen
 * replica costs a call little more than that, and one that leaves, or whose connection breaks meanwhile, costs nothing while there is another. After three seconds without any answer the first stream is used, because older servers answer only when they
 * have read the request.
 */
export async function openAnswered<T extends OpenedStream>(open: () => T): Promise<T> {
  const opened: T[] = [];
  const chosen = Promise.withResolvers<T>();
  let isOver = false;
  const tryNext = async (refusals = 0): Promise<void> => {
    const next = open();
    opened.push(next);
    const outcome = await next.answered;
    if (outcome === 'broken' && opened.length < mostTries && !isOver) return tryNext(refusals);
    const pauseMs = outcome === 'refused' ? refusedPause(refusals + 1) : undefined;
    if (pauseMs === undefined) return chosen.resolve(next);
    await delay(pauseMs);
    if (!isOver) await tryNext(refusals + 1);
  };
  const tryOthers = (): void => {
    if (opened.length < mostTries) void tryNext().catch(chosen.reject);
    else chosen.resolve(opened[0] as T);
  };
  const timer = setInterval(tryOthers, patienceMs);
  try {
    tryOthers();
    const answered = await chosen.promise;
    for (const other of opened) if (other !== answered) other.abandon();
    return answered;
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}
