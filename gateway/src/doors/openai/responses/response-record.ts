import { type Static, Type } from 'typebox';
import { freeForm, maybe, storedId } from '../../../edge/records/keywords.ts';
import { noNul } from '../../../edge/validation/index.ts';
import { isFields } from '../content-parts.ts';
import { type Place, refusal } from '../refusal.ts';

/** Fields of OpenAI's responses that have an effect here, or are refused. */
export const ResponseRequest = Type.Object(
  {
    model: storedId({ minLength: 1 }),
    input: Type.Unknown(),
    instructions: maybe(Type.String()),
    previous_response_id: maybe(Type.String({ minLength: 1, pattern: noNul, maxLength: 1024 })),
    conversation: Type.Optional(Type.Unknown()),
    user: maybe(storedId()),
    safety_identifier: maybe(storedId()),
    metadata: maybe(freeForm()),
    stream: maybe(Type.Boolean()),
    background: maybe(Type.Boolean()),
    store: maybe(Type.Boolean()),
    tools: maybe(Type.Array(Type.Unknown())),
    text: maybe(freeForm()),
    prompt: Type.Optional(Type.Unknown()),
  },
  { title: 'ResponseRequest', required: ['model', 'input'] },
);
export type ResponseRequest = Static<typeof ResponseRequest>;

/** Refuses what the mesh cannot do and a client would miss. */
export function refuseUnserved({ store, tools, text, prompt }: ResponseRequest): void {
  const format = text?.['format'];
  const refused: readonly (readonly [place: Place, isRefused: boolean, message: string])[] = [
    [['store'], store === false, 'Every run is stored: a response that is not stored cannot be made.'],
    [['tools'], (tools ?? []).length > 0, 'The tools are those of the app: this cannot be set by a request.'],
    [['prompt'], (prompt ?? null) !== null, 'The instructions are those of the app: there are no templates.'],
    [['text', 'format'], isFields(format) && format['type'] !== 'text', 'The app decides on the form of its answers.'],
  ];
  for (const [place, isRefused, message] of refused) if (isRefused) throw refusal(place, message);
}

/** Id of the session that a conversation is: a text, or an object with an id. */
export function conversationOf({ conversation, previous_response_id: previous }: ResponseRequest): string | undefined {
  if (conversation === null || conversation === undefined) return undefined;
  const place = ['conversation'];
  if (previous !== undefined && previous !== null)
    throw refusal(place, 'A conversation and a previous response exclude each other.');
  const id = isFields(conversation) ? conversation['id'] : conversation;
  const isId = typeof id === 'string' && id !== '' && !id.includes('\0') && Buffer.byteLength(id) <= 512;
  if (!isId) throw refusal(place, 'The id of a conversation is a text of at most 512 bytes.');
  return id;
}
