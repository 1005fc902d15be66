import { checkAccountId } from '@agentmesh/lib/rpc';
import type { EventJson } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { type AppendEventsRequest, AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { appStateForbidden, fenceLost, invalid, runCancelling, runInterrupting } from '../../errors.ts';
import { fromAttempt } from '../../events/stored-event.ts';
import { bytesOf } from '../../json-bytes.ts';
import { isOfApp, parseDelta, type StateChange, toChanges } from '../../state-delta.ts';
import type { NumberedSession } from '../../session-key.ts';
import { type Append, insertAppend } from '../../store/appends.ts';
import { type EventRow, selectEvents } from '../../store/events/events.ts';
import { bytesOfEvents } from '../../store/sizes.ts';
import { type AttemptState, findAttempt, selectIsBound } from '../../store/runs.ts';
import { type AttemptEnding, endAttempt } from '../../turns/attempt.ts';
import { stoppedEnding } from '../../turns/closing-event.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

/** Events that others have appended between two appends of an executor are read in pages of this size. */
const pageSize = 1000;

/** Stores events of a running attempt. A repeated request gets the same answer as the first one that was committed. */
export function appendEvents(service: Context): Handlers['appendEvents'] {
  return async (request, call) => {
    const context = { ...service, db: service.db.within(call) };
    const what = toAppend(request, context);
    if (what.changes.some(isOfApp) && (await selectIsBound(context.db, what))) throw appStateForbidden();
    const lastSeq = await tryAppend(context, what, request);
    if (lastSeq === undefined) return catchUp(context, what, request);
    countEvents(context, what);
    return { lastSeq };
  };
}

/** Counts the events of an append that this call has stored. */
function countEvents({ usage }: Context, { accountId, events }: Append): void {
  usage.add(accountId, { bytes: bytesOfEvents(events) });
}

interface Ending {
  readonly end?: AttemptEnding | undefined;
}

function tryAppend(context: Context, what: Append, { end }: Ending): Promise<number | undefined> {
  if (end !== undefined) return endAttempt(context, what, end);
  if (what.events.length === 0) throw invalid('An append carries events, an end, or both.');
  return insertAppend(context.db, what);
}

/** The session has more events than the caller knows: its own from a first try, or those of others, whose state deltas are returned. */
async function catchUp(context: Context, what: Append, request: AppendEventsRequest) {
  return untilCurrent(async () => {
    const attempt = await findAttempt(context.db, what);
    // The executor knows of events that a failover has lost: what it would store now follows from them.
    const upTo = attempt?.last_seq ?? what.lastSeq;
    if (upTo < what.lastSeq) throw fenceLost();
    const { accountId, sessionPk } = what;
    const missed = await readMissed(context, { accountId, sessionPk, after: what.lastSeq, upTo });
    const own = new Set(what.events.map((event) => event.id));
    const others = missed.filter((event) => !own.has(event.event_id));
    const messages = others.filter((event) => isMessageTo(event, what.invocationId));
    const answer = {
      stateDeltasJson: others.flatMap(stateDeltaOf),
      messagesJson: messages.map(({ json }) => bytesOf(json)),
    };
    // An end that was not stored because of messages leaves the turn where it was.
    const goesOn = request.takesMessages && messages.length > 0 && isNatural(request.end) && attempt?.holds === true;
    const stored = own.size > 0 && others.length < missed.length;
    if (stored || (own.size === 0 && attempt?.ended === true)) return { ...answer, lastSeq: upTo, goesOn };
    if (goesOn && own.size === 0) return { ...answer, lastSeq: upTo, goesOn };
    const now = currentRequest(attempt, what, request);
    const lastSeq = await tryAppend(context, { ...what, ...now, lastSeq: upTo }, goesOn ? {} : now);
    if (lastSeq === undefined) return undefined;
    countEvents(context, what);
    return { ...answer, lastSeq, goesOn };
  });
}

/** Whether the agents had nothing more to do. */
function isNatural(end: Ending['end']): boolean {
  return end?.outcome === AttemptEnd_Outcome.COMPLETED || end?.outcome === AttemptEnd_Outcome.WAITING;
}

async function readMissed(
  { db }: Context,
  { after, upTo, ...session }: NumberedSession & { readonly after: number; readonly upTo: number },
): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (let page = [], from = after; from === after || page.length === pageSize; from = rows.at(-1)?.seq ?? upTo) {
    page = await selectEvents(db, { ...session, after: from, upTo, limit: pageSize });
    rows.push(...page);
    if (page.length === 0) break;
  }
  return rows;
}

/** Whether an event is a message that was added to the run. */
function isMessageTo({ json }: EventRow, invocationId: string): boolean {
  const event = parseExactly(json) as Partial<EventJson>;
  return event.author === 'user' && event.invocationId === invocationId && event.content !== undefined;
}

const stops = [AttemptEnd_Outcome.CANCELLED, AttemptEnd_Outcome.INTERRUPTED];

/** The fence and the end with which the append may be stored. An attempt that is being stopped may only end, for the cause that its row has. */
function currentRequest(
  attempt: AttemptState | undefined,
  { fence }: Append,
  { end }: Ending,
): Ending & { fence: bigint } {
  if (attempt?.holds === true) return { fence, end };
  const cancelFence = attempt?.cancel_fence ?? undefined;
  if (attempt === undefined || cancelFence === undefined) throw fenceLost();
  const { cause } = attempt;
  if (end === undefined || !stops.includes(end.outcome)) throw cause === null ? runCancelling() : runInterrupting();
  return { fence: cancelFence, end: { ...end, ...stoppedEnding(cause) } };
}

function toAppend(request: AppendEventsRequest, { limits }: Context): Append {
  const { sessionPk, invocationId, fence, lastSeq } = request;
  const changes = new Map<string, StateChange>();
  for (const event of request.events) {
    for (const change of toChanges(parseDelta(event.stateDeltaJson)))
      changes.set(`${change.scope}:${change.key}`, change);
  }
  return {
    accountId: checkAccountId(request.accountId),
    sessionPk,
    invocationId,
    fence,
    lastSeq,
    events: request.events.map(fromAttempt),
    changes: [...changes.values()],
    limits,
  };
}

function stateDeltaOf(row: EventRow): Uint8Array[] {
  const delta = (parseExactly(row.json) as Partial<EventJson>).actions?.stateDelta;
  return delta !== undefined && Object.keys(delta).length > 0 ? [bytesOf(JSON.stringify(delta))] : [];
}
