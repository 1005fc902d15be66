import { completeActions, type EventJson, type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import type { Static } from 'typebox';
import { encodeJson } from '../edge/json/json-bytes.ts';
import type { Event } from '../edge/records/event.ts';

type CheckedEvent = Static<typeof Event>;

/** First events of a session, in the form of the mesh. The sessions service sets missing ids and times. */
export function initialEvents(events: readonly CheckedEvent[] | null | undefined): WireEvent[] {
  return (events ?? []).map((event) => {
    const complete = completeEvent(event);
    const wire = toWireEvent(complete);
    if (event.timestamp !== undefined) return wire;
    // 0 is a valid time, so a missing time must be absent from the bytes.
    return { ...wire, json: encodeJson({ ...complete, timestamp: undefined }) };
  });
}

function completeEvent(event: CheckedEvent): EventJson {
  // The JSON is checked and has no null fields. Unknown keys make it wider than its static type.
  const json = event as unknown as JsonObject & Pick<EventJson, 'content' | 'partial'>;
  return {
    id: '',
    author: '',
    invocationId: '',
    timestamp: 0,
    ...json,
    actions: completeActions(json.actions as JsonObject | undefined),
    nodeInfo: { path: '', ...(json.nodeInfo as JsonObject | undefined) },
  };
}
