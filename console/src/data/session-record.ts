import { route, type Session, type SessionName } from '@agentmesh/client';
import { mesh } from './client.ts';

export function sessionPath({ app, user, session }: SessionName): string {
  return route`/apps/${app}/users/${user}/sessions/${session}`;
}

/** Begins the keys of what is read of a session. A screen asks for it while it is drawn, also for an address whose values no path can have. */
export function sessionKey({ app, user, session }: SessionName): string {
  return `session:${JSON.stringify([app, user, session])}`;
}

/** A session with its state, without its events. */
export function loadSessionRecord(place: SessionName): Promise<Session> {
  return mesh.request<Session>({ path: sessionPath(place), query: { limit: 1, order: 'desc' } });
}
