import { isMeshError } from '@agentmesh/lib/rpc';
import { completeActions, type ContentJson, toWireEvent } from '@agentmesh/proto/event';
import type { Static } from 'typebox';
import { type Context, unary } from '../../context.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import type { Content } from '../../edge/records/content.ts';
import type { DoorRun } from './start-run.ts';

/** A message that was said before the mesh was asked. */
export interface EarlierMessage {
  readonly role: 'user' | 'model';
  readonly parts: NonNullable<Static<typeof Content>['parts']>;
}

/**
 * Creates a session with messages that were said elsewhere, for a conversation that a client brings along. A session that another request has created meanwhile
 * stays as it is. Fails with `app_not_found`.
 */
export async function createHistory(
  { sessions, runs }: Pick<Context, 'sessions' | 'runs'>,
  session: Omit<DoorRun, 'invocationId'>,
  messages: readonly EarlierMessage[],
): Promise<void> {
  const { accountId, appName } = session;
  const { json } = await runs.getAppGraph({ accountId, appName }, unary);
  const { root_agent: root } = JSON.parse(Buffer.from(json).toString()) as { root_agent: { name: string } };
  const events = messages.map(({ role, parts }) => toEvent(role === 'user' ? 'user' : root.name, { role, parts }));
  await sessions.createSession({ session, events }, unary).catch((error: unknown) => {
    if (!isMeshError(error) || error.reason !== 'session_exists') throw error;
  });
}

/** The sessions service fills in the id and the time. */
function toEvent(author: string, content: EarlierMessage) {
  const json = {
    author,
    content: content as unknown as ContentJson,
    actions: completeActions({}),
    nodeInfo: { path: '' },
  };
  const event = { ...json, id: '', invocationId: '', timestamp: 0 };
  return { ...toWireEvent(event), json: encodeJson({ ...event, timestamp: undefined }) };
}
