import type { Context } from '../context.ts';
import {
  type AgingEvent,
  type AgingSession,
  deleteOldRuns,
  selectAgingSessions,
  selectFirstEvents,
  selectNow,
  selectOpenRun,
  updateAgingFrom,
} from '../store/retention/old-rows.ts';
import { everyAccount, selectAppRules } from '../store/retention/app-rules.ts';
import { nextAccount, nextApp } from '../store/retention/rules.ts';
import { type AppRules, readKeptDays } from './read-kept-days.ts';
import { deletePrefix } from './delete-prefix.ts';
import { oldPrefix } from './old-prefix.ts';

/** Rows that one statement reads or deletes: it takes a few milliseconds. */
const batchSize = 500;
const secondsOfDay = 86_400;

/** How much a round has deleted. */
export interface Deleted {
  runs: number;
  events: number;
}

/** The surroundings of a round. */
export interface RetentionContext extends Pick<Context, 'db' | 'usage'> {
  /** Days for accounts and apps without a rule; 0: for ever. */
  readonly defaultDays: number;
  /** Ends the round between two statements. */
  readonly draining: AbortSignal;
}

interface Round {
  readonly context: RetentionContext;
  /** Declarations of the apps of `AGENTS_DIR`. */
  readonly ofFiles: AppRules;
}

/** Deletes runs and events of all accounts that are older than their rules allow, in small statements. Several replicas may do it at once. */
export async function deleteOld(context: RetentionContext): Promise<Deleted> {
  const { db, defaultDays, draining } = context;
  const deleted: Deleted = { runs: 0, events: 0 };
  const ofFiles = await selectAppRules(db, everyAccount);
  const isForAll = defaultDays > 0 || [...ofFiles.values()].some((declared) => declared.some(isNumber));
  const next = (after: string) => nextAccount(db, after, isForAll);
  for (let account = await next(everyAccount); account !== undefined; account = await next(account)) {
    if (draining.aborted) break;
    await deleteOfAccount({ context, ofFiles }, account, deleted);
  }
  return deleted;
}

function isNumber(days: unknown): days is number {
  return typeof days === 'number';
}

async function deleteOfAccount(round: Round, accountId: string, deleted: Deleted): Promise<void> {
  const { db } = round.context;
  const daysOf = await readKeptDays(db, { accountId, ofFiles: round.ofFiles, defaultDays: round.context.defaultDays });
  for (let app = await nextApp(db, accountId, ''); app !== undefined; app = await nextApp(db, accountId, app)) {
    const days = daysOf(app);
    if (days === null) continue;
    const scope = { accountId, appName: app, days };
    await deleteRuns(round.context, scope, deleted);
    await deleteEvents(round.context, scope, deleted);
  }
}

interface Scope {
  readonly accountId: string;
  readonly appName: string;
  readonly days: number;
}

async function deleteRuns({ db, draining }: RetentionContext, scope: Scope, deleted: Deleted): Promise<void> {
  for (let count = batchSize; count === batchSize && !draining.aborted; ) {
    count = await deleteOldRuns(db, { ...scope, limit: batchSize });
    deleted.runs += count;
  }
}

async function deleteEvents(
  context: RetentionContext,
  { accountId, appName, days }: Scope,
  deleted: Deleted,
): Promise<void> {
  const now = await selectNow(context.db);
  const before = now - days * secondsOfDay;
  let after: AgingSession | undefined = { pk: 0n, aging_from: -1 };
  while (after !== undefined && !context.draining.aborted) {
    const page = { accountId, appName, after, before, limit: batchSize };
    const sessions = await selectAgingSessions(context.db, page);
    for (const { pk } of sessions) await trimSession(context, { accountId, pk, before, now }, deleted);
    after = sessions.length < batchSize ? undefined : sessions.at(-1);
  }
}

/** A session, the time before which its turns are too old, and the time of the database: Unix times in seconds. */
interface Trim {
  readonly accountId: string;
  readonly pk: bigint;
  readonly before: number;
  readonly now: number;
}

async function trimSession(
  { db, usage, draining }: RetentionContext,
  { accountId, pk, before, now }: Trim,
  deleted: Deleted,
): Promise<void> {
  const session = { accountId, sessionPk: pk };
  const open = (await selectOpenRun(db, session)) ?? Number.POSITIVE_INFINITY;
  while (!draining.aborted) {
    const first = (await selectFirstEvents(db, session, batchSize)).map((event) =>
      event.seq < open ? event : kept(event),
    );
    const isAll = first.length < batchSize;
    const [oldest] = first;
    const last = first[oldPrefix(first, before, isAll) - 1];
    if (oldest !== undefined && last !== undefined) {
      const { events, bytes } = await deletePrefix(db, { ...session, first: oldest.seq, upTo: last.seq });
      deleted.events += events;
      usage.add(accountId, { bytes: -bytes });
    }
    const fresh = first.find(({ ts }) => ts >= before);
    if (fresh === undefined && !isAll) continue;
    // The first turn that stays has a fresh event, or the session has no event.
    const agingFrom = fresh?.ts ?? now;
    if (Number.isFinite(agingFrom)) await updateAgingFrom(db, session, Math.max(0, agingFrom));
    return;
  }
}

/** The event of a run that has not ended, or waits for an answer. */
function kept(event: AgingEvent): AgingEvent {
  return { ...event, ts: Number.POSITIVE_INFINITY };
}
