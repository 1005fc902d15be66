import { expect, test } from 'vitest';
import { AgentRequest } from '../../src/agents/agent-record.ts';
import { type Issue, requestCheck } from '../../src/edge/validation/index.ts';
import { CreateSavedKeyRequest, UpdateSavedKeyRequest } from '../../src/keys/saved-keys/saved-key-record.ts';
import { runAgentRequest } from '../../src/runs/run-record.ts';
import { startRunRequest } from '../../src/runs/ledger/start-run-record.ts';
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

interface Unknown {
  readonly schema: object;
  readonly body: object;
  readonly name: string;
  readonly meant?: string;
}
const subscription = { schema: CreateSubscriptionRequest, body: { agent_id: 1 } };

test.each<[string, Unknown]>([
  ['a webhook of a run', { schema: startRunRequest(undefined), body: run, name: 'webook', meant: 'webhook' }],
  [
    'the address of a saved key',
    { schema: CreateSavedKeyRequest, body: key, name: 'api_base', meant: 'model_api_base' },
  ],
  ['a change of a saved key', { schema: UpdateSavedKeyRequest, body: {}, name: 'keyname', meant: 'key_name' }],
  ['an instruction', { schema: AgentRequest, body: agent, name: 'agent_instructions', meant: 'agent_instruction' }],
  ['a folder of mail', { ...subscription, name: 'resouce', meant: 'resource' }],
  ['a status of mail', { schema: UpdateSubscriptionRequest, body: {}, name: 'state', meant: 'status' }],
  ['nothing that is near', { ...subscription, name: 'colour' }],
])('an unknown field is refused with the one that was meant: %s', (_, { schema, body, name, meant }) => {
  const hint = meant === undefined ? '' : `. Did you mean '${meant}'?`;
  expect(issuesOf(schema, { ...body, [name]: 'x' })).toMatchObject([
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
