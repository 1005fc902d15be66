import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory-store.ts';

/** The store that the settings name; a folder of `dataDir` where they name none. */
export async function openBlobStore(config: Config, dataDir: string): Promise<BlobStore> {
  const url = config.ARTIFACT_STORE_URL;
  return openDirectoryStore(url === undefined ? join(dataDir, 'artifacts') : fileURLToPath(url));
}
