import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SettingsError } from '@agentmesh/lib/service';
import type { Config } from '../config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import type { S3Options } from './s3-store.ts';

interface Surroundings {
  readonly dataDir: string;
  readonly resources: AsyncDisposableStack;
}

/** The store that the settings name; a folder of `dataDir` where they name none. Throws SettingsError when they disagree. */
export async function openBlobStore(config: Config, { dataDir, resources }: Surroundings): Promise<BlobStore> {
  const url = config.ARTIFACT_STORE_URL;
  if (url?.protocol !== 's3:')
    return openDirectoryStore(url === undefined ? join(dataDir, 'artifacts') : fileURLToPath(url));
  const options = s3Options(config, url);
  // Amazon's client takes half a second to import: who keeps artifacts in a folder does without.
  const { openS3Store } = await import('./s3-store.ts');
  return resources.use(openS3Store(options));
}

function s3Options(config: Config, url: URL): S3Options {
  const { ARTIFACT_S3_ACCESS_KEY_ID: accessKeyId, ARTIFACT_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const problem = 'and ARTIFACT_S3_SECRET_ACCESS_KEY are set together or not at all';
    throw new SettingsError(new Map([['ARTIFACT_S3_ACCESS_KEY_ID', problem]]));
  }
  return {
    bucket: url.host,
    prefix: decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, ''),
    region: config.ARTIFACT_S3_REGION,
    endpoint: config.ARTIFACT_S3_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  };
}
