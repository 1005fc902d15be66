import { checkBytes } from '../../account-usage.ts';
import type { Context } from '../../context.ts';
import { invalid, sessionNotFound } from '../../errors.ts';
import { fromAttempt } from '../../events/stored-event.ts';
import { changedAt, printView, readView, withCompaction } from '../../view/view.ts';
import { type CheckedKey, canExist, checkSessionKey } from '../../session-key.ts';
import { insertCompaction, selectCompactable } from '../../store/compactions.ts';
import type { StoredEvent } from '../../store/events/events.ts';
import { bytesOfEvents } from '../../store/sizes.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

/** Appends a summary, in one statement with the view that it changes. */
export function storeCompaction(service: Context): Handlers['storeCompaction'] {
  return async (request, call) => {
    const context = { ...service, db: service.db.within(call) };
    if (!canExist(request.session)) throw sessionNotFound();
    const key = checkSessionKey(request.session);
    if (request.event === undefined) throw invalid('A summary is an event.');
    checkBytes(context, key.accountId);
    const event = fromAttempt(request.event);
    const stored = await untilCurrent(() => store(context, key, { ...request, event }));
    if (stored) context.usage.add(key.accountId, { bytes: bytesOfEvents([event]) });
    return { stored };
  };
}

interface Summary {
  readonly event: StoredEvent;
  readonly sessionPk: bigint;
  readonly viewSeq: number;
  readonly lastSeq: number;
}

/** Undefined when the session has changed meanwhile. */
async function store(
  { db, limits }: Context,
  key: CheckedKey,
  { event, sessionPk, viewSeq, lastSeq: last }: Summary,
): Promise<boolean | undefined> {
  const session = await selectCompactable(db, key);
  if (session?.pk !== sessionPk) throw sessionNotFound();
  if (last < 1 || last > session.lastSeq) throw invalid('A summary covers events that there are.');
  const view = readView(session.view);
  if (changedAt(view) !== viewSeq) return false;
  const changed = withCompaction(view, { seq: session.lastSeq + 1, first: 1, last });
  const write = { events: [event], changes: [], limits };
  return (await insertCompaction(db, key, { session, view: printView(changed), ...write })) || undefined;
}
