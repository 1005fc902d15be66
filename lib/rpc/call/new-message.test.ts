import { create, type DescField, type DescMessage, type MessageInitShape, ScalarType } from '@bufbuild/protobuf';
import { file_agentmesh_runs_v1_runs as runs } from '@agentmesh/proto/runs/v1';
import { file_agentmesh_sessions_v1_sessions as sessions } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { newMessage } from './new-message.ts';

type Init = MessageInitShape<DescMessage>;

const types = [runs, sessions].flatMap(({ messages }) => messages.flatMap((type) => [type, ...type.nestedMessages]));

test.each(types)('an empty $typeName is the same as one of protobuf-es', (type) => {
  expect(newMessage(type, {})).toStrictEqual(create(type));
});

test.each(types)('a $typeName with a value in each field is the same as one of protobuf-es', (type) => {
  const init = filled(type, 3) as Init;
  expect(newMessage(type, init)).toStrictEqual(create(type, init));
});

test('fields that are undefined or null are absent, and a message is handed on as it is', () => {
  const [type] = types;
  if (type === undefined) throw new Error('no type');
  const none = Object.fromEntries(type.fields.map(({ localName }) => [localName, undefined])) as unknown as Init;
  expect(newMessage(type, none)).toStrictEqual(create(type));
  const message = create(type);
  expect(newMessage(type, message)).toBe(message);
});

/** Plain fields, with messages down to a depth. */
function filled(type: DescMessage, depth: number): object {
  const fields = type.fields.filter(({ message }) => message === undefined || depth > 0);
  const single = fields.filter(({ oneof }) => oneof === undefined);
  const chosen = fields.filter(({ oneof }) => oneof !== undefined);
  const entries: (readonly [string, unknown])[] = [
    ...single.map((field) => [field.localName, valueOf(field, depth)] as const),
    ...chosen.map(
      (field) => [field.oneof?.localName ?? '', { case: field.localName, value: valueOf(field, depth) }] as const,
    ),
  ];
  return Object.fromEntries(entries);
}

function valueOf(field: DescField, depth: number): unknown {
  const one = field.message ? filled(field.message, depth - 1) : scalarOf(field);
  return field.fieldKind === 'list' ? [one, one] : field.fieldKind === 'map' ? { key: one } : one;
}

function scalarOf({ scalar }: DescField): unknown {
  if (scalar === ScalarType.STRING) return 'text';
  if (scalar === ScalarType.BYTES) return new Uint8Array([1, 2]);
  if (scalar === ScalarType.BOOL) return true;
  return scalar === ScalarType.INT64 || scalar === ScalarType.UINT64 ? 7n : 1;
}
