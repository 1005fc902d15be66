import { Type } from 'typebox';
import { bytes, freeForm, keeping, maybe, storedId } from '../../edge/records/keywords.ts';
import { requestCheck } from '../../edge/validation/index.ts';
import { faultsText } from '../road/problem-text.ts';

/** A part of a message, in the forms of version 0.3 (`kind`, `file`) and of 1.0 (`raw`, `url`). */
const MessagePart = Type.Object(
  {
    text: maybe(Type.String()),
    raw: maybe(bytes()),
    url: maybe(Type.String()),
    file: maybe(
      Type.Object(
        {
          bytes: maybe(bytes()),
          uri: maybe(Type.String()),
          mimeType: maybe(Type.String()),
          name: maybe(Type.String()),
        },
        keeping,
      ),
    ),
    mediaType: maybe(Type.String()),
    filename: maybe(Type.String()),
    metadata: maybe(freeForm()),
  },
  keeping,
);

/** `user` is the end user. */
const Metadata = Type.Object({ user: maybe(storedId()) }, keeping);

const Message = Type.Object(
  {
    messageId: Type.String({ minLength: 1 }),
    parts: Type.Array(MessagePart, { minItems: 1 }),
    contextId: maybe(storedId()),
    taskId: maybe(storedId()),
    metadata: maybe(Metadata),
  },
  keeping,
);

const historyLength = maybe(Type.Integer({ minimum: 0 }));

const SendCall = Type.Object(
  {
    params: Type.Object(
      {
        message: Message,
        configuration: maybe(Type.Object({ historyLength, blocking: maybe(Type.Boolean()) }, keeping)),
        metadata: maybe(Metadata),
      },
      keeping,
    ),
  },
  keeping,
);

const TaskCall = Type.Object(
  { params: Type.Object({ id: Type.String({ minLength: 1 }), historyLength }, keeping) },
  keeping,
);

const send = { check: requestCheck(SendCall, 'body'), scope: 'runs:write' } as const;
const read = { check: requestCheck(TaskCall, 'body'), scope: 'runs:read' } as const;
const cancel = { ...read, scope: 'runs:write' } as const;

/** Methods by their names in version 0.3 of the protocol and in 1.0. */
const methods: Readonly<Record<string, typeof send | typeof read | typeof cancel>> = {
  'message/send': send,
  SendMessage: send,
  'message/stream': send,
  SendStreamingMessage: send,
  'tasks/get': read,
  GetTask: read,
  'tasks/resubscribe': read,
  SubscribeToTask: read,
  'tasks/cancel': cancel,
  CancelTask: cancel,
};

/** Scope that a call needs. */
export function scopeOfCall(body: unknown) {
  return methodOf(body)?.scope ?? 'runs:read';
}

/** The faults of the params of a call as a text; undefined for none. The protocol's library takes what is not valid for something else. */
export function faultOfCall(body: unknown): string | undefined {
  // The protocol's library parses a text once more: its params would have passed no check, and its method no scope.
  if (typeof body === 'string') return 'body: Input should be an object';
  const outcome = methodOf(body)?.check(body);
  return outcome !== undefined && 'issues' in outcome ? faultsText(outcome.issues) : undefined;
}

interface Sending {
  readonly params?: { readonly message?: { readonly parts?: readonly NullableFields[] } };
}
type NullableFields = Record<string, unknown>;

/** Leaves out the fields of parts that are null, in a call without a fault: the protocol's library reads them as objects in version 0.3. */
export function leaveOutNulls(body: unknown): void {
  if (methodOf(body) !== send) return;
  const { parts = [] } = (body as Sending).params?.message ?? {};
  const records = parts.flatMap((part) => [part, part['file'] as NullableFields | null | undefined]);
  for (const fields of records)
    for (const [name, value] of Object.entries(fields ?? {})) if (value === null) delete fields?.[name];
}

function methodOf(body: unknown) {
  const { method } = (body ?? {}) as { readonly method?: unknown };
  return typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
}
