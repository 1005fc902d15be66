import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';
import { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import { AwaitedRunEndedSchema, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMessage } from './encode-message.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('ß'.repeat(200), 'x'.repeat(9_000)),
);
const ended = fc.record({
  accountId: text,
  invocationId: text,
  outcome: fc.nat(5),
  sessionPk: fc.oneof(fc.bigInt(-5n, 300n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  asksByMail: fc.boolean(),
});

test('the bytes are those of the library', () => {
  fc.assert(
    fc.property(ended, (fields) => {
      for (const schema of [RunEndedSchema, AwaitedRunEndedSchema]) {
        const message = create(schema, fields as object);
        expect(encodeMessage(schema, message)).toEqual(toBinary(schema, message));
      }
    }),
  );
});

test('unknown fields of a message stay, and messages with lists, messages and bytes are left to the library', () => {
  const newer = toBinary(AwaitedRunEndedSchema, create(AwaitedRunEndedSchema, { accountId: 'a', asksByMail: true }));
  expect(encodeMessage(RunEndedSchema, fromBinary(RunEndedSchema, newer))).toEqual(newer);
  const progress = create(RunProgressedSchema, { owner: 'o', run: { invocationId: 'i' }, partials: [{ id: 'p' }] });
  expect(encodeMessage(RunProgressedSchema, progress)).toEqual(toBinary(RunProgressedSchema, progress));
  const changed = create(AccountChangedSchema, { accountId: 'a' });
  expect(encodeMessage(AccountChangedSchema, changed)).toEqual(toBinary(AccountChangedSchema, changed));
});
