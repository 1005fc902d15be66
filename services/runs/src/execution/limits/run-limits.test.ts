import { FunctionTool, LlmAgent } from '@google/adk/core';
import { AttemptEnd_Outcome, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { decode, encode } from '../../../test/stored-session.ts';
import { createAgentBench, createAppBench } from '../../../test/run-agents.ts';
import { calls, hangs, says, ScriptLlm, type ScriptStep } from '../../../test/script-llm.ts';
import { appSettingsOf, usualSettings } from '../../apps/definition/settings/app-settings.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import { lowerLimits } from './run-limits.ts';

let looks = 0;
const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => ({ seen: (looks += 1) }) });
const counted = (step: ReturnType<typeof says>) =>
  step.map((one) => ({ ...one, usageMetadata: { totalTokenCount: 60 } }));

async function run(limits: Partial<RunLimits>, ...steps: ScriptStep[]) {
  looks = 0;
  const agent = new LlmAgent({ name: 'root', model: new ScriptLlm(...steps), tools: [look] });
  const { app } = createAgentBench(agent);
  const { events, failure } = await createAppBench({ ...app, settings: { ...usualSettings, limits } }).run();
  const last = events.at(-1);
  expect(failure?.type).toBe(last?.['errorCode'] === undefined ? undefined : 'RunLimitReached');
  return last;
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

/** Begins a run that goes on after an answer, and had used so much before. */
async function goOn(limits: Partial<RunLimits>, used: object, ...steps: ScriptStep[]) {
  const model = new ScriptLlm(...steps);
  const bench = createAgentBench(new LlmAgent({ name: 'root', model, tools: [look] }), { limits });
  const { client, key, executor, sessions } = bench;
  const messageJson = encode({ role: 'user', parts: [{ text: 'hello' }] });
  const { turn } = await client.beginTurn({ session: key, messageJson, owner: 'me', window: 64 });
  if (turn === undefined) throw new Error('the turn is taken');
  executor.start(create(TurnSchema, { ...turn, attempt: 2, usedJson: encode(used) }));
  await executor.idle();
  return { end: sessions.run(key).end, calls: model.requests.length };
}

test.each([
  ['tokens', { tokens: 50 }, { totalTokenCount: 51 }, 'MAX_RUN_TOKENS'],
  ['calls of tools', { toolCalls: 2 }, { toolCalls: 3 }, 'MAX_TOOL_CALLS'],
  ['seconds', { seconds: 60 }, { seconds: 60.1 }, 'MAX_RUN_SECONDS'],
  ['calls of models', { modelCalls: 3 }, { modelCalls: 3 }, 'MAX_MODEL_CALLS'],
  ['dollars', { cost: 1 }, { cost: 1.1 }, 'MAX_RUN_COST'],
])('the %s of earlier attempts count: a run that had used them all ends before it calls a model', async (...row) => {
  const [, limits, used, errorCode] = row;
  const { end, calls } = await goOn(limits, used, hangs);
  expect(end).toMatchObject({ errorCode });
  // The limit of seconds ends the run in the next turn of the event loop, which may come before or behind the call.
  expect(calls).toBeLessThanOrEqual(errorCode === 'MAX_RUN_SECONDS' ? 1 : 0);
});

test('a run that goes on may use what earlier attempts have left, and reports its own use', async () => {
  const answers = [counted(calls('look')), counted(says('done'))];
  const { end } = await goOn(
    { modelCalls: 3, tokens: 150, toolCalls: 9 },
    { modelCalls: 1, totalTokenCount: 90 },
    ...answers,
  );
  expect(end).toMatchObject({ outcome: AttemptEnd_Outcome.COMPLETED });
  expect(decode(end?.usageJson ?? new Uint8Array(0))).toEqual({ modelCalls: 2, totalTokenCount: 120, toolCalls: 1 });
  expect((await goOn({ modelCalls: 2 }, { modelCalls: 1 }, ...answers)).end).toMatchObject({
    errorCode: 'MAX_MODEL_CALLS',
  });
});

test('the lower ones of the limits of the app and of the settings count', () => {
  const { limits } = appSettingsOf({ run_limits: { tokens: 10, model_calls: 50 } });
  const most = { seconds: 60, modelCalls: 25, toolCalls: Infinity, tokens: Infinity, cost: Infinity };
  expect(lowerLimits(most, limits)).toEqual({ ...most, tokens: 10 });
});
