import type { BaseTool } from '@google/adk/core';
import { Type } from '@google/genai';
import { BuiltInTool } from './built-in-tool.ts';

const description =
  'Asks the human a question and waits for the answer. This is a long-running operation: ' +
  'do not call it again while it is pending.';

/**
 * `request_input`: a long-running call without a result of its own, so the run waits until a function response with its
 * id arrives. It does not bear ADK's name `adk_request_input`: ADK hides exchanges of that name from the model, which
 * would then never read the answer.
 */
export function createRequestInput(): BaseTool {
  return new BuiltInTool({
    name: 'request_input',
    idempotent: true,
    description,
    isLongRunning: true,
    parameters: {
      type: Type.OBJECT,
      properties: { message: { type: Type.STRING, description: 'the question to the human' } },
      required: ['message'],
    },
    run: () => null,
  });
}

/** `get_user_choice` of ADK: the run waits until the human has chosen. */
export function createGetUserChoice(): BaseTool {
  return new BuiltInTool({
    name: 'get_user_choice',
    idempotent: true,
    description: 'Provides the options to the user and asks them to choose one.',
    isLongRunning: true,
    parameters: {
      type: Type.OBJECT,
      properties: { options: { type: Type.ARRAY, items: { type: Type.STRING } } },
      required: ['options'],
    },
    run: () => null,
  });
}
