import type { Context } from '../context.ts';
import {
  deleteFirstEvents,
  deleteOldRuns,
  selectAgingSessions,
  selectFirstEvents,
  type SessionPlace,
} from '../store/retention/old-rows.ts';
import { nextAccount, nextApp, selectRules } from '../store/retention/rules.ts';
import { oldPrefix } from './old-prefix.ts';

/** Rows that one statement reads or deletes: it takes a few milliseconds. */
const batchSize = 500;
const secondsOfDay = 86_400;
const lowestAccount = '00000000-0000-0000-0000-000000000000';

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

/** Deletes runs and events of all accounts that are older than their rules allow, in small statements. Several replicas may do it at once. */
export async function deleteOld(context: RetentionContext): Promise<Deleted> {
  const { db, defaultDays, draining } = context;
  const deleted: Deleted = { runs: 0, events: 0 };
  const next = (after: string) => nextAccount(db, after, defaultDays > 0);
  for (let account = await next(lowestAccount); account !== undefined; account = await next(account)) {
    if (draining.aborted) break;
    await deleteOfAccount(context, account, deleted);
  }
  return deleted;
}

async function deleteOfAccount(context: RetentionContext, accountId: string, deleted: Deleted): Promise<void> {
  const { db, defaultDays } = context;
  const rules = new Map((await selectRules(db, accountId)).map(({ appName, days }) => [appName, days]));
  const usual = rules.get('');
  for (let app = await nextApp(db, accountId, ''); app !== undefined; app = await nextApp(db, accountId, app)) {
    const own = rules.get(app);
    const days = own === undefined ? (usual === undefined ? defaultDays : usual) : own;
    if (days === null || days === 0) continue;
    const scope = { accountId, appName: app, days };
    await deleteRuns(context, scope, deleted);
    await deleteEvents(context, scope, deleted);
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
  const before = Date.now() / 1000 - days * secondsOfDay;
  let after: SessionPlace | undefined = { userId: '', id: '' };
  while (after !== undefined && !context.draining.aborted) {
    const page = { accountId, appName, after, before, limit: batchSize };
    const sessions = await selectAgingSessions(context.db, page);
    for (const { pk, is_old: isOld } of sessions) {
      if (isOld === true) await trimSession(context, { accountId, pk, before }, deleted);
    }
    const last = sessions.at(-1);
    after = sessions.length < batchSize || last === undefined ? undefined : { userId: last.user_id, id: last.id };
  }
}

async function trimSession(
  { db, usage, draining }: RetentionContext,
  { accountId, pk, before }: { readonly accountId: string; readonly pk: bigint; readonly before: number },
  deleted: Deleted,
): Promise<void> {
  for (let isDone = false; !isDone && !draining.aborted; ) {
    const first = await selectFirstEvents(db, pk, batchSize);
    const count = oldPrefix(first, before, first.length < batchSize);
    const last = first[count - 1];
    if (last === undefined) return;
    const { events, bytes } = await deleteFirstEvents(db, pk, last.seq);
    deleted.events += events;
    usage.add(accountId, { bytes: -bytes });
    isDone = first.some(({ ts }) => ts >= before) || first.length < batchSize;
  }
}
