import { type Static, Type } from 'typebox';
import { maybe, storedId } from '../../edge/records/keywords.ts';

const text = () => maybe(Type.String());

/** The fields of a part of a message that this door reads; the AI SDK's kinds of parts have more. */
const UiPart = Type.Object({
  type: Type.String(),
  text: text(),
  url: text(),
  mediaType: text(),
  toolCallId: text(),
  state: text(),
  output: Type.Optional(Type.Unknown()),
  errorText: text(),
  approval: maybe(Type.Object({ id: Type.String(), approved: maybe(Type.Boolean()), reason: text() })),
});

const UiMessage = Type.Object({ id: text(), role: Type.String(), parts: Type.Array(UiPart) });

export type UiPart = Static<typeof UiPart>;
export type UiMessage = Static<typeof UiMessage>;

/** The body that DefaultChatTransport of the AI SDK sends, with `user` of its option `body`. */
export const ChatRequest = Type.Object({
  id: storedId({ minLength: 1 }),
  messages: Type.Array(UiMessage, { minItems: 1 }),
  trigger: text(),
  messageId: text(),
  user: maybe(storedId()),
});
export type ChatRequest = Static<typeof ChatRequest>;

export const AppPath = Type.Object({ app_name: storedId() });
export const ChatPath = Type.Object({ app_name: storedId(), session_id: storedId() });

/** The transport sends what follows `?` in its address with every request. */
export const UserQuery = Type.Object({ user: maybe(storedId()) });
