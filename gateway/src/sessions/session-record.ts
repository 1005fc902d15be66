import { Type, type Static } from 'typebox';
import { Event } from '../edge/records/event.ts';
import { freeForm, keeping, maybe, stateMap, storedId } from '../edge/records/keywords.ts';

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

/** Of an answer that is a session. */
export const revisionHeader = {
  ETag: {
    type: 'string',
    description: 'The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it.',
  },
};

const ifMatch =
  'Revisions (`ETag`) of which the session must be at one; else nothing is changed and the answer is 412.';

export const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String({ description: ifMatch })) }, keeping);
