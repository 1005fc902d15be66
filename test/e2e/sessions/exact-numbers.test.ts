import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';

// Ids of other systems are often integers that a double cannot represent. They must be returned with the same digits.

let caller: Caller;
const long = '9007199254740993';
const longer = '-123456789012345678901234567890';

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

async function textOf(method: string, path: string, body?: string): Promise<string> {
  const response = await caller.fetch(method, path, body);
  expect(response.status).toBe(200);
  return response.text();
}

test('state keeps long integers: of a new session, of a PATCH, of every scope', async () => {
  const path = '/apps/scopes/users/u1/sessions';
  const made = await textOf('POST', path, `{"sessionId":"digits","state":{"a":${long},"app:b":[${longer}]}}`);
  expect(made).toContain(`"a":${long}`);
  const patched = await textOf('PATCH', `${path}/digits`, `{"stateDelta":{"user:c":{"deep":${longer}}}}`);
  expect(patched).toContain(`"user:c":{"deep":${longer}}`);
  const listed = await textOf('GET', path);
  for (const part of [`"a":${long}`, `"app:b":[${longer}]`, `"user:c":{"deep":${longer}}`])
    expect(listed).toContain(part);
});

test('events that a session begins with keep long integers in arguments, responses, metadata and deltas', async () => {
  const call = `{"functionCall":{"name":"f","args":{"id":${long}}}}`;
  const response = `{"functionResponse":{"name":"f","response":{"ids":[${longer}]}}}`;
  const event = `{"author":"agent","timestamp":5,"content":{"role":"model","parts":[${call},${response}]},
    "customMetadata":{"m":${long}},"usageMetadata":{"totalTokenCount":${long}},"actions":{"stateDelta":{"s":${longer}}},"mine":${long}}`;
  const made = await textOf('POST', '/apps/digits/users/u2/sessions', `{"events":[${event}]}`);
  const read = await textOf('GET', sessionPath(JSON.parse(made) as SessionJson));
  expect(read).toBe(made);
  const kept = [`"id":${long}`, `"ids":[${longer}]`, `"m":${long}`, `"totalTokenCount":${long}`, `"s":${longer}`];
  for (const part of [...kept, `"mine":${long}`]) expect(read).toContain(part);
});

test('a run keeps long integers of its message, its state and its metadata', async () => {
  const session = await caller.createSession();
  const body = JSON.stringify(runBody(session, 'hi', { stateDelta: { s: 'LONG' }, customMetadata: { m: 'LONG' } }));
  const answers = await textOf('POST', '/run', body.replaceAll('"LONG"', long));
  expect(answers).toContain(`"customMetadata":{"m":${long}}`);
  const read = await textOf('GET', sessionPath(session));
  expect(read).toContain(`"state":{"s":${long}}`);
  expect(read.match(new RegExp(`"m":${long}`, 'g'))).toHaveLength(2);
});

test('an artifact keeps long integers beside its payload, and in its metadata', async () => {
  const at = '/apps/digits/users/u1/sessions/s1/artifacts';
  const part = `"partMetadata":{"id":${longer}}`;
  for (const payload of ['"text":"x"', '"inlineData":{"data":"AQID"}', '"fileData":{"fileUri":"gs://b/o"}']) {
    const body = `{"filename":"x","artifact":{${payload},${part}},"customMetadata":{"m":${long}}}`;
    expect(await textOf('POST', at, body)).toContain(`"customMetadata":{"m":${long}}`);
    expect(await textOf('GET', `${at}/x`)).toContain(part);
  }
});

test('a memory keeps long integers of the events that it remembers', async () => {
  const parts = `[{"text":"remember"},{"functionCall":{"name":"f","args":{"id":${long}}}}]`;
  const event = `{"author":"agent","content":{"role":"model","parts":${parts}},"customMetadata":{"m":${longer}}}`;
  await textOf('POST', '/apps/digits/users/u3/sessions', `{"sessionId":"s","events":[${event}]}`);
  await textOf('PATCH', '/apps/digits/users/u3/memory', '{"sessionId":"s"}');
  const found = await textOf('GET', '/apps/digits/users/u3/memory?query=remember');
  for (const kept of [`"args":{"id":${long}}`, `"customMetadata":{"m":${longer}}`]) expect(found).toContain(kept);
});

test('an error about a long integer quotes its exact digits', async () => {
  const answer = await caller.fetch('POST', '/apps/echo/users/u1/sessions', `{"state":${long}}`);
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain(
    `"loc":["body","state"],"msg":"Input should be a valid dictionary","input":${long}`,
  );
});
