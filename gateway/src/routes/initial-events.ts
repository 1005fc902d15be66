import { completeActions, type EventJson, type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import type { Static } from 'typebox';
import type { Event } from '../schemas/event.ts';

/** The events that a session begins with, as the mesh carries them; ids and times that are missing are left to sessions. */
export function initialEvents(events: readonly Static<typeof Event>[] | null | undefined): WireEvent[] {
  return (events ?? []).map((event) => toWireEvent(complete(event)));
}

function complete(event: Static<typeof Event>): EventJson {
  // Checked JSON without null fields; the keys that the contract does not know make it wider than its static type.
  const json = event as unknown as JsonObject & Pick<EventJson, 'content' | 'partial'>;
  return {
    id: '',
    author: '',
    invocationId: '',
    timestamp: 0,
    ...json,
    actions: completeActions(json.actions as JsonObject | undefined),
    nodeInfo: json.nodeInfo ?? { path: '' },
  };
}
