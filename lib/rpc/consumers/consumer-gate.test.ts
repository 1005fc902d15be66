import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { expect, test } from 'vitest';
import { type ConsumerGrants, deriveIdentities } from '../index.ts';
import { failureOf } from '../testing/test-calls.ts';
import { testIdentities } from '../testing/test-identities.ts';
import { testMesh } from '../testing/test-mesh.ts';
import { grantFaults } from './consumer-gate.ts';

const mine = '0195f0a4-0000-7000-8000-000000000001';
const other = '0195f0a4-0000-7000-8000-000000000002';

/** A mesh whose grants are those of `orders`, and which `orders` calls. */
async function meshFor(methods: readonly string[], accounts: readonly string[] | undefined, handlers: object) {
  const audited: (string | boolean)[][] = [];
  const add = ({ method, isRefused }: { method: string; isRefused: boolean }, named: ReadonlySet<string>) =>
    void audited.push([method, isRefused, ...named]);
  const grants: ConsumerGrants = new Map([
    ['orders', { keys: [], methods: new Set(methods), accounts: accounts && new Set(accounts) }],
  ]);
  const { own, known } = deriveIdentities(['of orders'], ['orders']);
  const all = testIdentities();
  const identities = { own: new Map([...all.own, ...own]), known: new Map([...all.known, ...known]) };
  const mesh = await testMesh({
    local: false,
    clientOptions: { identities },
    serverOptions: { identities, consumers: grants, audit: { add } },
    ...handlers,
  });
  return { ...mesh, audited };
}

const served = { auth: { checkErasure: () => ({ isDeleted: true }), listAccounts: () => ({}) } };
const auth = (mesh: Awaited<ReturnType<typeof meshFor>>) => mesh.client.as('orders').client(AuthService);

test('a consumer calls the methods of its grant for its accounts, and nothing else', async () => {
  await using mesh = await meshFor(['auth.CheckErasure'], [mine], served);
  expect(await auth(mesh).checkErasure({ accountId: mine })).toMatchObject({ isDeleted: true });
  const refused = { code: 'permission_denied', reason: 'account_refused' };
  expect(await failureOf(auth(mesh).checkErasure({ accountId: other }))).toMatchObject(refused);
  expect(await failureOf(auth(mesh).checkErasure({}))).toMatchObject(refused);
  expect(await failureOf(auth(mesh).listAccounts({}))).toMatchObject({ reason: 'consumer_refused' });
  const counted = (await mesh.metrics.registry.getSingleMetric('agentmesh_consumer_calls_total')?.get())?.values;
  expect(counted?.map(({ labels, value }) => [labels['method'], labels['code'], value])).toEqual([
    ['CheckErasure', 'ok', 1],
    ['CheckErasure', 'permission_denied', 2],
    ['ListAccounts', 'permission_denied', 1],
  ]);
  expect(mesh.audited).toEqual([
    ['CheckErasure', false, mine],
    ['CheckErasure', true, other],
    ['CheckErasure', true],
    ['ListAccounts', true],
  ]);
  const lines = mesh.logged.filter(({ audit }) => audit === true);
  expect(lines.map(({ consumer, rpc, accounts, code }) => ({ consumer, rpc, accounts, code }))).toEqual([
    { consumer: 'orders', rpc: 'auth.CheckErasure', accounts: [mine], code: 'ok' },
    { consumer: 'orders', rpc: 'auth.CheckErasure', accounts: [other], code: 'permission_denied' },
    { consumer: 'orders', rpc: 'auth.CheckErasure', accounts: [], code: 'permission_denied' },
    { consumer: 'orders', rpc: 'auth.ListAccounts', accounts: [], code: 'permission_denied' },
  ]);
});

test('the account of a consumer is checked at any depth, of answers that stream and of requests that stream', async () => {
  const started: string[] = [];
  const run = async function* ({ session }: { session?: { accountId: string } }) {
    started.push(session?.accountId ?? '');
    yield {};
  };
  const saveArtifact = async (requests: AsyncIterable<unknown>) => {
    for await (const _ of requests) started.push('chunk');
    return {};
  };
  await using mesh = await meshFor(['runs.Run', 'artifacts.SaveArtifact'], [mine], {
    runs: { run },
    artifacts: { saveArtifact },
  });
  const [runs, artifacts] = [
    mesh.client.as('orders').client(RunsService),
    mesh.client.as('orders').client(ArtifactsService),
  ];
  const answersFor = async (accountId: string) => Array.fromAsync(runs.run({ session: { accountId } }));
  expect(await answersFor(mine)).toHaveLength(1);
  expect(await failureOf(answersFor(other))).toMatchObject({ reason: 'account_refused' });
  const opening = (accountId: string) => ({ kind: { case: 'opening' as const, value: { key: { accountId } } } });
  const upload = async (accountId: string) =>
    artifacts.saveArtifact(
      (async function* () {
        yield opening(accountId);
        yield { kind: { case: 'chunk' as const, value: new Uint8Array(1) } };
      })(),
    );
  await upload(mine);
  expect(await failureOf(upload(other))).toMatchObject({ reason: 'account_refused' });
  expect(started).toEqual([mine, 'chunk', 'chunk']);
});

test('a consumer of all accounts may call what names none; a service keeps its own rights beside it', async () => {
  await using mesh = await meshFor(['auth.ListAccounts'], undefined, served);
  expect(await auth(mesh).listAccounts({})).toBeDefined();
  expect(await mesh.client.as('gateway').client(AuthService).listAccounts({})).toBeDefined();
  expect(await failureOf(mesh.client.as('gateway').client(AuthService).checkErasure({}))).toMatchObject({
    reason: 'caller_refused',
  });
});

test('a grant for a method that is not there, or that names no account, is a fault', () => {
  const methods = new Set(['auth.CheckErasure', 'auth.Nothing', 'auth.SignUp', 'keys.ElsewhereAnyway']);
  const grants = new Map([['orders', { keys: [], methods, accounts: new Set([mine]) }]]);
  expect(grantFaults(grants, [AuthService])).toEqual([
    'orders: there is no auth.Nothing',
    'orders: a request of auth.SignUp names no account, so its accounts have to be ["*"]',
  ]);
});
