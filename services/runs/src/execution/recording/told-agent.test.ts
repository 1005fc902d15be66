import { expect, test } from 'vitest';
import { appVersion } from '../../apps/building/app-version.ts';
import { ToldAgent } from './told-agent.ts';

test('the name and the reason of missing tools are text that PostgreSQL can hold, whatever code has thrown', () => {
  const told = new ToldAgent();
  told.is(appVersion({ version: '1' }));
  told.noteMissing({ name: 'a\0b', reason: '\ud83d' });
  const unavailableTools = [{ name: 'a\ufffdb', reason: '\ufffd' }];
  expect(JSON.parse(Buffer.from(told.json ?? []).toString())).toEqual({ version: '1', unavailableTools });
});
