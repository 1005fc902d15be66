import type { BrokenAppSchema, FileMistakeSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import type { Mistake } from '../registry/files/mistake.ts';
import type { Handlers } from './handlers.ts';

/** Apps from `AGENTS_DIR` belong to every account. */
export function listApps({ registry }: Context): Handlers['listApps'] {
  return () => {
    const mistakes = registry.mistakes();
    const apps = registry.list().map(({ name, root }) => ({
      name,
      rootAgentName: root.name,
      description: root.description,
      language: 'yaml',
      isComputerUse: false,
      mistakes: mistakes.get(name)?.map(toMessage) ?? [],
    }));
    const running = new Set(apps.map(({ name }) => name));
    const brokenApps: MessageInitShape<typeof BrokenAppSchema>[] = [...mistakes]
      .filter(([name]) => !running.has(name))
      .map(([name, found]) => ({ name, mistakes: found.map(toMessage) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { apps, brokenApps };
  };
}

function toMessage({ file, at, key, reason }: Mistake): MessageInitShape<typeof FileMistakeSchema> {
  return { file, line: at?.line ?? 0, column: at?.column ?? 0, key, reason };
}
