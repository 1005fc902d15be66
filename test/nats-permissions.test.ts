import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBus, openDriver } from '@agentmesh/lib/bus';
import { findNatsServer, type TestNats } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import { AwaitedRunEndedSchema, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, run } from './deployed-settings.ts';
import { passwordOf, startDeployedNats } from './nats.ts';

const server = await findNatsServer();
const resources = new AsyncDisposableStack();
const lines: string[] = [];
let nats: TestNats;

const destination = { write: (line: string) => void lines.push(line) };
const log = createLogger({ level: 'error', name: 'nats', destination });

async function busOf(user: string) {
  const how = { servers: [nats.url], user, password: passwordOf(user), inboxPrefix: `_INBOX.${user}`, name: user };
  const driver = resources.use(await openDriver({ nats: how, databaseUrl: '', log }));
  return createBus({ driver, service: user, log, pausesMs: [10] });
}

test('deploy/nats says what the topics declare', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-nats-'));
  expect(run(process.execPath, ['scripts/render-nats.ts', folder])).toMatchObject({ ok: true });
  for (const name of ['server.conf', 'chart-values.yaml']) {
    const present = readFileSync(join(root, 'deploy', 'nats', name), 'utf8');
    expect(present, 'run: npm run generate').toBe(readFileSync(join(folder, name), 'utf8'));
  }
  rmSync(folder, { recursive: true });
});

afterAll(() => resources.disposeAsync());

/**
 * The configuration that NATS's chart makes of the values: it prints `config.merge` as JSON within its own, and takes the quotes off texts between << and >>.
 */
function configurationOfChart(): string {
  const values = parse(readFileSync(join(root, 'deploy', 'nats', 'chart-values.yaml'), 'utf8')) as ChartValues;
  const text = JSON.stringify(values.config.merge, null, 2).replaceAll(/"<<\s+(.*)\s+>>"/g, '$1');
  const folder = mkdtempSync(join(tmpdir(), 'chart-nats-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, text);
  return file;
}

interface ChartValues {
  readonly config: { readonly merge: object };
}

const configurations = [
  { of: 'server.conf', path: () => undefined },
  { of: 'chart-values.yaml', path: configurationOfChart },
];

describe.skipIf(server === undefined).each(configurations)('a user of NATS in $of', ({ path }) => {
  beforeAll(async () => {
    lines.length = 0;
    nats = resources.use(await startDeployedNats(server ?? '', path()));
  });

  const message = (number: number) => [
    { id: `auth:${number}`, subject: 'agentmesh.auth.v1.account_deleted', sender: 'auth', payload: new Uint8Array() },
  ];

  test('of a service publishes its topics, and takes, buries and replays the messages of its own consumer', async () => {
    const stream = await (await busOf('auth')).openStream([AccountDeletedSchema]);
    const artifacts = await busOf('artifacts');
    let tries = 0;
    const stop = await artifacts.consume(AccountDeletedSchema, 'artifacts', () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
    });
    await stream.append(message(1));
    await expect.poll(async () => artifacts.replay(AccountDeletedSchema, 'artifacts')).toBe(1);
    await expect.poll(() => tries).toBe(3);
    await stop();
  });

  test('is refused the topics of others, their consumers and their streams', async () => {
    const artifacts = await busOf('artifacts');
    const forged = await artifacts.driver.openStream({ service: 'auth', topics: [] });
    await expect(forged.append(message(2))).rejects.toMatchObject({ reason: 'bus_unavailable' });
    let heard = 0;
    await artifacts.subscribe(RunEndedSchema, () => void (heard += 1));
    await (await artifacts.consume(AccountDeletedSchema, 'keys', () => void (heard += 1)))();
    const sessions = await (await busOf('sessions')).openStream([AwaitedRunEndedSchema]);
    await sessions.append([{ ...message(3)[0], subject: 'agentmesh.sessions.v1.awaited_run_ended' } as never]);
    const refused = () => lines.filter((line) => line.includes('Permissions Violation')).join('\n');
    await expect.poll(refused).toContain('run_ended');
    await expect.poll(refused).toContain('CONSUMER.MSG.NEXT.agentmesh-auth.keys-account_deleted');
    expect(heard).toBe(0);
  });

  test('for other programs is not given what users and models say', async () => {
    const runs = await busOf('runs');
    const observer = await busOf('observer');
    const heard: string[] = [];
    await observer.driver.subscribe(
      'agentmesh.*.v1.>',
      (payload) => void heard.push(Buffer.from(payload).toString('hex')),
    );
    await observer.driver.ping();
    await runs.publish(RunProgressedSchema, { owner: 'secret' });
    await runs.publish(NoticeAddedSchema, { accountId: 'known' });
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]).toBe(
      Buffer.from(toBinary(NoticeAddedSchema, create(NoticeAddedSchema, { accountId: 'known' }))).toString('hex'),
    );
  });
});
