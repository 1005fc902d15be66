import { randomUUID } from 'node:crypto';
import { type JsonObject, withoutTemporaryKeys } from '@agentmesh/proto/event';
import type { StoredEvent } from '../store/events.ts';

/** What a user event says; JSON texts are used as they are. */
export interface UserEventContent {
  invocationId: string;
  /** The Content as JSON text; none for an event that carries state alone. */
  message: string | undefined;
  stateDelta: JsonObject;
  customMetadata: string | undefined;
  /** The message answers function calls, so no turn begins here. */
  answersCalls: boolean;
}

/** Makes the event that stores what the user said, dated now. Its text is joined, not printed: the message is not parsed. */
export function createUserEvent(content: UserEventContent): StoredEvent {
  const id = randomUUID();
  const timestamp = Date.now() / 1000;
  const { invocationId, message, customMetadata } = content;
  const delta = JSON.stringify(withoutTemporaryKeys(content.stateDelta));
  const json =
    `{"id":"${id}","author":"user","invocationId":${JSON.stringify(invocationId)},"timestamp":${timestamp}` +
    (message === undefined ? '' : `,"content":${message}`) +
    (customMetadata === undefined ? '' : `,"customMetadata":${customMetadata}`) +
    `,"actions":{"stateDelta":${delta},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}}` +
    `,"nodeInfo":{"path":""}}`;
  const turnStart = message !== undefined && !content.answersCalls;
  return { id, invocationId, author: 'user', timestamp, turnStart, json };
}
