import { MeshError } from '@agentmesh/lib/rpc';
import type { Session, SessionKey, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { sessionJson } from './session-json.ts';

type Key = Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

/** Long histories take their time; a service that says nothing for ever does not. */
const timeoutMs = 120_000;

/** A whole session as public JSON. */
export async function readSession(sessions: Client<typeof SessionsService>, session: Key): Promise<Uint8Array> {
  let head: Session | undefined;
  const events: Uint8Array[] = [];
  for await (const page of sessions.getSession({ session }, { timeoutMs })) {
    head ??= page.session;
    for (const event of page.events) events.push(event);
  }
  if (head === undefined) throw new MeshError('internal', 'session_without_head', 'The session could not be read.');
  return sessionJson(head, events);
}
