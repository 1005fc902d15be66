import { isMeshError } from '@agentmesh/lib/rpc';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { watchRun } from '../road/watch-run.ts';
import type { AguiEvent } from './agui-event.ts';
import type { BegunRun } from './begin-run.ts';
import { endOfRun } from './end-of-run.ts';
import { createNarrator } from './events-of-pieces.ts';
import { PageState } from './page-state.ts';
import { readThread } from './thread.ts';

/** Ids of a run as its page has named them. */
export interface PageNames {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId?: string;
}

interface Telling extends BegunRun {
  readonly names: PageNames;
  /** Ends the telling. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

const protocolVersion = '1.0';

/** A run as events of AG-UI, up to its end or until it waits. */
export async function* tellRun(context: Context, telling: Telling): AsyncGenerator<AguiEvent, undefined> {
  const { run, names, state, answered, signal, requestId } = telling;
  const { threadId, runId } = names;
  const narrator = createNarrator({ runId, answered });
  const page = new PageState();
  try {
    yield { type: 'RUN_STARTED', ...names, protocolVersion };
    yield* page.whole(state);
    for await (const told of watchRun(context, run, { from: { seq: run.acceptedSeq, partial: 0 }, signal })) {
      if ('end' in told) yield* end(told.end);
      else yield* add(told.frame);
    }
  } catch (error) {
    if (problemOf(error) === undefined) context.log.error({ err: error, requestId }, 'the stream of a run broke');
    yield* narrator.end();
    yield brokenStream(error);
  }
  return undefined;

  function* add(frame: RunFrame): Generator<AguiEvent> {
    yield* narrator.add(frame);
    if (frame.partial === 0) yield* page.changed(frame.json);
  }

  async function* end(ended: LedgerRun): AsyncGenerator<AguiEvent> {
    yield* narrator.end();
    const thread = await readThread(context, run);
    if (thread !== undefined) yield* page.whole(thread.state, true);
    yield endOfRun(ended, { threadId, runId });
  }
}

/** The run itself may go on: a repeated request with its id gets it again. */
function brokenStream(error: unknown): AguiEvent {
  const isPublic = isMeshError(error) && error.code !== 'internal';
  if (!isPublic) return { type: 'RUN_ERROR', message: 'The stream of the run was interrupted.' };
  return { type: 'RUN_ERROR', message: error.message, code: error.reason };
}
