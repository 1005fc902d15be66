import {
  AUTH_PREPROCESSOR,
  BaseLlmRequestProcessor,
  type Event,
  getFunctionResponses,
  type InvocationContext,
  type LlmRequest,
} from '@google/adk/core';

const callName = 'adk_request_credential';

interface OAuth2Response {
  readonly exchangedAuthCredential?: { readonly oauth2?: Readonly<Record<string, unknown>> };
}

/**
 * Calls a tool again whose request for a credential the user's message answers. ADK 2.0.0 does that itself, but takes only answers with
 * an OAuth code. Consent to a connector of agent identity leaves none: its token is stored elsewhere, and the client sends the
 * request back as it was. ADK is shown such an answer as one with a response.
 */
export class CredentialAnswers extends BaseLlmRequestProcessor {
  override async *runAsync(context: InvocationContext, _request: LlmRequest): AsyncGenerator<Event, void, void> {
    const { events } = context.session;
    const last = events.at(-1);
    if (last === undefined || !getFunctionResponses(last).some(({ name }) => name === callName)) return;
    const shown = [...events.slice(0, -1), answered(last)];
    const session = Object.create(context.session, { events: { value: shown } }) as InvocationContext['session'];
    const seen = Object.create(context, { session: { value: session } }) as InvocationContext;
    yield* AUTH_PREPROCESSOR.runAsync(seen);
  }
}

/** A copy of the event: events are shared with the turns to come. */
function answered(event: Event): Event {
  const parts = event.content?.parts?.map((part) => {
    const { functionResponse } = part;
    if (functionResponse?.name !== callName) return part;
    const { id, name, response = {} } = functionResponse;
    return { functionResponse: { ...(id !== undefined && { id }), name, response: withResponse(response) } };
  });
  return { ...event, content: { ...event.content, ...(parts && { parts }) } };
}

function withResponse(response: Record<string, unknown> & OAuth2Response): Record<string, unknown> {
  const { exchangedAuthCredential: credential } = response;
  if (credential?.oauth2 === undefined || 'authCode' in credential.oauth2) return response;
  const oauth2 = { authResponseUri: 'consented', ...credential.oauth2 };
  return { ...response, exchangedAuthCredential: { ...credential, oauth2 } };
}
