import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from '../../caller.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from '../../fakes/microsoft/index.ts';
import { createVirtualClock, openConsentPage } from '../../fakes/upstream/index.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Part } from './part.ts';

const perSecond = 100;
const seconds = 20;
const warmUp = 100;
const address = 'ada@contoso.example';

/** Notifications of mail, 100 a second, while the model of the agent never answers. */
export const mailCallbacks: Part = {
  name: 'mail-callbacks',
  measure: async ({ say, signal }) => {
    await using microsoft = await startFakeMicrosoft(createVirtualClock());
    await using model = await startHangingModel();
    const settings = { ...microsoft.settings, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'bench' };
    await using target = await startMeshOneProcess(settings);
    microsoft.addUser(address);
    await subscribe(target, microsoft);
    microsoft.delivery = 'keep';
    for (let mail = 0; mail < warmUp + perSecond * seconds; mail += 1) microsoft.addMail(address);
    const [warm, measured] = [microsoft.kept.slice(0, warmUp), microsoft.kept.slice(warmUp)];
    for (const { url, item } of warm) await notify(url, item);
    signal.throwIfAborted();
    say(`${perSecond} notifications a second for ${seconds} s`);
    const started = performance.now();
    const waits = await Promise.all(
      measured.map(async ({ url, item }, index) => {
        await sleep(Math.max(0, started + (index * 1000) / perSecond - performance.now()), undefined, { signal });
        return notify(url, item);
      }),
    );
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
    return [
      { label: `mail callbacks, ${perSecond}/s while the model hangs, p50 in ms`, value: at(0.5) },
      { label: `mail callbacks, ${perSecond}/s while the model hangs, p99 in ms`, value: at(0.99), atMost: 50 },
    ];
  },
};

/** Posts one notification as Microsoft does, and answers the milliseconds until the answer. */
async function notify(url: string, item: object): Promise<number> {
  const started = performance.now();
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ value: [item] }) });
  await answer.arrayBuffer();
  if (answer.status !== 202) throw new Error(`a notification was answered with ${answer.status}`);
  return performance.now() - started;
}

async function subscribe({ url, token }: { url: string; token: string }, { world }: FakeMicrosoft): Promise<void> {
  const caller = new Caller(url, token);
  const path = '/api/integrations/microsoft/outlook';
  const redirectUri = `${url}/back`;
  const service = 'microsoft_outlook';
  const query = new URLSearchParams({ redirect_uri: redirectUri, service });
  const { body: page } = await caller.request<{ url: string }>('GET', `${path}/connect?${query.toString()}`);
  const consent = await openConsentPage(page.url, address);
  await caller.request('POST', `${path}/callback`, { ...consent, service, redirect_uri: redirectUri });
  const agent = {
    agent_name: 'hangs',
    agent_model: 'openai/hangs',
    agent_description: 'Waits.',
    agent_instruction: 'Wait.',
    agent_type: 'llm',
  };
  const { body } = await caller.request<{ agent_id: string }>('POST', '/api/agents', agent);
  const wanted = { provider: service, agent_id: Number(body.agent_id.slice('agent'.length)) };
  const made = await caller.request('POST', '/api/webhooks/subscriptions', wanted);
  if (made.status !== 201 || world.subscriptions.size !== 1)
    throw new Error(`not subscribed: ${JSON.stringify(made.body)}`);
}

/** Takes requests and never answers. */
async function startHangingModel(): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer((request) => void request.resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
