import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { longestPrint, mostSpans, type WorkerMessage } from '../protocol.ts';

const Id = Type.Number();
const Text = Type.String();
const Bytes = Type.Unsafe<Uint8Array>(Type.Refine(Type.Unknown(), (value) => value instanceof Uint8Array));
/** A value that ADK leaves undefined or null. */
const maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Undefined(), Type.Null()]));

const CodeErrorShape = Type.Object({ name: Text, message: Type.String({ minLength: 1 }) });
const Mistakes = Type.Array(
  Type.Object({
    file: Text,
    key: Text,
    reason: Text,
    at: Type.Optional(Type.Object({ line: Type.Number(), column: Type.Number() })),
  }),
  { minItems: 1 },
);
/** The fields of an event that this process reads. */
const EventShape = Type.Object({
  timestamp: Type.Number(),
  author: maybe(Text),
  partial: maybe(Type.Boolean()),
  errorCode: maybe(Text),
  errorMessage: maybe(Text),
  longRunningToolIds: maybe(Type.Array(Text)),
  content: maybe(Type.Object({ parts: maybe(Type.Array(Type.Object({}))) })),
  actions: Type.Object({ stateDelta: Type.Object({}) }),
});
const HostCallShape = Type.Union([
  Type.Object({
    to: Type.Literal('model'),
    model: Text,
    contents: Type.Array(Type.Object({})),
    config: Type.Object({}),
    stream: Type.Boolean(),
    mostRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  }),
  Type.Object({
    to: Type.Union([Type.Literal('artifacts'), Type.Literal('memory')]),
    method: Text,
    args: Type.Array(Type.Unknown()),
  }),
  Type.Object({
    to: Type.Literal('fetch'),
    url: Text,
    headers: Type.Record(Text, Text),
    maxBodyBytes: Type.Integer({ minimum: 0, maximum: 1_048_576 }),
  }),
  Type.Object({
    to: Type.Literal('mcp'),
    server: Type.Integer({ minimum: 0 }),
    state: Type.Object({}),
    tool: Type.Optional(
      Type.Object({
        tool: Type.Object({ name: Text, description: Text, inputSchema: Type.Object({}) }),
        args: Type.Object({}),
        idempotencyKey: Text,
      }),
    ),
  }),
  Type.Object({ to: Type.Literal('agent'), agent: Text, state: Type.Object({}), events: Type.Array(EventShape) }),
]);

const SpanShape = Type.Object({
  name: Text,
  traceId: Text,
  spanId: Text,
  parentSpanId: Type.Optional(Text),
  startTime: Type.Number(),
  endTime: Type.Number(),
  hasFailed: Type.Boolean(),
  attributes: Type.Object({}),
});

const shapes: Readonly<Record<WorkerMessage['kind'], Type.TSchema>> = {
  loaded: Type.Object({
    rootName: Text,
    description: Text,
    graphJson: Bytes,
    infoJson: Type.Optional(Bytes),
    settingsJson: Type.Optional(Bytes),
    files: Type.Array(Text),
  }),
  refused: Type.Object({ mistakes: Mistakes, files: Type.Array(Text) }),
  event: Type.Object({ run: Id, event: EventShape, waits: Type.Boolean(), last: Type.Boolean() }),
  spans: Type.Object({ run: Id, spans: Type.Array(SpanShape, { maxItems: mostSpans }) }),
  done: Type.Object({ run: Id, error: Type.Optional(CodeErrorShape) }),
  call: Type.Object({ run: Id, call: Id, request: HostCallShape }),
  drop: Type.Object({ call: Id }),
  tool: Type.Object({ run: Id, tool: Text, begun: Type.Boolean() }),
  fault: Type.Object({ run: Id, tool: Text, name: Text, message: Text, stack: Text }),
  missing: Type.Object({ run: Id, name: Type.String({ maxLength: 200 }), reason: Type.String({ maxLength: 500 }) }),
  print: Type.Object({
    run: Id,
    level: Type.Enum(['debug', 'info', 'warn', 'error']),
    text: Type.String({ maxLength: longestPrint }),
  }),
  unprinted: Type.Object({ run: Id, lines: Type.Integer({ minimum: 0, maximum: 1e9 }) }),
  pong: Type.Object({ ping: Type.Number() }),
  crash: Type.Object({ message: Text }),
};

/** Made at the first message of a kind: a run waits for each check. */
const validators = new Map<string, Validator>();

function validatorOf(kind: WorkerMessage['kind']): Validator {
  const known = validators.get(kind) ?? Compile(shapes[kind]);
  validators.set(kind, known);
  return known;
}

/** Whether a value is a message of a worker. The code of an app can send anything over the same line. */
export function isWorkerMessage(value: unknown): value is WorkerMessage {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const { kind } = value;
  return (
    typeof kind === 'string' && Object.hasOwn(shapes, kind) && validatorOf(kind as WorkerMessage['kind']).Check(value)
  );
}

const faults = {
  event: 'An agent has yielded an event that cannot be used',
  call: 'A call of the code cannot be answered',
} as const;

/** The mistake in an event or a call that the code of a run has made: that may be anything. Undefined for other messages. */
export function faultOfCode(value: unknown): { readonly run: number; readonly reason: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, run } = value as { readonly kind?: unknown; readonly run?: unknown };
  if ((kind !== 'event' && kind !== 'call') || typeof run !== 'number') return undefined;
  const [error] = validatorOf(kind).Errors(value);
  const place = error?.instancePath.replace(/^\/(event\/)?/, '').replaceAll('/', '.') ?? '';
  return { run, reason: `${faults[kind]}: ${place} ${error?.message ?? ''}` };
}
