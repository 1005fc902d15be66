import type { Queryable } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../errors.ts';
import type { CheckedKey, NumberedSession } from '../session-key.ts';
import {
  claimSession,
  type CompactableRow,
  type CompactableSession,
  selectCompactable,
  selectOldestEvents,
  selectTurnStarts,
} from '../store/compactions.ts';
import { selectEventsAt } from '../store/events/events.ts';
import { type Compaction, isCompaction } from '../view/compactions.ts';
import { activeCompactions, changedAt, isVisible, readView, type View, visibleSpans } from '../view/view.ts';

/** See ClaimCompactionRequest. */
export interface CompactionRule {
  readonly interval: number;
  readonly overlap: number;
  readonly retain: number;
}

/** See ClaimCompactionResponse. */
export interface Compactable {
  readonly sessionPk: bigint;
  readonly viewSeq: number;
  readonly summaries: readonly string[];
  readonly events: readonly CompactableRow[];
  readonly coveredSeq: number;
  readonly more: boolean;
  readonly hasOpenRun: boolean;
}

/** Seconds that the caller has to make the summary. When it dies, another one may do so then. */
const claimSeconds = 120;

const [mostEvents, mostBytes, mostTurns] = [2_000, 1024 * 1024, 10_000];

/** Claims a session that is due, and reads what is to be summarized. Undefined when it is not due, or when another caller summarizes it. */
export async function readCompactable(
  db: Queryable,
  key: CheckedKey,
  rule: CompactionRule,
): Promise<Compactable | undefined> {
  const session = await selectCompactable(db, key);
  if (session === undefined) throw sessionNotFound();
  const number = { accountId: key.accountId, sessionPk: session.pk };
  const plan = await planOf(db, { ...session, ...number }, rule);
  if (plan === undefined || !(await claimSession(db, number, claimSeconds))) return undefined;
  const { active, view, coveredSeq, upTo, after } = plan;
  const summaries = await readSummaries(db, number, active);
  const { events, isCut } = await readEvents(db, view, { ...number, after, upTo });
  return {
    sessionPk: session.pk,
    viewSeq: changedAt(view),
    summaries,
    events,
    coveredSeq,
    more: isCut || upTo < session.lastSeq,
    hasOpenRun: session.openSeq !== null,
  };
}

interface Plan {
  readonly view: View;
  readonly active: readonly Compaction[];
  readonly coveredSeq: number;
  /** The events behind `after` are summarized, up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
}

/** Undefined when not enough turns have ended. A run that is not over is not summarized. */
async function planOf(
  db: Queryable,
  { accountId, sessionPk, lastSeq, openSeq, view: json }: NumberedSession & CompactableSession,
  { interval, overlap, retain }: CompactionRule,
): Promise<Plan | undefined> {
  const view = readView(json);
  const active = activeCompactions(view);
  const coveredSeq = active.at(-1)?.last ?? 0;
  const ended = Math.min(lastSeq, (openSeq ?? Infinity) - 1);
  const number = { accountId, sessionPk };
  const starts = await selectTurnStarts(db, { ...number, after: coveredSeq, upTo: ended, limit: mostTurns });
  const turns = starts.filter((seq) => isVisible(view, seq));
  const upTo = ended - retain;
  if (turns.length < interval || upTo <= coveredSeq) return undefined;
  const repeated =
    overlap === 0 ? [] : await selectTurnStarts(db, { ...number, after: 0, upTo: coveredSeq, limit: overlap });
  return { view, active, coveredSeq, upTo, after: (repeated.at(-1) ?? coveredSeq + 1) - 1 };
}

async function readSummaries(
  db: Queryable,
  session: NumberedSession,
  active: readonly Compaction[],
): Promise<string[]> {
  if (active.length === 0) return [];
  const rows = await selectEventsAt(db, { ...session, seqs: active.map(({ seq }) => seq) });
  return rows.toSorted((a, b) => a.seq - b.seq).map(({ json }) => json);
}

interface Range extends NumberedSession {
  readonly after: number;
  readonly upTo: number;
}

/** The first events of the range that no rewind leaves out. `isCut`: others follow. */
async function readEvents(
  db: Queryable,
  view: View,
  { after, upTo, ...session }: Range,
): Promise<{ events: CompactableRow[]; isCut: boolean }> {
  const events: CompactableRow[] = [];
  let bytes = 0;
  const spans = visibleSpans(view, upTo).filter(({ last }) => last > after);
  for (const { first, last } of spans.toReversed()) {
    const [limit, maxBytes] = [mostEvents - events.length, mostBytes - bytes];
    if (limit === 0 || maxBytes <= 0) return { events, isCut: true };
    const from = Math.max(first - 1, after);
    const rows = await selectOldestEvents(db, { ...session, after: from, upTo: last, limit, maxBytes });
    for (const { json } of rows) bytes += Buffer.byteLength(json);
    events.push(...rows.filter(({ json }) => !isCompaction(json)));
    if ((rows.at(-1)?.seq ?? last) < last) return { events, isCut: true };
  }
  return { events, isCut: false };
}
