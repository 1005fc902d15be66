import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** A real S3-compatible server with one bucket, `artifacts`. */
export interface TestS3 extends AsyncDisposable {
  readonly endpoint: string;
}

export const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

export async function startS3(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const options = { port: 0, address: '127.0.0.1', silent: true, directory };
  const server = new S3rver({ ...options, configureBuckets: [{ name: 'artifacts' }] });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
