import { describe, expect, it } from 'vitest';
import { addresses, complaint, secrets, words } from './deployed-settings.ts';
import { byWord, envOf, helm, podsOf, render, template } from './programs/rendered-chart.ts';

const account = '0195f0a4-0000-7000-8000-000000000001';
const keys = ['A'.repeat(43)];
const from = [{ podSelector: { matchLabels: { app: 'orders' } } }];
const orders = { keys, methods: ['sessions.GetSession', 'memory.SearchMemory'], accounts: [account], from };
const deployed = (values: unknown) => (helm === undefined ? [] : render(values));

describe.skipIf(helm === undefined)('consumers of a deployment', () => {
  it('are known to the services that they call, each with its own methods, and to no others', async () => {
    const pods = podsOf(deployed({ consumers: { orders } }));
    const known = words.flatMap((word) => {
      const { MESH_CONSUMERS: text } = envOf(pods.get(word));
      return text === undefined ? [] : [[word, JSON.parse(text)]];
    });
    const grant = { keys, accounts: [account] };
    expect(Object.fromEntries(known)).toEqual({
      memory: { orders: { ...grant, methods: ['memory.SearchMemory'] } },
      sessions: { orders: { ...grant, methods: ['sessions.GetSession'] } },
    });
    const { MESH_CONSUMERS = '' } = envOf(pods.get('sessions'));
    const identity = {
      ...addresses,
      MESH_IDENTITY: secrets['SESSIONS_MESH_IDENTITY'] ?? '',
      MESH_IDENTITIES: secrets['MESH_IDENTITIES'] ?? '',
    };
    expect(await complaint(['sessions'], { ...identity, MESH_CONSUMERS })).toBe('');
    const asService = MESH_CONSUMERS.replace('orders', 'gateway');
    expect(await complaint(['sessions'], { ...identity, MESH_CONSUMERS: asService })).toContain(
      'as a service: gateway',
    );
  });

  it('may connect to these services, and to no others', () => {
    const policies = byWord(deployed({ consumers: { orders } }), 'NetworkPolicy');
    const open = words.filter((word) => JSON.stringify(policies.get(word)?.spec.ingress).includes('"app":"orders"'));
    expect(open).toEqual(['memory', 'sessions']);
  });

  it('have methods and accounts: values without them are refused', () => {
    for (const wrong of [{ ...orders, accounts: ['everybody'] }, { ...orders, methods: ['GetSession'] }, { keys }])
      expect(template([], { consumers: { orders: wrong } }).ok).toBe(false);
  });

  it('find the services described where the values say so', () => {
    const pods = podsOf(deployed({ reflection: true }));
    expect(words.filter((word) => envOf(pods.get(word)).MESH_REFLECTION === 'true')).toEqual(
      words.filter((word) => word !== 'gateway'),
    );
  });
});
