import { type Static, Type } from 'typebox';
import { maybe, storedId } from '../../edge/records/keywords.ts';
import { noNul } from '../../edge/validation/index.ts';

/** A message of AG-UI. What it may contain depends on its role, and is checked where it is read. */
const Message = Type.Object({
  id: Type.String({ minLength: 1 }),
  role: Type.String(),
  content: Type.Optional(Type.Unknown()),
  toolCalls: maybe(
    Type.Array(Type.Object({ id: Type.String(), function: Type.Object({ name: Type.String() }) }), { maxItems: 1000 }),
  ),
  toolCallId: maybe(Type.String()),
  error: maybe(Type.String()),
});
export type Message = Static<typeof Message>;

const ResumeEntry = Type.Object({
  interruptId: Type.String({ minLength: 1 }),
  status: Type.Enum(['resolved', 'cancelled']),
  payload: Type.Optional(Type.Unknown()),
});

/** AG-UI's RunAgentInput, as far as it is read. Other fields are ignored. */
export const RunAgentInput = Type.Object({
  threadId: storedId({ minLength: 1 }),
  /** It becomes the invocation id of the run. */
  runId: Type.String({ minLength: 1, maxLength: 256, pattern: noNul }),
  parentRunId: maybe(Type.String()),
  state: Type.Optional(Type.Unknown()),
  messages: Type.Array(Message, { maxItems: 10_000 }),
  context: maybe(Type.Array(Type.Object({ description: Type.String(), value: Type.String() }), { maxItems: 1000 })),
  forwardedProps: maybe(Type.Object({ user: maybe(storedId()) })),
  resume: maybe(Type.Array(ResumeEntry, { maxItems: 100 })),
});
export type RunAgentInput = Static<typeof RunAgentInput>;
