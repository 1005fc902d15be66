import type { ContentJson, JsonObject } from '@agentmesh/proto/event';
import { textOf } from '../apps/turns/events/event-json.ts';
import { messageInvalid } from '../errors.ts';

/** Most function calls that a message answers. */
export const mostResponses = 100;

/**
 * Checks a user's message and names the function calls that it answers. Throws MeshError `message_invalid` with the texts of
 * ADK's API server. An empty text stands for no message, and is not checked.
 */
export function checkMessage(messageJson: Uint8Array): string[] {
  if (messageJson.length === 0) return [];
  const parts = readParts(messageJson);
  if (parts.length === 0) throw messageInvalid('No parts in the new_message.');
  if (parts.some((part) => isMap(part.functionCall))) {
    throw messageInvalid('User message cannot contain function calls.');
  }
  const responses = parts.flatMap(({ functionResponse }) => (isMap(functionResponse) ? [functionResponse] : []));
  if (responses.length > 0 && parts.some((part) => typeof part.text === 'string')) {
    throw messageInvalid(
      'Message cannot contain both function responses and text. Send them in messages of their own.',
    );
  }
  // Each of them is searched for in the session.
  if (responses.length > mostResponses)
    throw messageInvalid(`A message answers at most ${mostResponses} function calls.`);
  for (const response of responses) checkConfirmation(response);
  return responses.map(({ id }) => {
    if (typeof id === 'string' && id !== '') return id;
    throw messageInvalid('Function call not found for function response ids: none was given.');
  });
}

/** ADK's web UI sends the answer to a request for approval as JSON in a text; ADK would throw at any other text. */
function checkConfirmation({ name, response }: JsonObject): void {
  if (name !== 'adk_request_confirmation' || !isMap(response) || !('response' in response)) return;
  if (Object.keys(response).length > 1 || isMapText(response['response'])) return;
  const message = 'The response of adk_request_confirmation must be {"confirmed": true} or {"confirmed": false}.';
  throw messageInvalid(message);
}

function isMapText(text: unknown): boolean {
  try {
    return typeof text === 'string' && isMap(JSON.parse(text));
  } catch {
    return false;
  }
}

function readParts(messageJson: Uint8Array): JsonObject[] {
  try {
    const content = JSON.parse(textOf(messageJson)) as ContentJson;
    return (content.parts ?? []).filter(isMap);
  } catch {
    throw messageInvalid('The new_message is not JSON.');
  }
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
