import { MeshError } from '@agentmesh/lib/rpc';
import type { ListEventsRequest, Session, SessionKey, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { unary } from '../context.ts';
import { sessionJson } from './session-json.ts';

type Sessions = Client<typeof SessionsService>;
type Key = Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

/** A session as public JSON. */
export interface SessionRead {
  readonly json: Uint8Array;
  readonly revision: string;
}

/** Time limit of reading a session with a long history. */
const timeoutMs = 120_000;

/** Reads a whole session. */
export async function readSession(sessions: Sessions, session: Key): Promise<SessionRead> {
  const events: Uint8Array[] = [];
  const head = await readHead(sessions, { session }, (page) => events.push(...page));
  return { json: sessionJson(head, events), revision: head.revision };
}

interface EventRange extends Pick<ListEventsRequest, 'limit' | 'newestFirst' | 'afterSeq'> {
  readonly session: Key;
}

/** Reads a session with a page of its events, and the sequence number after which the next page begins. */
export async function readEventPage(
  sessions: Sessions,
  range: EventRange,
): Promise<SessionRead & { next: number | undefined }> {
  const [head, page] = await Promise.all([
    readHead(sessions, { session: range.session, numRecentEvents: 0 }, () => undefined),
    sessions.listEvents(range, unary),
  ]);
  const events = page.events.map(({ json }) => json);
  const next = page.more ? page.events.at(-1)?.seq : undefined;
  return { json: sessionJson(head, events), revision: head.revision, next };
}

async function readHead(
  sessions: Sessions,
  request: { session: Key; numRecentEvents?: number },
  take: (events: readonly Uint8Array[]) => void,
): Promise<Session> {
  let head: Session | undefined;
  for await (const page of sessions.getSession(request, { timeoutMs })) {
    head ??= page.session;
    take(page.events);
  }
  if (head === undefined) throw new MeshError('internal', 'session_without_head', 'The session could not be read.');
  return head;
}
