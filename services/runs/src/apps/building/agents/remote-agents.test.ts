import { createAddressPolicy } from '@agentmesh/lib/outbound';
import { expect, test } from 'vitest';
import { log } from '../../../../test/run-agents.ts';
import { createRemoteAgents } from './remote-agents.ts';

const deps = { openRemote: () => Promise.reject(new Error('no network')), openKey: () => Promise.resolve(''), log };
const agents = createRemoteAgents(deps, { policy: createAddressPolicy([]), isTrusted: true });
const definition = {
  name: 'far',
  agent_class: 'RemoteA2aAgent',
  agent_card: 'https://a.example.com/card.json',
} as const;

test.each([
  [{}, []],
  [{ agent_card: './card.json' }, ['agent_card']],
  [{ agent_card: 'http://a.example.com/card.json' }, ['agent_card']],
  [{ agent_card: 'https://192.168.0.1/card.json' }, ['agent_card']],
  [{ headers: { 'a b': 'c' } }, ['headers.a b']],
  [{ state_header_mapping: { a: 'Host' } }, ['state_header_mapping.a']],
  [{ api_key: 'sk-1' }, ['api_key']],
])('a remote agent that says %j has mistakes at %j', (over, places) => {
  expect(agents.check({ ...definition, ...over }).map(({ path }) => path.join('.'))).toEqual(places);
});
