import { randomUUID } from 'node:crypto';
import { type JsonObject, withoutTemporaryKeys } from '@agentmesh/proto/event';
import type { StoredEvent } from '../store/events/events.ts';

/** Content of a user event. JSON texts are stored as they are. */
export interface UserEventContent {
  invocationId: string;
  /** The message (a Content) as JSON text; undefined for an event that only changes state. */
  message: string | undefined;
  stateDelta: JsonObject;
  customMetadata: string | undefined;
  /** The message answers function calls, so it does not start a user turn. */
  answersCalls: boolean;
}

/** Creates an event of the user with the current time. Its JSON is joined from texts, so that the message need not be parsed. */
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
