import type { FakeCompletion, FakeToolCall } from './openai-answer.ts';

const created = 1_700_000_000;
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** Options of the request that change the format of the answer. */
export interface CompletionRequest {
  readonly model: string;
  readonly includeUsage: boolean;
}

/** The body of an answer that is not streamed. */
export function completionBody(answer: FakeCompletion, { model }: CompletionRequest): string {
  const toolCalls = answer.toolCalls ?? [];
  const text = piecesOf(answer).join('');
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toToolCall) }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }];
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created, model, choices, usage });
}

/** The frames of a streamed answer, in the vendor's order, `[DONE]` last. */
export function completionFrames(answer: FakeCompletion, request: CompletionRequest): string[] {
  const deltas: object[] = [
    { role: 'assistant', content: '', refusal: null },
    ...(answer.reasoning === undefined ? [] : [{ reasoning_content: answer.reasoning }]),
    ...piecesOf(answer).map((content) => ({ content })),
    ...(answer.toolCalls ?? []).flatMap(toToolCallDeltas),
  ];
  const chunks = [
    ...deltas.map((delta) => [{ index: 0, delta, logprobs: null, finish_reason: null }]),
    [{ index: 0, delta: {}, logprobs: null, finish_reason: finishReasonOf(answer) }],
  ].map((choices) => ({ choices, ...(request.includeUsage ? { usage: null } : {}) }));
  const last = request.includeUsage ? [{ choices: [], usage }] : [];
  return [...chunks, ...last].map((chunk) => frame(chunk, request.model)).concat('data: [DONE]\n\n');
}

function frame(chunk: object, model: string): string {
  const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created, model };
  return `data: ${JSON.stringify({ ...envelope, ...chunk })}\n\n`;
}

function piecesOf({ text = '' }: FakeCompletion): readonly string[] {
  if (typeof text !== 'string') return text;
  return text === '' ? [] : [text];
}

function finishReasonOf({ finishReason, toolCalls = [] }: FakeCompletion): string {
  return finishReason ?? (toolCalls.length === 0 ? 'stop' : 'tool_calls');
}

function toToolCall({ id, name, arguments: args }: FakeToolCall): object {
  return { id, type: 'function', function: { name, arguments: args } };
}

/** The chunks of a tool call: the first has id, name and empty arguments; the others have the index and a piece of the arguments. */
function toToolCallDeltas(call: FakeToolCall, index: number): object[] {
  const half = Math.ceil(call.arguments.length / 2);
  const fragments = [call.arguments.slice(0, half), call.arguments.slice(half)].filter((fragment) => fragment !== '');
  return [
    { tool_calls: [{ index, ...toToolCall({ ...call, arguments: '' }) }] },
    ...fragments.map((fragment) => ({ tool_calls: [{ index, function: { arguments: fragment } }] })),
  ];
}
