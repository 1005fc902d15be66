import { expect, test } from 'vitest';
import { AgentRequest } from '../../src/agents/agent-record.ts';
import { type Issue, requestCheck } from '../../src/edge/validation/index.ts';
import { CreateSavedKeyRequest, UpdateSavedKeyRequest } from '../../src/keys/saved-keys/saved-key-record.ts';
import { runAgentRequest, startRunRequest } from '../../src/runs/run-record.ts';
import {
  CreateSubscriptionRequest,
  UpdateSubscriptionRequest,
} from '../../src/webhooks/subscriptions/subscription-record.ts';

const newMessage = { role: 'user', parts: [{ text: 'Hello' }] };
const run = { appName: 'echo', userId: 'u', sessionId: 's', newMessage };
const key = { key_name: 'Work', provider: 'openai', api_key_value: 'sk-the-key-itself' };
const agent = {
  agent_name: 'poet',
  agent_model: 'echo/echo',
  agent_description: 'd',
  agent_instruction: 'i',
  agent_type: 'llm',
};

function issuesOf(schema: object, body: object): readonly Issue[] {
  const outcome = requestCheck(schema, 'body')(body);
  return 'issues' in outcome ? outcome.issues : [];
}

test.each<[string, object, object, string, string | undefined]>([
  [
    'a webhook of a run',
    startRunRequest(undefined),
    { ...run, webook: { url: 'https://example.com' } },
    'webook',
    'webhook',
  ],
  [
    'the address of a saved key',
    CreateSavedKeyRequest,
    { ...key, api_base: 'https://example.com' },
    'api_base',
    'model_api_base',
  ],
  ['a change of a saved key', UpdateSavedKeyRequest, { keyname: 'x' }, 'keyname', 'key_name'],
  ['an instruction', AgentRequest, { ...agent, agent_instructions: 'i' }, 'agent_instructions', 'agent_instruction'],
  ['a folder of mail', CreateSubscriptionRequest, { agent_id: 1, resouce: 'x' }, 'resouce', 'resource'],
  ['a status of mail', UpdateSubscriptionRequest, { state: 'disabled' }, 'state', 'status'],
  ['nothing that is near', CreateSubscriptionRequest, { agent_id: 1, colour: 'red' }, 'colour', undefined],
])('an unknown field is refused with the one that was meant: %s', (_, schema, body, name, meant) => {
  const hint = meant === undefined ? '' : `. Did you mean '${meant}'?`;
  expect(issuesOf(schema, body)).toMatchObject([
    { type: 'extra_forbidden', loc: ['body', name], msg: `Extra inputs are not permitted${hint}` },
  ]);
});

test('an address of a model that is misspelt is refused, and other parameters pass', () => {
  const withParams = (params: object) => issuesOf(AgentRequest, { ...agent, agent_model_params: params });
  expect(withParams({ temperature: 0.2, top_p: 1 })).toEqual([]);
  const loc = ['body', 'agent_model_params', 'api_base'];
  const msg = "Extra inputs are not permitted. Did you mean 'model_api_base'?";
  expect(withParams({ api_base: 'https://example.com' })).toMatchObject([{ loc, msg }]);
});

test('a key in an unknown field is not shown in the answer', () => {
  const issues = issuesOf(CreateSavedKeyRequest, { ...key, apikey_valeu: 'sk-another-key' });
  expect(issues).toHaveLength(1);
  expect(JSON.stringify(issues)).not.toContain('sk-another-key');
});

test('the record of an agent or a saved key can be sent back as it was answered', () => {
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const owned = {
    ...agent,
    ...times,
    agent_id: 1,
    owner_id: 'a@b.c',
    organization_id: 'b.c',
    status: 'active',
    version: 2,
  };
  expect(issuesOf(AgentRequest, { ...owned, model_api_key: '' })).toEqual([]);
  expect(issuesOf(UpdateSavedKeyRequest, { ...key, ...times, status: 'active', last_four: 'self' })).toEqual([]);
});

test('bodies of ADK’s own routes stay open', () => {
  expect(issuesOf(runAgentRequest(undefined), { ...run, transferReason: 'x', options: {} })).toEqual([]);
});
