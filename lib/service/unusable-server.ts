import { MeshError } from '../rpc/index.ts';
import { SettingsError } from './settings/index.ts';

/** The error of a start whose server cannot be reached: one line that names the setting and the reason. Other errors stay as they are. */
export function unusableServer(setting: string, error: unknown): unknown {
  if (!(error instanceof MeshError) || error.code !== 'unavailable') return error;
  const reasons = [error.message, reasonOf(error.cause)].filter((reason) => reason !== '');
  return new SettingsError(new Map([[setting, `names a server that cannot be used: ${reasons.join(' ')}`]]));
}

/** Node leaves the message empty when several addresses of a host refuse. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  return cause.message || ('code' in cause ? String(cause.code) : '');
}
