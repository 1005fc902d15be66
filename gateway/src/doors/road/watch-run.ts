import { MeshError } from '@agentmesh/lib/rpc';
import type { RunFrame, WatchRunResponse } from '@agentmesh/proto/runs/v1';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { askElsewhere, isAway } from '../../edge/streams/ask-elsewhere.ts';
import { firstAnswer } from '../../edge/streams/first-answer.ts';
import type { DoorRun } from './start-run.ts';

/** A place in the events of a run; see RunFrame in runs.proto. */
export interface RunPlace {
  readonly seq: number;
  readonly partial: number;
}

/** An item of a watched run: an event at its place, whose `json` is empty for a gap; or its end, the run as it ended or began to wait for an answer. */
export type Told = { readonly frame: RunFrame } | { readonly end: LedgerRun };

const beginning: RunPlace = { seq: 0, partial: 0 };
const draining = new MeshError('unavailable', 'runs_draining', 'The server is stopping, and the run goes on.');

interface WatchOptions {
  readonly from?: RunPlace;
  /** Ends the watching. The run goes on. */
  readonly signal: AbortSignal;
}

/**
 * Reads a run from a place on, whatever process executes it, and goes on at another replica when the one that is asked stops. The last item is the end. Throws
 * 503 `runs_draining` when this process stops before; ends without an end when `signal` aborts.
 */
export async function* watchRun(
  context: Pick<Context, 'runs' | 'leaving'>,
  run: DoorRun,
  { from = beginning, signal }: WatchOptions,
): AsyncGenerator<Told, undefined> {
  const { leaving } = context;
  const reading = new AbortController();
  const until = AbortSignal.any([signal, leaving, reading.signal]);
  try {
    yield* readOn(context.runs, { run, from, reading, until });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw leaving.aborted ? draining : error;
  } finally {
    reading.abort();
  }
  return undefined;
}

interface Reading {
  readonly run: DoorRun;
  readonly from: RunPlace;
  readonly reading: AbortController;
  readonly until: AbortSignal;
}

/** Call after call, each from the place where the one before has ended. */
async function* readOn(runs: Context['runs'], reading: Reading): AsyncGenerator<Told, undefined> {
  let place = reading.from;
  for (let isOver = false; !isOver; ) {
    for await (const told of readOnce(runs, { ...reading, from: place })) {
      if ('frame' in told) place = told.frame;
      isOver = 'end' in told;
      yield told;
    }
  }
  return undefined;
}

/** One call, until it ends or its service stops. Where none answers, tries for some seconds. */
async function* readOnce(
  runs: Context['runs'],
  { run, from, reading, until }: Reading,
): AsyncGenerator<Told, undefined> {
  const open = async () => {
    const asked = { ...run, afterSeq: from.seq, afterPartial: from.partial };
    const answers = runs.watchRun(asked, { signal: until })[Symbol.asyncIterator]();
    const first = await firstAnswer(answers, reading);
    if (first.done === true) throw draining;
    return { answers, first };
  };
  const { answers, first } = await askElsewhere(open, undefined, (error) => isAway(error) && !until.aborted);
  try {
    for (let next: IteratorResult<WatchRunResponse> = first; next.done !== true; next = await answers.next()) {
      yield* toldBy(next.value);
    }
  } catch (error) {
    if (!isAway(error)) throw error;
  }
  return undefined;
}

function* toldBy({ frames, run, isOver }: WatchRunResponse): Generator<Told, undefined> {
  for (const frame of frames) yield { frame };
  if (isOver && run !== undefined) yield { end: run };
  return undefined;
}
