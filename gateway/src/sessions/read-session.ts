import { CallUntil } from '@agentmesh/lib/rpc';
import type { Stopping } from '@agentmesh/lib/wait';
import type {
  GetSessionResponse,
  ListEventsRequest,
  Session,
  SessionKey,
  SessionsService,
} from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { unary } from '../context.ts';
import { comma, separated } from '../edge/json/json-bytes.ts';
import { firstAnswer } from '../edge/streams/first-answer.ts';
import { sessionEnd, sessionJson, sessionStart } from './session-json.ts';
import { sessionWithoutHead } from '../edge/errors/session-without-head.ts';

type Sessions = Client<typeof SessionsService>;
type Key = Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

/** A session as public JSON, in groups of pieces that are read as they are taken. */
export interface OpenedSession {
  readonly revision: string;
  readonly groups: AsyncGenerator<readonly Uint8Array[]>;
}

/** Begins to read a whole session, until `reading` ends. Its events are never held in memory as a whole. */
export async function openSession(sessions: Sessions, session: Key, reading: Stopping): Promise<OpenedSession> {
  const answers = sessions.getSession({ session }, new CallUntil(reading))[Symbol.asyncIterator]();
  const { value: first } = (await firstAnswer(answers, reading)) as IteratorResult<GetSessionResponse, undefined>;
  if (first?.session === undefined) throw sessionWithoutHead();
  return { revision: first.session.revision, groups: printSession(first.session, first.events, answers) };
}

async function* printSession(
  head: Session,
  firstEvents: readonly Uint8Array[],
  answers: AsyncIterator<GetSessionResponse>,
): AsyncGenerator<Uint8Array[]> {
  yield [...sessionStart(head), ...separated(firstEvents)];
  let lead = firstEvents.length === 0 ? [] : [comma];
  for (let next = await answers.next(); next.done !== true; next = await answers.next()) {
    const { events } = next.value;
    if (events.length === 0) continue;
    yield [...lead, ...separated(events)];
    lead = [comma];
  }
  yield [sessionEnd(head)];
}

interface EventRange extends Pick<ListEventsRequest, 'limit' | 'newestFirst' | 'afterSeq'> {
  readonly session: Key;
}

/** A session with a page of its events as public JSON. */
interface SessionPage {
  readonly json: Uint8Array;
  readonly revision: string;
  /** The sequence number after which the next page begins. */
  readonly next: number | undefined;
}

/** Reads a session with a page of its events. */
export async function readEventPage(sessions: Sessions, range: EventRange): Promise<SessionPage> {
  const [head, page] = await Promise.all([readHead(sessions, range.session), sessions.listEvents(range, unary)]);
  const events = page.events.map(({ json }) => json);
  const next = page.more ? page.events.at(-1)?.seq : undefined;
  return { json: sessionJson(head, events), revision: head.revision, next };
}

async function readHead(sessions: Sessions, session: Key): Promise<Session> {
  let head: Session | undefined;
  for await (const page of sessions.getSession({ session, numRecentEvents: 0 }, unary)) head ??= page.session;
  if (head === undefined) throw sessionWithoutHead();
  return head;
}
