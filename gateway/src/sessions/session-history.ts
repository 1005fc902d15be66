import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import { exclusive } from '../edge/errors/request-error.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { storedId, strict } from '../edge/records/keywords.ts';
import { SessionPath } from '../edge/records/path.ts';
import { sessionKeyOf } from '../edge/records/session-key.ts';
import { noNul } from '../edge/validation/index.ts';
import { sendChangedSession } from './send-session.ts';
import { revisionHeader, Session } from './session-record.ts';
import { writes } from './session-family.ts';

const one = '/apps/:app_name/users/:user_id/sessions/:session_id';
const exampleId = 'e-00000000-0000-4000-8000-000000000000';

/** Id of an event or of an invocation. */
const eventId = (options: object) => Type.String({ minLength: 1, maxLength: 256, pattern: noNul, ...options });

const RewindRequest = Type.Object(
  {
    rewindBeforeInvocationId: eventId({
      description: 'Everything from the first event of this invocation on is rewound.',
    }),
  },
  { title: 'RewindRequest', ...strict, examples: [{ rewindBeforeInvocationId: exampleId }] },
);

const ForkRequest = Type.Object(
  {
    eventId: Type.Optional(eventId({ description: 'The last event of the copy.' })),
    invocationId: Type.Optional(eventId({ description: 'Its last event is the last event of the copy.' })),
    sessionId: Type.Optional(storedId({ description: 'Id of the copy; random if absent.' })),
  },
  {
    title: 'ForkRequest',
    ...strict,
    description: 'Either `eventId` or `invocationId` is required.',
    examples: [{ invocationId: exampleId, sessionId: 's1-copy' }],
    'x-one-of': ['eventId', 'invocationId'],
  },
);

/** Copying 100,000 events takes seconds. */
const patient = { timeoutMs: 60_000 };

/** Rewinds and copies sessions. */
export function sessionHistoryRoutes(app: App, context: Context): void {
  addRewind(app, context);
  addFork(app, context);
}

function addRewind(app: App, { sessions, authentication }: Context): void {
  app.post(
    `${one}/rewind`,
    writes(authentication, {
      operationId: 'rewindSession',
      summary: 'Rewind a session before an invocation',
      description:
        'As ADK means it: an event with `actions.rewindBeforeInvocationId` gives the session the state and the artifacts that it had before. Models see nothing of what is ' +
        'rewound; its events stay in the session, and artifacts keep all versions. State and artifacts of the user and the app stay as they are. Rewinding before an invocation ' +
        'that is rewound itself brings back what was before it. Runs that wait since then are cancelled; 409 while a run is running or queued.',
      headers: IdempotencyKey,
      params: SessionPath,
      body: RewindRequest,
      response: { 200: { ...Session, headers: revisionHeader } },
      refusals: [404, 409],
    }),
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const { rewindBeforeInvocationId: beforeInvocationId } = request.body;
      const call = keyedCall(request, reply, patient.timeoutMs);
      markReplayed(reply, await sessions.rewindSession({ session, beforeInvocationId }, call));
      return sendChangedSession(reply, sessions, session);
    },
  );
}

function addFork(app: App, { sessions, authentication }: Context): void {
  app.post(
    `${one}/fork`,
    writes(authentication, {
      operationId: 'forkSession',
      summary: 'Copy a session up to an event',
      description:
        'Makes a session of the same app and user with the events up to and with that one, and the state and artifacts as of that event. Events and artifacts keep their ids and ' +
        'versions. The session itself does not change, and may be written to meanwhile. Runs are not copied. ' +
        'Artifacts outlive a deleted session: 409 `artifact_exists` for its id where it has left another artifact of the same name.',
      headers: IdempotencyKey,
      params: SessionPath,
      body: ForkRequest,
      response: { 200: { ...Session, headers: revisionHeader } },
      refusals: [404, 409],
    }),
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const { eventId: event = '', invocationId = '', sessionId: newSessionId = '' } = request.body;
      if (event !== '' && invocationId !== '') throw exclusive('eventId', 'invocationId');
      const asked = { session, eventId: event, invocationId, newSessionId };
      const { sessionId, already } = await sessions.forkSession(asked, keyedCall(request, reply, patient.timeoutMs));
      markReplayed(reply, { already });
      return sendChangedSession(reply, sessions, { ...session, sessionId });
    },
  );
}
