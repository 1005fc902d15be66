import { create } from '@bufbuild/protobuf';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { createTeller } from '../../road/pieces.ts';
import { ResponseEvents } from './response-events.ts';

const frameOf = (text: string, partial: boolean) => {
  const event = { author: 'a', partial, content: { parts: [{ text }] } };
  return { json: Buffer.from(JSON.stringify(event)) };
};

test('the last event of a response has what its run has stored, and not the words of an executor that died', () => {
  const teller = createTeller();
  const events = new ResponseEvents('resp_1');
  const run = create(LedgerRunSchema, { invocationId: '1', status: RunStatus.COMPLETED, endTime: 1 });
  const told = [frameOf('Hello wor', true), frameOf('Good day', false)]
    .flatMap((frame) => teller.add(frame))
    .flatMap((piece) => events.add(piece));
  const dones = told.filter(({ type }) => type === 'response.output_item.done');
  expect(dones).toMatchObject([{ item: { status: 'incomplete' } }, { item: { status: 'completed' } }]);
  const output = [{ status: 'completed', content: [{ text: 'Good day' }] }];
  expect(events.end({ run, calls: [] }).at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
  expect(events.output).toMatchObject(output);
});
