import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import type { KubernetesPrograms } from '../programs/kubernetes-programs.ts';

export interface KubernetesServer extends AsyncDisposable {
  /** File with the address and the credential of an administrator. */
  readonly kubeconfig: string;
  /** Calls the API. Rejects with the server's words when it answers no 2xx. */
  call(method: string, path: string, body?: object): Promise<unknown>;
}

const startMs = 60_000;

/** An API server of Kubernetes over an etcd, without controllers and nodes: it admits, defaults and stores what it is sent, and nothing runs. */
export async function startKubernetes({ etcd, apiserver }: KubernetesPrograms): Promise<KubernetesServer> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const [client = 0, peer = 0, port = 0] = await freePorts(3);
  const at = (own: number): string => `http://127.0.0.1:${own}`;
  const peers = [`--listen-peer-urls=${at(peer)}`, `--initial-advertise-peer-urls=${at(peer)}`];
  const clients = [`--listen-client-urls=${at(client)}`, `--advertise-client-urls=${at(client)}`];
  const data = [`--data-dir=${join(folder, 'etcd')}`, `--initial-cluster=default=${at(peer)}`, '--unsafe-no-fsync'];
  resources.use(startProgram(etcd, [...peers, ...clients, ...data]));
  const key = join(folder, 'accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const token = randomUUID();
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`);
  const accounts = ['key-file', 'signing-key-file'].map((name) => `--service-account-${name}=${key}`);
  const server = startProgram(apiserver, [
    `--etcd-servers=${at(client)}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    ...accounts,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  resources.use(server);
  const call = callerOf(port, token);
  await untilReady(() => call('GET', '/readyz'), server);
  const kubeconfig = join(folder, 'config');
  writeFileSync(kubeconfig, kubeconfigOf(port, token, join(folder, 'apiserver.crt')), { mode: 0o600 });
  const opened = resources.move();
  return { kubeconfig, call, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: string[];
}

function startProgram(file: string, args: readonly string[]): Program {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    lines.push(chunk.toString());
    if (lines.length > 200) lines.shift();
  });
  return {
    child,
    lines,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function callerOf(port: number, token: string): KubernetesServer['call'] {
  // The server makes its own certificate at its start.
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`);
    return answer.startsWith('{') ? (JSON.parse(answer) as unknown) : answer;
  };
}

async function untilReady(look: () => Promise<unknown>, { child, lines }: Program): Promise<void> {
  const deadline = performance.now() + startMs;
  for (;;) {
    const isReady = await look().then(
      () => true,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`no API server:\n${lines.join('')}`);
    await sleep(100);
  }
}

function kubeconfigOf(port: number, token: string, certificate: string): string {
  const authority = readFileSync(certificate).toString('base64');
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': authority };
  const one = (kind: string, value: object): object => ({ name: 'test', [kind]: value });
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [one('cluster', cluster)],
    users: [one('user', { token })],
    contexts: [one('context', { cluster: 'test', user: 'test' })],
  });
}
