import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { newAccount } from '../caller.ts';
import { run } from '../deployed-settings.ts';
import { startMesh, type TestMesh } from '../mesh.ts';
import { mainOfProduct } from '../plain-environment.ts';

export interface ConsumerMesh extends AsyncDisposable {
  readonly mesh: TestMesh;
  /** `host:port` at which services are called. */
  readonly address: string;
  readonly opsUrl: string;
  /** UUID of an account with one session of `echo`. */
  readonly account: string;
  /** `ORDERS_MESH_IDENTITY`. */
  readonly identity: string;
}

/** A mesh in one process that the consumer `orders` may call for one account, by the commands of docs/consumers.md. */
export async function startConsumerMesh(): Promise<ConsumerMesh> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await testDatabaseUrl());
  const [port = 0, opsPort = 0] = await freePorts(2);
  let grant: Record<string, string> = {};
  const env = { MESH_PORT: String(port), OPS_PORT: String(opsPort), MESH_REFLECTION: 'true', NODE_ENV: 'production' };
  const mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: database.url, env, ownEnv: () => grant }));
  const caller = await newAccount(mesh.url);
  await caller.createSession();
  const [, claims = ''] = (caller.token ?? '').split('.');
  const { uid: account } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { uid: string };
  const { identity, ...printed } = makeConsumer(account);
  grant = printed;
  await mesh.stop('all');
  await mesh.restart();
  const opened = resources.move();
  return {
    mesh,
    address: `127.0.0.1:${port}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    account,
    identity,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function makeConsumer(account: string): { identity: string; MESH_CONSUMERS: string } {
  const methods = ['--methods', 'sessions.GetSession,sessions.ListSessions'];
  const args = [mainOfProduct, 'identities', '--consumer', 'orders', ...methods, '--accounts', account];
  const { ok, stdout, stderr } = run(process.execPath, args);
  const [, identity, MESH_CONSUMERS] = /^ORDERS_MESH_IDENTITY=(.+)\nMESH_CONSUMERS=(.+)\n$/.exec(stdout) ?? [];
  if (!ok || identity === undefined || MESH_CONSUMERS === undefined) throw new Error(stdout + stderr);
  return { identity, MESH_CONSUMERS };
}
