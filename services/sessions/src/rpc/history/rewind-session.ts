import type { Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { checkBytes } from '../../account-usage.ts';
import { invocationNotFound, sessionNotFound, sessionRunning } from '../../errors.ts';
import { type PlannedRewind, planRewind } from '../../history/plan-rewind.ts';
import { type CheckedKey, canExist, checkSessionKey } from '../../session-key.ts';
import {
  insertRewind,
  lockHistory,
  type SessionHistory,
  selectHistory,
  selectWaitingRuns,
} from '../../store/histories.ts';
import { bytesOfEvents } from '../../store/sizes.ts';
import { isInvocationId } from '../../turns/invocation-id.ts';
import { endWaiting, type StoppedRun, tellStopped } from '../../turns/stop-run.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

/** Rewinds a session before an invocation. Runs that wait since then end as cancelled. */
export function rewindSession(context: Context): Handlers['rewindSession'] {
  return async (request) => {
    if (!canExist(request.session)) throw sessionNotFound();
    const key = checkSessionKey(request.session);
    checkBytes(context, key.accountId);
    const { beforeInvocationId } = request;
    if (!isInvocationId(beforeInvocationId)) throw invocationNotFound(beforeInvocationId);
    const event = await untilCurrent(() => rewind(context, key, beforeInvocationId));
    context.usage.add(key.accountId, { bytes: bytesOfEvents([event]) });
    return {};
  };
}

/** Undefined when the session has changed meanwhile. */
async function rewind(context: Context, key: CheckedKey, beforeInvocationId: string) {
  const history = await readIdle(context, key);
  const planned = await planRewind(context, { key, history, beforeInvocationId });
  if (planned === undefined) throw invocationNotFound(beforeInvocationId);
  const ended = await context.db.transaction((tx) => store({ tx, ...context }, { key, history, planned }));
  for (const run of ended ?? []) tellStopped(context, run);
  return ended && planned.event;
}

interface Rewind {
  readonly key: CheckedKey;
  readonly history: SessionHistory;
  readonly planned: PlannedRewind;
}

/** Ends the runs that wait since the place of the rewind, and stores the rewind, all or nothing. Undefined when the session has changed since it was read. */
async function store(
  { tx, limits }: { readonly tx: Transaction } & Pick<Context, 'limits'>,
  { key, history, planned }: Rewind,
): Promise<StoppedRun[] | undefined> {
  if (!(await lockHistory(tx, key, history))) return undefined;
  const { appName, accountId } = key;
  const session = { accountId, sessionPk: history.pk };
  const ended: StoppedRun[] = [];
  for (const invocationId of await selectWaitingRuns(tx, session, planned.first)) {
    const run = await endWaiting({ db: tx, limits }, { ...session, appName, invocationId });
    if (run !== undefined) ended.push(run);
  }
  // Each end is one version and one event.
  const present = { ...history, version: history.version + BigInt(ended.length) };
  const { event, changes, viewAfter } = planned;
  const write = { events: [event], changes, limits, view: viewAfter(ended.length) };
  const isStored = await insertRewind(tx, key, { ...write, history: present });
  if (isStored === undefined) throw new Error('A session has changed although its row is locked.');
  return ended;
}

/** The session, in which no run is running or queued. */
async function readIdle({ db }: Context, key: CheckedKey): Promise<SessionHistory> {
  const history = await selectHistory(db, key);
  if (history === undefined) throw sessionNotFound();
  if (history.turn !== null) throw sessionRunning();
  return history;
}
