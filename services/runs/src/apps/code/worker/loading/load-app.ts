import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppFilesError } from '../../../definition/mistake.ts';
import type { ToolHooks } from '../../../entries/guard-tool.ts';
import type { LoadRequest } from '../../protocol.ts';
import type { Channel } from '../channel.ts';
import { placeOfError } from './place-of-error.ts';
import { type FoundRoot, rootOfModule } from './root-of-module.ts';
import { settingsOfModule } from './settings-of-module.ts';

/** Loads the root agent of an app. Throws AppFilesError with the mistakes of its author. */
export async function loadRoot(request: LoadRequest, channel: Channel, toolHooks: ToolHooks): Promise<FoundRoot> {
  const { entry, definition } = request;
  if (entry !== undefined) return loadEntry(request.folder, entry);
  if (definition === undefined) throw new Error('A worker needs an entry or a definition.');
  // The parts of agents in YAML cost an app without YAML memory and time.
  const { loadDefinition } = await import('./load-definition.ts');
  return loadDefinition(request, definition, { channel, toolHooks });
}

async function loadEntry(folder: string, entry: string): Promise<FoundRoot> {
  const module = (await import(pathToFileURL(join(folder, entry)).href).catch((error: unknown) => {
    throw new AppFilesError([placeOfError(error, folder, entry)]);
  })) as Record<string, unknown>;
  const found = rootOfModule(module);
  const settingsJson = settingsOfModule(module, entry);
  if (found !== undefined) return { ...found, ...(settingsJson && { settingsJson }) };
  const names = Object.keys(module).join(', ') || 'nothing';
  const reason = `exports no agent of @google/adk: export one as rootAgent. It exports ${names}`;
  throw new AppFilesError([{ file: entry, key: '', reason }]);
}
