import type { Session } from '@agentmesh/proto/sessions/v1';
import { joinBytes, separated } from '../edge/json/json-bytes.ts';

const emptyMap = Buffer.from('{}');
const beforeEvents = Buffer.from(',"events":[');

type Head = Pick<Session, 'id' | 'appName' | 'userId' | 'stateJson' | 'lastUpdateTime'>;

/** Public session, joined from bytes that are JSON already. Parses and prints nothing. */
export function sessionJson(session: Head, events: readonly Uint8Array[]): Uint8Array {
  return joinBytes([...sessionStart(session), ...separated(events), sessionEnd(session)]);
}

/** The pieces of a public session up to its first event. */
export function sessionStart({ id, appName, userId, stateJson }: Omit<Head, 'lastUpdateTime'>): Uint8Array[] {
  const names = `{"id":${JSON.stringify(id)},"appName":${JSON.stringify(appName)},"userId":${JSON.stringify(userId)}`;
  return [Buffer.from(`${names},"state":`), stateJson.length === 0 ? emptyMap : stateJson, beforeEvents];
}

/** The piece of a public session behind its last event. */
export function sessionEnd({ lastUpdateTime }: Pick<Head, 'lastUpdateTime'>): Uint8Array {
  return Buffer.from(`],"lastUpdateTime":${lastUpdateTime}}`);
}
