import { route, type Session, type SessionName } from '@agentmesh/client';
import { mesh } from './client.ts';

export function sessionPath({ app, user, session }: SessionName): string {
  return route`/apps/${app}/users/${user}/sessions/${session}`;
}

export function sessionKey(place: SessionName): string {
  return `session:${sessionPath(place)}`;
}

/** A session with its state, without its events. */
export function loadSessionRecord(place: SessionName): Promise<Session> {
  return mesh.request<Session>({ path: sessionPath(place), query: { limit: 1, order: 'desc' } });
}
