import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SettingsError } from '@agentmesh/lib/service';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Config } from '../config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import type { S3Options } from './s3-store.ts';

interface BlobStoreHost {
  readonly dataDir: string;
  readonly resources: AsyncDisposableStack;
  /** Whether the database knows objects. */
  readonly hasObjects: () => Promise<boolean>;
  readonly log?: Pick<Logger, 'error'>;
}

const unmounted =
  'the folder of artifacts is empty, and the database knows payloads in it: is its volume mounted? Payloads over ARTIFACT_INLINE_MAX_BYTES are answered artifact_store_unavailable until they are there. If they are lost, make a folder tmp in it';

/**
 * Opens the store of `ARTIFACT_STORE_URL`, by default the folder `artifacts` in `dataDir`. Throws SettingsError when only one of the two S3
 * credentials is set.
 */
export async function openBlobStore(config: Config, host: BlobStoreHost): Promise<BlobStore> {
  const { dataDir, resources, hasObjects, log } = host;
  const url = config.ARTIFACT_STORE_URL;
  if (url?.protocol !== 's3:') {
    const folder = url === undefined ? join(dataDir, 'artifacts') : fileURLToPath(url);
    return openDirectoryStore(folder, { hasObjects, onEmpty: () => log?.error({ folder }, unmounted) });
  }
  const options = s3Options(config, url);
  // Importing Amazon's client takes half a second, so it is imported only when it is needed.
  const { openS3Store } = await import('./s3-store.ts');
  return resources.use(openS3Store(options));
}

function s3Options(config: Config, url: URL): S3Options {
  const { ARTIFACT_S3_ACCESS_KEY_ID: accessKeyId, ARTIFACT_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const problem = 'and ARTIFACT_S3_SECRET_ACCESS_KEY must be set together';
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
