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

export const CreateSession = Type.Object(
  {
    sessionId: maybe(storedId()),
    state: maybe(stateMap()),
    events: maybe(Type.Array(Event, { maxItems: 100_000 })),
    options: maybe(freeForm({ description: 'Options of ADK’s stores of sessions. They have no effect here.' })),
  },
  { title: 'CreateSessionRequest' },
);
export type CreateSession = Static<typeof CreateSession>;

export const CreateSessionRequest = Type.Union([CreateSession, Type.Null()], {
  examples: [{ sessionId: 's1', state: { topic: 'tea' } }],
});
export type CreateSessionRequest = Static<typeof CreateSessionRequest>;

/** Body of the creation with an id in the path: see `initialContent`. */
export const InitialState = Type.Union([stateMap(), Type.Null()], { examples: [{ topic: 'tea' }] });
export type InitialState = Static<typeof InitialState>;

export const PatchSessionRequest = Type.Object(
  { stateDelta: stateMap() },
  { title: 'UpdateSessionRequest', examples: [{ stateDelta: { topic: 'coffee' } }] },
);
export type PatchSessionRequest = Static<typeof PatchSessionRequest>;

/** Headers of an answer that is a session. */
export const revisionHeader = {
  ETag: {
    type: 'string',
    description: 'The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it.',
  },
};

const ifMatch =
  'Revisions (`ETag`) of which the session must be at one; else nothing is changed and the answer is 412.';

export const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String({ description: ifMatch })) }, keeping);
