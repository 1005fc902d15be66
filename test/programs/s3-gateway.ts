import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { vi } from 'vitest';
import { findGoTool } from './go-tools.ts';

/** The version that the chart deploys. */
export const s3GatewayVersion = 'v1.8.0';

/** Path of the S3 server of the chart, which takes two minutes to build. Undefined, with a warning, without Go. */
export function findS3Gateway(): string | undefined {
  return findGoTool('versitygw', `github.com/versity/versitygw/cmd/versitygw@${s3GatewayVersion}`);
}

export interface S3Gateway extends AsyncDisposable {
  readonly endpoint: string;
  /** Ends it at once and starts it again. */
  restart(): Promise<void>;
}

export const s3Keys = { accessKeyId: 'gateway-access-key', secretAccessKey: 'gateway-secret-access-key' } as const;

/** Starts it with a bucket `artifacts`, a folder, as the chart does. */
export async function startS3Gateway(program: string): Promise<S3Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 's3-gateway-'));
  await mkdir(join(folder, 'artifacts'));
  const [port = 0] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const env = {
    VGW_PORT: `127.0.0.1:${port}`,
    VGW_HEALTH: '/-/health',
    VGW_QUIET: 'true',
    ROOT_ACCESS_KEY_ID: s3Keys.accessKeyId,
    ROOT_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
  };
  const start = async () => {
    const child = spawn(program, ['posix', folder], { env, stdio: 'ignore' });
    const isHealthy = async () => (await fetch(`${endpoint}/-/health`).catch(() => undefined))?.ok === true;
    await vi.waitUntil(isHealthy, { timeout: 60_000, interval: 100 });
    return child;
  };
  let child = await start();
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    endpoint,
    restart: async () => {
      await kill();
      child = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
