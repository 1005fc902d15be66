import { startSpanWatching, watchSpan } from '@agentmesh/lib/spans';
import { createEvent } from '@google/adk/core';
import { expect, test } from 'vitest';
import { SeenRun } from '../../../test/seen-run.ts';
import { appVersion } from '../../apps/building/app-version.ts';
import { ToldAgent } from './told-agent.ts';

test('the name and the reason of missing tools are text that PostgreSQL can hold, whatever code has thrown', () => {
  const told = new ToldAgent();
  told.is(appVersion({ version: '1' }));
  told.noteMissing({ name: 'a\0b', reason: '\ud83d' });
  const unavailableTools = [{ name: 'a\ufffdb', reason: '\ufffd' }];
  expect(JSON.parse(Buffer.from(told.json ?? []).toString())).toEqual({ version: '1', unavailableTools });
});

test('the log of a run names tools that are missing once, and each model that has answered in place of another', async () => {
  using _ = startSpanWatching();
  const seen = new SeenRun();
  await watchSpan(seen, { name: 'invocation', attributes: {} }, async () => {
    const told = new ToldAgent();
    told.is(appVersion({ version: '1' }));
    for (const reason of ['It is away.', 'It is still away.']) told.noteMissing({ name: 'shelf', reason });
    const answers = [{}, { model: 'b/two', failed_models: ['a/one', 'a/other'] }, { failed_models: 'x' }];
    for (const customMetadata of answers) told.tellBy(createEvent({ customMetadata }));
    await Promise.resolve();
  });
  expect(seen.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: The tools of shelf cannot be used, so the agent runs without them: It is away.',
    'warn: The model b/two has answered in place of a/one, a/other.',
  ]);
});
