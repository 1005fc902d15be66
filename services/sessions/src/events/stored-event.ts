import { randomUUID } from 'node:crypto';
import { completeActions, type EventJson, type JsonObject, withoutTemporaryKeys } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Event } from '@agentmesh/proto/sessions/v1';
import { invalid } from '../errors.ts';
import { textOf } from '../json-bytes.ts';
import type { StoredEvent } from '../store/events/events.ts';
import { credentialNonces } from './credential-nonces.ts';

/**
 * An event of a running attempt. Its JSON is stored unchanged. These are the only events whose nonces are stored, unless the user is their
 * author: clients write the other events, and could make up a request for a credential in them.
 */
export function fromAttempt(event: Event): StoredEvent {
  if (event.partial) throw invalid('A partial event is never stored.');
  if (event.id === '' || event.author === '') throw invalid('An event needs an id and an author.');
  const { id, invocationId, author, timestamp } = event;
  const json = textOf(event.json);
  const nonces = author === 'user' ? undefined : credentialNonces(json);
  return { id, invocationId, author, timestamp, turnStart: false, json, nonces };
}

/**
 * An event that a session is created with. A missing id or timestamp is filled in, and `temp:` keys are removed. Undefined for a partial
 * event, which is never stored.
 */
export function fromImport(event: Event): { stored: StoredEvent; delta: JsonObject } | undefined {
  if (event.partial) return undefined;
  const given = parseExactly(textOf(event.json)) as Partial<EventJson>;
  const id = event.id === '' ? randomUUID() : event.id;
  const timestamp = typeof given.timestamp === 'number' ? given.timestamp : Date.now() / 1000;
  const actions = completeActions(given.actions as JsonObject | undefined);
  const delta = withoutTemporaryKeys(actions.stateDelta);
  const { author, invocationId } = event;
  const json = JSON.stringify({
    ...given,
    id,
    author,
    invocationId,
    timestamp,
    actions: { ...actions, stateDelta: delta },
  });
  return { stored: { id, invocationId, author, timestamp, turnStart: startsTurn(given), json }, delta };
}

function startsTurn(event: Partial<EventJson>): boolean {
  const parts = event.content?.parts;
  return (
    event.author === 'user' &&
    Array.isArray(parts) &&
    parts.length > 0 &&
    !parts.some((part) => 'functionResponse' in part)
  );
}
