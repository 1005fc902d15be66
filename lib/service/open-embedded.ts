import { type EmbeddedOptions, type EmbeddedPostgres, PostgresStartError, startEmbeddedPostgres } from '../pg/index.ts';
import { SettingsError } from './settings/index.ts';

/** Starts the embedded PostgreSQL. Throws SettingsError when it cannot work in `dataDir`. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres(options).catch((error: unknown) => {
    throw unusableDataDir(options.dataDir, error);
  });
}

/** The error of a start of PostgreSQL in DATA_DIR that fails: it names the folder and the reason. Other errors stay as they are. */
export function unusableDataDir(dataDir: string, error: unknown): unknown {
  // Node names no path where a file that is open cannot grow.
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (!isFull && !(error instanceof PostgresStartError)) return error;
  const reason = isFull ? 'there is no space left' : error.message;
  const problem = `${dataDir} cannot be used by PostgreSQL: ${reason}\nMend that. In another folder begins an empty mesh.`;
  return new SettingsError(new Map([['DATA_DIR', problem]]));
}
