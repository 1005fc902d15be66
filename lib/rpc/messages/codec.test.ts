import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { file_agentmesh_auth_v1_auth as auth } from '@agentmesh/proto/auth/v1';
import { ExchangeRequestSchema, file_agentmesh_mesh_v1_calls as calls } from '@agentmesh/proto/mesh/v1';
import { file_agentmesh_runs_v1_runs as runs, RunRequestSchema, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import { EventSchema, file_agentmesh_sessions_v1_sessions as sessions } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { asBuffer, decode, encode } from './codec.ts';

type Init = MessageInitShape<DescMessage>;

const types = [auth, calls, runs, sessions].flatMap(({ messages }) =>
  messages.flatMap((type) => [type, ...type.nestedMessages]),
);
const most = 2n ** 63n - 1n;
/** Values that have bytes of several lengths, and those at the ends of what a type holds. */
const samples: Partial<Record<ScalarType, readonly unknown[]>> = {
  [ScalarType.STRING]: ['text', '', 'é', `${'a'.repeat(100)}ü😀`, 'a'.repeat(130)],
  [ScalarType.BYTES]: [new Uint8Array([1, 2]), new Uint8Array(0), new Uint8Array(130)],
  [ScalarType.BOOL]: [true, false],
  [ScalarType.INT32]: [1, 0, -1, 300, 2 ** 31 - 1, -(2 ** 31)],
  [ScalarType.UINT32]: [1, 0, 2 ** 32 - 1],
  [ScalarType.INT64]: [7n, 0n, -1n, 2n ** 33n, 2n ** 53n, most, -most - 1n],
  [ScalarType.UINT64]: [7n, 2n ** 64n - 1n],
  [ScalarType.DOUBLE]: [1.5, 0, -0, Number.NaN, -Infinity],
  [ScalarType.FLOAT]: [1.5, 0],
};

const mostSamples = 7;

describe.each(types)('$typeName', (type) => {
  test('has the bytes and the fields that protobuf-es gives it', () => {
    for (let sample = 0; sample < mostSamples; sample += 1) {
      const init = filled(type, 3, sample) as Init;
      const bytes = encode(type, init);
      expect(bytes).toStrictEqual(asBuffer(toBinary(type, create(type, init))));
      expect(encode(type, create(type, init))).toStrictEqual(bytes);
      expect(decode(type, bytes)).toStrictEqual(fromBinary(type, new Uint8Array(bytes)));
    }
  });

  test('without fields has no bytes and the same fields', () => {
    expect(encode(type, {})).toHaveLength(0);
    expect(decode(type, Buffer.alloc(0))).toStrictEqual(create(type));
    const none = Object.fromEntries(type.members.map(({ localName }) => [localName, null])) as unknown as Init;
    expect(encode(type, none)).toHaveLength(0);
  });
});

test('fields that a version does not know are handed on, in the message and in messages of it', () => {
  const inner = Buffer.concat([encode(EventSchema, { id: 'e' }), unknownField]);
  const bytes = Buffer.concat([Buffer.from([18, inner.length]), inner, unknownField]);
  const message = decode(RunResponseSchema, bytes);
  expect(message.kind).toMatchObject({ case: 'event', value: { id: 'e' } });
  expect(encode(RunResponseSchema, message)).toStrictEqual(bytes);
});

test('parts of a message that come one after the other are one', () => {
  const part = (id: string, author: string) => encode(RunResponseSchema, event({ id, author }));
  const message = decode(RunResponseSchema, Buffer.concat([part('e', ''), part('', 'a')]));
  expect(message.kind).toMatchObject({ case: 'event', value: { id: 'e', author: 'a' } });
});

test('numbers that were sent one by one are read as those that were sent together', () => {
  const type = types.find(({ fields }) => fields.some(isNumbers));
  const field = type?.fields.find(isNumbers);
  if (type === undefined || field === undefined) throw new Error('no type has a list of numbers');
  const one = [...varint(field.number << 3), 5];
  expect(decode(type, Buffer.from([...one, ...one]))).toMatchObject({ [field.localName]: [5, 5] });
});

test.each([
  ['a number that is none', ExchangeRequestSchema, { id: 1.5 }],
  ['a number that is too large', ExchangeRequestSchema, { id: 2 ** 32 }],
  ['a number that is too small', ExchangeRequestSchema, { id: -1 }],
  ['an integer of 65 bits', types.find(({ name }) => name === 'Turn') ?? EventSchema, { sessionPk: 2n ** 63n }],
  ['a text in place of bytes', EventSchema, { json: 'text' }],
])('%s is refused', (_, type, init) => {
  expect(() => encode(type, init as unknown as Init)).toThrowError(expect.objectContaining({ code: 'internal' }));
  // The next message begins anew.
  expect(encode(EventSchema, { id: 'e' })).toHaveLength(3);
});

test('bytes that are cut off, or are no text, are refused', () => {
  const whole = encode(RunRequestSchema, filled(RunRequestSchema, 3, 0) as Init);
  const refused = expect.objectContaining({ code: 'internal' });
  for (let length = 1; length < whole.length; length += 1) {
    const cut = whole.subarray(0, length);
    const expected = outcomeOf(() => fromBinary(RunRequestSchema, new Uint8Array(cut)));
    if (expected === undefined) expect(() => decode(RunRequestSchema, cut)).toThrowError(refused);
    else expect(decode(RunRequestSchema, cut)).toStrictEqual(expected);
  }
  expect(() => decode(EventSchema, Buffer.from([10, 2, 0xc3, 0x28]))).toThrowError(refused);
});

test('a text that has the character for bytes that are no text is read', () => {
  expect(decode(EventSchema, encode(EventSchema, { id: 'a\uFFFDb' })).id).toBe('a\uFFFDb');
});

test('a header with the name of the prototype is a header', () => {
  const headers = Object.fromEntries([['__proto__', 'x']]);
  const bytes = encode(ExchangeRequestSchema, { kind: { case: 'call', value: { headers } } });
  const { kind } = decode(ExchangeRequestSchema, bytes);
  expect(kind.case === 'call' && Object.entries(kind.value.headers)).toEqual([['__proto__', 'x']]);
});

test('bytes that are read are no Buffers, and those that are written are of one message alone', () => {
  const first = encode(EventSchema, { id: 'first', json: new Uint8Array([1]) });
  encode(EventSchema, { id: 'other', json: new Uint8Array([2]) });
  const { id, json } = decode(EventSchema, first);
  expect(id).toBe('first');
  expect(Buffer.isBuffer(json)).toBe(false);
  expect([...json]).toEqual([1]);
});

test.each([16_500, 70_000, 3_000_000])(
  'a message of %i bytes is read as it was written, and so is the one behind it',
  (length) => {
    const text = 'ü'.repeat(length / 2);
    const bytes = encode(RunResponseSchema, event({ id: text, author: 'a' }));
    expect(bytes.equals(toBinary(RunResponseSchema, create(RunResponseSchema, event({ id: text, author: 'a' }))))).toBe(
      true,
    );
    expect(decode(RunResponseSchema, bytes).kind).toMatchObject({ value: { id: text } });
    expect(encode(EventSchema, { id: 'e' })).toHaveLength(3);
  },
);

/** Field 1000, a text. */
const unknownField = Buffer.from([...varint((1000 << 3) | 2), 1, 97]);

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function event(value: { readonly id: string; readonly author: string }): MessageInitShape<typeof RunResponseSchema> {
  return { kind: { case: 'event', value } };
}

function isNumbers(field: DescField): boolean {
  return field.fieldKind === 'list' && field.scalar === ScalarType.INT32;
}

function outcomeOf<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Plain fields, with messages down to a depth; `sample` chooses the values. */
function filled(type: DescMessage, depth: number, sample: number): object {
  const fields = type.fields.filter(({ message }) => message === undefined || depth > 0);
  const chosen = new Map(fields.flatMap((field) => (field.oneof ? [[field.oneof, field] as const] : [])));
  const single = fields.filter(({ oneof }) => oneof === undefined);
  const entries: (readonly [string, unknown])[] = [
    ...single.map((field) => [field.localName, valueOf(field, depth, sample)] as const),
    ...[...chosen].map(
      ([{ localName }, field]) => [localName, { case: field.localName, value: valueOf(field, depth, sample) }] as const,
    ),
  ];
  return Object.fromEntries(entries);
}

function valueOf(field: DescField, depth: number, sample: number): unknown {
  const one = field.message ? filled(field.message, depth - 1, sample) : sampleOf(field, sample);
  if (field.fieldKind === 'map') return { key: one, other: one };
  return field.fieldKind === 'list' ? [one, one] : one;
}

function sampleOf({ scalar, enum: kinds }: DescField, sample: number): unknown {
  const values = kinds ? kinds.values.map(({ number }) => number) : (samples[scalar ?? ScalarType.INT32] ?? []);
  return values[sample % values.length];
}
