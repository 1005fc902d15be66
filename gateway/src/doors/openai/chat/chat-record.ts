import { type Static, Type } from 'typebox';
import { freeForm, keeping, maybe, storedId } from '../../../edge/records/keywords.ts';
import { type Place, refusal } from '../refusal.ts';

const Message = Type.Object(
  {
    role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: Type.Optional(Type.Unknown()),
    tool_call_id: maybe(Type.String()),
  },
  { title: 'ChatMessage' },
);

const Metadata = Type.Object({ session_id: maybe(storedId({ minLength: 1 })) }, keeping);

/** Fields of OpenAI's chat completions that have an effect here, or are refused. */
export const ChatRequest = Type.Object(
  {
    model: storedId({ minLength: 1 }),
    messages: Type.Array(Message, { minItems: 1, maxItems: 10_000 }),
    user: maybe(storedId()),
    safety_identifier: maybe(storedId()),
    metadata: maybe(Metadata),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(Type.Object({ include_usage: maybe(Type.Boolean()) })),
    n: maybe(Type.Integer()),
    tools: maybe(Type.Array(Type.Unknown())),
    functions: maybe(Type.Array(Type.Unknown())),
    response_format: maybe(freeForm()),
    logprobs: maybe(Type.Boolean()),
    modalities: maybe(Type.Array(Type.String())),
    audio: maybe(Type.Unknown()),
    web_search_options: maybe(Type.Unknown()),
  },
  { title: 'ChatRequest' },
);
export type ChatRequest = Static<typeof ChatRequest>;

/** Refuses what the mesh cannot do and a client would miss. */
export function refuseUnserved(body: ChatRequest): void {
  const { n, tools = [], functions = [], response_format: format, logprobs, modalities } = body;
  const ownTools = 'The tools are those of the app: this cannot be set by a request.';
  const refused: readonly (readonly [field: string, isRefused: boolean, message: string])[] = [
    ['n', n !== undefined && n !== 1, 'One choice is made for each request.'],
    ['tools', (tools ?? []).length > 0, ownTools],
    ['functions', (functions ?? []).length > 0, ownTools],
    ['web_search_options', isSet(body.web_search_options), ownTools],
    ['response_format', isSet(format) && format['type'] !== 'text', 'The app decides on the form of its answers.'],
    ['logprobs', logprobs === true, 'Probabilities of tokens are not served.'],
    ['modalities', (modalities ?? []).some((one) => one !== 'text'), 'Answers are text.'],
    ['audio', isSet(body.audio), 'Answers are text.'],
  ];
  for (const [field, isRefused, message] of refused) if (isRefused) throw refusal([field] satisfies Place, message);
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
