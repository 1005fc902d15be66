import { Type, type Static } from 'typebox';
import { Event } from './event.ts';
import { freeForm, maybe, stateMap, storedId } from './keywords.ts';

export const Session = Type.Object(
  {
    id: Type.String(),
    appName: Type.String(),
    userId: Type.String(),
    state: Type.Optional(freeForm()),
    events: Type.Optional(Type.Array(Event)),
    lastUpdateTime: Type.Optional(Type.Number({ default: 0 })),
  },
  { additionalProperties: false, title: 'Session' },
);

const CreateSession = Type.Object(
  {
    sessionId: maybe(storedId()),
    state: maybe(stateMap()),
    events: maybe(Type.Array(Event, { maxItems: 100_000 })),
  },
  { title: 'CreateSessionRequest' },
);

export const CreateSessionRequest = Type.Union([CreateSession, Type.Null()]);
export type CreateSessionRequest = Static<typeof CreateSessionRequest>;

/** The body of the deprecated creation with an id: the whole object is the state. */
export const InitialState = Type.Union([stateMap(), Type.Null()]);
export type InitialState = Static<typeof InitialState>;

export const PatchSessionRequest = Type.Object({ stateDelta: stateMap() }, { title: 'UpdateSessionRequest' });
export type PatchSessionRequest = Static<typeof PatchSessionRequest>;
