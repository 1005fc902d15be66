import Type from 'typebox';
import type { EntryMistake } from './tool-resolver.ts';
import { checkCompaction, summarizerModel } from './settings/compaction-keys.ts';
import { AppFilesError } from './mistake.ts';
import { type RootKeys, rootKeys } from './settings/root-keys.ts';
import { schemaMistakes } from './schema-mistakes.ts';
import { settingsExport } from './settings/settings-export.ts';

const OnlyRootKeys = Type.Object(rootKeys, { additionalProperties: false });

/** Reads the settings that the module `file` of an app exports, as JSON; absent: none. Throws AppFilesError with all mistakes. */
export function readRootKeys(file: string, json: Uint8Array | undefined): RootKeys {
  if (json === undefined) return {};
  const value = JSON.parse(Buffer.from(json).toString()) as RootKeys;
  const found = [...schemaMistakes(OnlyRootKeys, value), ...compactionMistakes(value)];
  const mistakes = found.map(({ path, reason }) => ({
    file,
    key: [settingsExport, ...path].join('.'),
    reason,
  }));
  if (mistakes.length > 0) throw new AppFilesError(mistakes);
  return value;
}

/** The models of agents in code are not known here, so a summarizer names its own. */
function compactionMistakes(keys: RootKeys): EntryMistake[] {
  const { events_compaction_config: config } = keys;
  if (config === undefined) return [];
  const path = ['events_compaction_config', 'summarizer', 'model'];
  const missing = summarizerModel(keys) === undefined ? [{ path, reason: 'is required for an app in code' }] : [];
  return [...checkCompaction(config), ...missing];
}
