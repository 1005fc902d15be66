import type { JsonObject } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { createTeller, type Piece } from '../road/pieces.ts';
import type { DoorRun } from '../road/start-run.ts';
import { watchRun } from '../road/watch-run.ts';

interface Told {
  readonly pieces: readonly Piece[];
  /** Set in the last one. */
  readonly end?: LedgerRun;
}

interface Telling {
  readonly signal: AbortSignal;
  /** Calls whose answer began what is told; undefined for the whole run. */
  readonly answered?: ReadonlySet<string> | undefined;
}

/** Tells a run from its beginning on, or from an answer on. */
export async function* tellRun(context: Context, run: DoorRun, { signal, answered }: Telling): AsyncGenerator<Told> {
  const teller = createTeller();
  let isBegun = answered === undefined;
  for await (const told of watchRun(context, run, { signal })) {
    if ('end' in told) yield { pieces: teller.end(), end: told.end };
    else if (isBegun) yield { pieces: teller.add(told.frame) };
    else isBegun = isAnswer(told.frame.json, answered);
  }
}

interface Event {
  readonly author?: string;
  readonly content?: { readonly parts?: readonly { readonly functionResponse?: JsonObject }[] };
}

function isAnswer(json: Uint8Array, answered: ReadonlySet<string> = new Set()): boolean {
  if (json.length === 0) return false;
  const { author, content } = parseExactly(Buffer.from(json).toString()) as Event;
  const ids = (content?.parts ?? []).map(({ functionResponse }) => functionResponse?.['id']);
  return author === 'user' && ids.some((id) => typeof id === 'string' && answered.has(id));
}
