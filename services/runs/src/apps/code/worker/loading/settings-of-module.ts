import { AppFilesError } from '../../../definition/mistake.ts';
import { settingsExport } from '../../../definition/settings/settings-export.ts';

const mostBytes = 64 * 1024;

/** The settings that a module of an app exports, as JSON, which the host checks; undefined without them. */
export function settingsOfModule(module: Readonly<Record<string, unknown>>, file: string): Uint8Array | undefined {
  const settings = module[settingsExport];
  if (settings === undefined) return undefined;
  const json = new TextEncoder().encode(JSON.stringify(settings));
  if (typeof settings === 'object' && settings !== null && json.length <= mostBytes) return json;
  throw new AppFilesError([{ file, key: settingsExport, reason: `must be an object of at most ${mostBytes} bytes` }]);
}
