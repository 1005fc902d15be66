import { demand, isObject, parseObject } from './demand.ts';

/** The body of a request that passed the fake's checks. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Record<string, unknown>[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** The whole body of the request. */
  readonly body: Record<string, unknown>;
}

const knownKeys = new Set(
  (
    'model messages stream stream_options tools tool_choice parallel_tool_calls temperature top_p max_tokens ' +
    'max_completion_tokens stop seed presence_penalty frequency_penalty response_format user n logprobs top_logprobs ' +
    'reasoning_effort verbosity metadata store service_tier logit_bias'
  ).split(' '),
);
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Validates a body as strictly as the vendor. Throws an Error with the vendor's message. */
export function readChatRequest(text: string): ChatRequest {
  const body = parseObject(text, 'We could not parse the JSON body of your request.');
  const unknownKey = Object.keys(body).find((key) => !knownKeys.has(key));
  demand(unknownKey === undefined, `Unrecognized request argument supplied: ${unknownKey}`);
  const { model, messages, stream = false, stream_options: streamOptions } = body;
  demand(typeof model === 'string' && model !== '', 'you must provide a model parameter');
  demand(Array.isArray(messages) && messages.length > 0, "Missing required parameter: 'messages'.");
  demand(typeof stream === 'boolean', "Invalid type for 'stream': expected a boolean.");
  demand(streamOptions === undefined || stream === true, "'stream_options' is only allowed when 'stream' is enabled.");
  checkNumber(body, 'temperature', 2);
  checkNumber(body, 'top_p', 1);
  checkTools(body);
  const objects = messages.map(asMessage);
  checkConversation(objects);
  const includeUsage = isObject(streamOptions) && streamOptions['include_usage'] === true;
  return { model, messages: objects, stream, includeUsage, body };
}

function checkNumber(body: Record<string, unknown>, key: string, most: number): void {
  const value = body[key];
  const right = value === undefined || (typeof value === 'number' && value >= 0 && value <= most);
  demand(right, `Invalid '${key}': expected a number between 0 and ${most}.`);
}

function checkTools({ tools, tool_choice: choice }: Record<string, unknown>): void {
  demand(choice === undefined || tools !== undefined, "'tool_choice' is only allowed when 'tools' are specified.");
  if (tools === undefined) return;
  demand(Array.isArray(tools) && tools.length > 0, "Invalid 'tools': empty array.");
  for (const tool of tools as unknown[]) {
    const fn = isObject(tool) && tool['type'] === 'function' ? tool['function'] : undefined;
    demand(isObject(fn), "Missing required parameter: 'tools[].function'.");
    const { name, parameters } = fn;
    demand(typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name), "Invalid 'tools[].function.name'.");
    const right = parameters === undefined || (isObject(parameters) && parameters['type'] === 'object');
    demand(right, `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`);
  }
}

function asMessage(message: unknown, index: number): Record<string, unknown> {
  demand(isObject(message), `Invalid type for 'messages[${index}]': expected an object.`);
  const { role, content, tool_calls: calls } = message;
  demand(typeof role === 'string' && roles.has(role), `Invalid value: 'messages[${index}].role'.`);
  const spoken = typeof content === 'string' || (Array.isArray(content) && content.length > 0);
  const silent = role === 'assistant' && content === null && Array.isArray(calls);
  demand(spoken || silent, `Invalid value for 'content': expected a string at 'messages[${index}].content'.`);
  return message;
}

/**
 * Refuses messages unless tool messages answer every call of the assistant before any other message, and each tool message has
 * its call.
 */
function checkConversation(messages: readonly Record<string, unknown>[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message['role'] === 'tool') {
      const known = open.delete(String(message['tool_call_id']));
      demand(known, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.");
      continue;
    }
    demandAnswered(open);
    for (const id of callIds(message['tool_calls'])) open.add(id);
  }
  demandAnswered(open);
}

function demandAnswered(open: ReadonlySet<string>): void {
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  demand(open.size === 0, message);
}

function callIds(calls: unknown): string[] {
  if (calls === undefined) return [];
  demand(Array.isArray(calls) && calls.length > 0, "Invalid 'messages[].tool_calls': empty array.");
  return calls.map((call) => {
    const fn = isObject(call) && call['type'] === 'function' ? call['function'] : undefined;
    const right = isObject(fn) && typeof fn['name'] === 'string' && typeof fn['arguments'] === 'string';
    demand(right && isObject(call) && typeof call['id'] === 'string', "Invalid 'messages[].tool_calls[]'.");
    return String((call as Record<string, unknown>)['id']);
  });
}
