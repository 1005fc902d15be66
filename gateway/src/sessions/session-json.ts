import type { Session } from '@agentmesh/proto/sessions/v1';
import { joinBytes, separated } from '../edge/json/json-bytes.ts';

const emptyMap = Buffer.from('{}');
const beforeEvents = Buffer.from(',"events":[');

type Head = Pick<Session, 'id' | 'appName' | 'userId' | 'stateJson' | 'lastUpdateTime'>;

/** Public session, joined from bytes that are JSON already. Parses and prints nothing. */
export function sessionJson(session: Head, events: readonly Uint8Array[]): Uint8Array {
  const { id, appName, userId, stateJson, lastUpdateTime } = session;
  const names = `{"id":${JSON.stringify(id)},"appName":${JSON.stringify(appName)},"userId":${JSON.stringify(userId)}`;
  return joinBytes([
    Buffer.from(`${names},"state":`),
    stateJson.length === 0 ? emptyMap : stateJson,
    beforeEvents,
    ...separated(events),
    Buffer.from(`],"lastUpdateTime":${lastUpdateTime}}`),
  ]);
}
