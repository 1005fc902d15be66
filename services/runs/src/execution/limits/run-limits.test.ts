import { FunctionTool, LlmAgent } from '@google/adk';
import { expect, test } from 'vitest';
import { createAgentBench, createAppBench } from '../../../test/run-agents.ts';
import { calls, hangs, says, ScriptLlm, type ScriptStep } from '../../../test/script-llm.ts';
import { appSettingsOf, usualSettings } from '../../registry/app-settings.ts';
import { lowerLimits, type RunLimits } from './run-limits.ts';

let looks = 0;
const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => ({ seen: (looks += 1) }) });
const counted = (step: ReturnType<typeof says>) =>
  step.map((one) => ({ ...one, usageMetadata: { totalTokenCount: 60 } }));

async function run(limits: Partial<RunLimits>, ...steps: ScriptStep[]) {
  looks = 0;
  const agent = new LlmAgent({ name: 'root', model: new ScriptLlm(...steps), tools: [look] });
  const { app } = createAgentBench(agent);
  const { events, failure } = await createAppBench({ ...app, settings: { ...usualSettings, limits } }).run();
  expect(failure).toBeUndefined();
  return events.at(-1);
}

test('a run that calls more tools than it may ends as failed before it calls them', async () => {
  expect(await run({ toolCalls: 2 }, calls('look'))).toMatchObject({ author: 'root', errorCode: 'MAX_TOOL_CALLS' });
  expect(looks).toBe(2);
});

test('a run that takes more tokens than it may ends as failed, unless it is over with them', async () => {
  expect(await run({ tokens: 100 }, counted(calls('look')))).toMatchObject({ errorCode: 'MAX_RUN_TOKENS' });
  expect(looks).toBe(1);
  expect(await run({ tokens: 50 }, counted(says('done')))).not.toHaveProperty('errorCode');
});

test('a run that takes longer than it may ends as failed, whatever it waits for', async () => {
  const errorMessage = 'The run reached the limit of 0.2 seconds (RUNS_MAX_SECONDS, or run_limits of the app).';
  expect(await run({ seconds: 0.2 }, hangs)).toMatchObject({ errorCode: 'MAX_RUN_SECONDS', errorMessage });
});

test('of the limits of the app and of the settings the lower ones count', () => {
  const { limits } = appSettingsOf({ run_limits: { tokens: 10, model_calls: 50 } });
  const most = { seconds: 60, modelCalls: 25, toolCalls: Infinity, tokens: Infinity, cost: Infinity };
  expect(lowerLimits(most, limits)).toEqual({ ...most, tokens: 10 });
});
