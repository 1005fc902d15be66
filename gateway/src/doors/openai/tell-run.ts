import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { answeredCalls, type MarkedEvent, marked } from '../road/answered-calls.ts';
import { createTeller, type Piece } from '../road/pieces.ts';
import type { DoorRun } from '../road/start-run.ts';
import { watchRun } from '../road/watch-run.ts';
import { awaitedCalls, shownCall, type ShownCall } from './run-end.ts';

/** The end of an answer: the run is over, or waits for calls. */
export interface AnswerEnd {
  readonly run: LedgerRun;
  readonly calls: readonly ShownCall[];
}

interface Told {
  readonly pieces: readonly Piece[];
  /** Set in the last one. */
  readonly end?: AnswerEnd;
}

interface Telling {
  readonly signal: AbortSignal;
  /** Calls whose answer began what is told; undefined for the beginning of the run. */
  readonly answered?: ReadonlySet<string> | undefined;
  /** True: what agents say that work at once comes in the order in which they end, as a run that is over has it. */
  readonly inOrder?: boolean;
}

/** Tells what a run answers to one message, from its beginning or from an answer on, until the run is over or waits. A run that has gone on since then is told until that answer. Throws 404 when the calls were never answered. */
export async function* tellRun(context: Context, run: DoorRun, telling: Telling): AsyncGenerator<Told> {
  const { signal, answered, inOrder = false } = telling;
  const teller = createTeller();
  const called = new Map<string, Called>();
  let isBegun = answered === undefined;
  for await (const told of watchRun(context, run, { signal })) {
    if ('end' in told) {
      if (!isBegun) throw new HttpError(404, 'The run got no answer to this call.');
      yield { pieces: teller.end(), end: { run: told.end, calls: awaitedCalls(told.end) } };
      return;
    }
    const event = marked(told.frame.json);
    const answers = [...answeredCalls(event).keys()];
    if (isBegun && answers.length > 0) {
      const calls = answers.flatMap((id) => called.get(id) ?? []);
      yield { pieces: teller.end(), end: await waitedFor(context, run, calls) };
      return;
    }
    if (isBegun && !(inOrder && isBeside(event))) {
      const pieces = teller.add(told.frame);
      remember(called, pieces);
      yield { pieces };
    }
    isBegun ||= answers.some((id) => answered?.has(id));
  }
}

type Called = Extract<Piece, { kind: 'call' }>;

function remember(called: Map<string, Called>, pieces: readonly Piece[]): void {
  for (const piece of pieces) if (piece.kind === 'call') called.set(piece.id, piece);
}

/** A run that has gone on since it waited for these calls. */
async function waitedFor({ sessions }: Context, run: DoorRun, calls: readonly Called[]): Promise<AnswerEnd> {
  const { run: now } = await sessions.getRun(run, unary);
  const waiting = { ...(now as LedgerRun), status: RunStatus.WAITING };
  const shown = calls.map(({ id, name, args }) => shownCall(run, { functionCallId: id, name, args }));
  return { run: waiting, calls: shown };
}

/** Whether an event is a part of what an agent says while others work: they have branches. */
function isBeside(event: MarkedEvent | undefined): boolean {
  return event?.partial === true && (event.branch ?? '') !== '';
}
