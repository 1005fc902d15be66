import { completeActions, type EventJson, type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import type { Static } from 'typebox';
import { encodeJson } from '../edge/json/json-bytes.ts';
import type { Event } from '../edge/records/event.ts';

type CheckedEvent = Static<typeof Event>;

/** The events that a session begins with, as the mesh carries them; ids and times that are missing are left to sessions. */
export function initialEvents(events: readonly CheckedEvent[] | null | undefined): WireEvent[] {
  return (events ?? []).map((event) => {
    const complete = completeEvent(event);
    const wire = toWireEvent(complete);
    if (event.timestamp !== undefined) return wire;
    // A time of 0 is a time; one that is missing must be missing from the bytes.
    return { ...wire, json: encodeJson({ ...complete, timestamp: undefined }) };
  });
}

function completeEvent(event: CheckedEvent): EventJson {
  // Checked JSON without null fields; the keys that the contract does not know make it wider than its static type.
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
