import { afterChange } from '@agentmesh/lib/rpc';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../../context.ts';
import { HttpError } from '../../../edge/errors/request-error.ts';
import type { DoorRun } from '../../road/start-run.ts';
import type { Http } from '../begin-run.ts';
import { streamFor } from '../run-stream.ts';
import { tellRun } from '../tell-run.ts';
import { behind, ResponseEvents } from './response-events.ts';
import { printResponseId } from './response-id.ts';
import { responseOf } from './response-object.ts';

/** A response: what a run answers to its message, or to the answer of a call. */
export interface Watched {
  readonly run: DoorRun;
  readonly functionCallId: string | undefined;
}

/** The run of a response as it is now. */
export async function runOf({ sessions }: Context, { run }: Watched): Promise<LedgerRun> {
  const { run: now } = await afterChange(sessions.getRun(run, unary));
  if (now === undefined) throw new HttpError(404, 'There is no such response.');
  return now;
}

const idOf = ({ run, functionCallId }: Watched) => printResponseId({ ...run, functionCallId });
const answeredOf = ({ functionCallId }: Watched) =>
  functionCallId === undefined ? undefined : new Set([functionCallId]);

/** The response when its run is over or waits, or as it is when `signal` aborts. */
export async function readResponse(context: Context, watched: Watched, signal: AbortSignal) {
  const id = idOf(watched);
  const events = new ResponseEvents(id);
  for await (const { pieces, end } of tellRun(context, watched.run, {
    signal,
    answered: answeredOf(watched),
    inOrder: true,
  })) {
    for (const piece of pieces) events.add(piece);
    if (end === undefined) continue;
    events.end(end);
    return responseOf(id, end.run, events.output);
  }
  return pendingResponse(context, watched);
}

/** The response without what its run has said so far. */
export async function pendingResponse(context: Context, watched: Watched) {
  return responseOf(idOf(watched), await runOf(context, watched), []);
}

interface Streamed extends Watched {
  /** Events up to this number are left out. */
  readonly after?: number;
}

/** Streams the events of a response from its beginning, or from behind one of them. */
export async function streamResponse(context: Context, http: Http, { after = -1, ...watched }: Streamed) {
  const now = await runOf(context, watched);
  const events = new ResponseEvents(idOf(watched));
  await streamFor(context, http, async ({ send, signal }) => {
    const tell = async (told: ReturnType<ResponseEvents['add']>, isEnd = false) => {
      for (const event of told) {
        const rest = behind(event, after, isEnd && event === told.at(-1));
        if (rest !== undefined) await send(rest, rest.type);
      }
    };
    await tell(events.begin(now));
    const telling = { signal, answered: answeredOf(watched), inOrder: true };
    for await (const { pieces, end } of tellRun(context, watched.run, telling)) {
      await tell(pieces.flatMap((piece) => events.add(piece)));
      if (end !== undefined) await tell(events.end(end), true);
    }
  });
}
