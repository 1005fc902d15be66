import { InvalidRequest } from '../edge/errors/request-error.ts';
import { requestCheck } from '../edge/validation/index.ts';
import { CreateSession, type InitialState } from './session-record.ts';

const checkSession = requestCheck(CreateSession, 'body');
const keysOfSession = new Set(['state', 'events', 'sessionId']);

/**
 * State and events in the body of the older creation, which has the id in its path. Python's ADK server takes the whole body as the
 * state; adk-js's client sends `{"state": {…}}`. A body whose `state` is a map, beside `events` and `sessionId` at most, is the
 * second form; every other body is the state. Throws InvalidRequest for events that are not valid.
 */
export function initialContent(body: InitialState): Pick<CreateSession, 'state' | 'events'> {
  if (body === null || !isSession(body)) return { state: body };
  const outcome = checkSession(body);
  if ('issues' in outcome) throw new InvalidRequest(outcome.issues);
  return outcome.value as CreateSession;
}

function isSession(body: Readonly<Record<string, unknown>>): boolean {
  const { state } = body;
  const isMap = typeof state === 'object' && state !== null && !Array.isArray(state);
  return isMap && Object.keys(body).every((key) => keysOfSession.has(key));
}
