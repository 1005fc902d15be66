import { type LedgerRun, LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { finishReasonOf, problemOfRun, usageOf } from './run-end.ts';

const runOf = (fields: MessageInitShape<typeof LedgerRunSchema>): LedgerRun => create(LedgerRunSchema, fields);
const failed = (errorCode: string) => runOf({ status: RunStatus.FAILED, errorCode, errorMessage: 'why' });

test('an answer that its model ended early has the reason, and another failure has none', () => {
  const codes = ['MAX_TOKENS', 'SAFETY', 'MODEL_DOWN', ''];
  expect(codes.map((code) => finishReasonOf(failed(code)))).toEqual(['length', 'content_filter', undefined, undefined]);
  const ends = [RunStatus.COMPLETED, RunStatus.WAITING, RunStatus.CANCELLED, RunStatus.INTERRUPTED];
  expect(ends.map((status) => finishReasonOf(runOf({ status })))).toEqual(['stop', 'tool_calls', undefined, undefined]);
});

test('a run that failed or was stopped is an error that clients do not repeat', () => {
  const problems = [failed('X'), runOf({ status: RunStatus.CANCELLED })].map(problemOfRun);
  expect(problems).toMatchObject([
    { status: 500, headers: { 'x-should-retry': 'false' }, body: { error: { message: 'why', code: 'X' } } },
    { status: 409, headers: { 'x-should-retry': 'false' }, body: { error: { code: 'run_cancelled' } } },
  ]);
});

test('thoughts count as output, and a run without model calls has no tokens', () => {
  const counts = { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 3, cachedContentTokenCount: 4 };
  const usageJson = new TextEncoder().encode(JSON.stringify(counts));
  expect(usageOf(runOf({ usageJson }))).toEqual({ input: 7, output: 5, total: 12, reasoning: 3, cached: 4 });
  expect(usageOf(runOf({}))).toEqual({ input: 0, output: 0, total: 0, reasoning: 0, cached: 0 });
});
