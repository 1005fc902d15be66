import type { Context } from '../../context.ts';
import { checkBytes } from '../../account-usage.ts';
import { invocationNotFound, sessionNotFound, sessionRunning } from '../../errors.ts';
import { planRewind } from '../../history/plan-rewind.ts';
import { type CheckedKey, canExist, checkSessionKey } from '../../session-key.ts';
import { selectPlace } from '../../store/events/places.ts';
import { insertRewind, type SessionHistory, selectHistory, selectWaitingRuns } from '../../store/histories.ts';
import { bytesOfEvents } from '../../store/sizes.ts';
import { isInvocationId } from '../../turns/invocation-id.ts';
import { stopWaiting } from '../../turns/stop-run.ts';
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
  await stopWaitingRuns(context, key, beforeInvocationId);
  const history = await readIdle(context, key);
  const planned = await planRewind(context, { key, history, beforeInvocationId });
  if (planned === undefined) throw invocationNotFound(beforeInvocationId);
  const { event, changes, view } = planned;
  const write = { events: [event], changes, limits: context.limits };
  return (await insertRewind(context.db, key, { history, view, ...write })) && event;
}

/** The session, in which no run is running or queued. */
async function readIdle({ db }: Context, key: CheckedKey): Promise<SessionHistory> {
  const history = await selectHistory(db, key);
  if (history === undefined) throw sessionNotFound();
  if (history.turn !== null) throw sessionRunning();
  return history;
}

async function stopWaitingRuns(context: Context, key: CheckedKey, beforeInvocationId: string): Promise<void> {
  const session = { accountId: key.accountId, sessionPk: (await readIdle(context, key)).pk };
  const from = await selectPlace(context.db, 'first of invocation', { ...session, id: beforeInvocationId });
  if (from === undefined) return;
  for (const invocationId of await selectWaitingRuns(context.db, session, from)) {
    await stopWaiting(context, { ...session, appName: key.appName, invocationId });
  }
}
