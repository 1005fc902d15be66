import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../context.ts';
import { unlessGone } from '../edge/errors/unless-gone.ts';
import type { ExportedRecord, ExportPart } from '../export-part.ts';
import { readRetention } from './retention.ts';

type Sessions = Context['sessions'];

const pageSize = 500;

/** Sessions with their state and all of their events, and the rules by which they are kept. */
export const sessionExport: ExportPart = {
  kinds: ['retention', 'session', 'event'],
  async *read({ sessions }, { accountId }) {
    yield { kind: 'retention', data: await readRetention(sessions, accountId) };
    let after: SessionKey | undefined;
    do {
      const { keys } = await sessions.listSessionKeys({ accountId, ...(after && { after }), limit: pageSize }, unary);
      for (const key of keys) yield* readOne(sessions, { ...key, accountId });
      after = keys.length < pageSize ? undefined : keys.at(-1);
    } while (after !== undefined);
  },
};

type Key = Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

async function* readOne(sessions: Sessions, session: Key): AsyncGenerator<ExportedRecord> {
  const head = await headOf(sessions, session);
  if (head === undefined) return;
  const { appName, userId, sessionId } = session;
  const { id, stateJson, lastUpdateTime } = head;
  const of = { app_name: appName, user_id: userId, session_id: sessionId };
  const names = JSON.stringify({ id, appName, userId, lastUpdateTime });
  const state = stateJson.length === 0 ? '{}' : Buffer.from(stateJson).toString();
  yield { kind: 'session', data: Buffer.from(`${names.slice(0, -1)},"state":${state}}`) };
  for (let afterSeq = 0, more = true; more; ) {
    const page = await unlessGone(sessions.listEvents({ session, afterSeq }, unary));
    for (const { json } of page?.events ?? []) yield { kind: 'event', of, data: json };
    afterSeq = page?.events.at(-1)?.seq ?? 0;
    more = page?.more === true;
  }
}

/** The session without its events; undefined when it is gone. */
async function headOf(sessions: Sessions, session: Key) {
  const reading = new AbortController();
  const call = { signal: AbortSignal.any([reading.signal, AbortSignal.timeout(unary.timeoutMs)]) };
  try {
    const messages = sessions.getSession({ session, numRecentEvents: 0 }, call)[Symbol.asyncIterator]();
    const first = await unlessGone(messages.next());
    return first === undefined || first.done === true ? undefined : first.value.session;
  } finally {
    reading.abort();
  }
}
