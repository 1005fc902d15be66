import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseTool, Context, createSession, InvocationContext, PluginManager } from '@google/adk/core';
import { expect, test } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

test('the tool of docs/adding-a-tool.md works as the page says', async () => {
  const guide = await readFile(at('../../../docs/adding-a-tool.md'), 'utf8');
  const [, source = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  // Inside the package, so that its imports are found; `dist` is no source.
  await mkdir(at('../dist'), { recursive: true });
  const folder = await mkdtemp(at('../dist/tool-guide-'));
  try {
    const file = join(folder, 'roll-dice.ts');
    await writeFile(file, source.replaceAll("'./", `'${at('../src/apps/tools/')}`));
    const made: Record<string, unknown> = await import(file);
    const tool: unknown = (made['createRollDice'] as () => unknown)();
    if (!(tool instanceof BaseTool)) throw new Error('createRollDice makes no tool');
    const session = createSession({ id: 's', appName: 'a', userId: 'u', state: {}, events: [], lastUpdateTime: 0 });
    const invocationContext = new InvocationContext({
      invocationId: 'e-1',
      session,
      pluginManager: new PluginManager(),
    });
    const toolContext = new Context({ invocationContext });
    expect(tool._getDeclaration()?.name).toBe('roll_dice');
    expect(await tool.runAsync({ args: { sides: 2 }, toolContext })).toEqual({ value: expect.toBeOneOf([1, 2]) });
    expect(await tool.runAsync({ args: { sides: 'many' }, toolContext })).toHaveProperty('error');
  } finally {
    await rm(folder, { recursive: true });
  }
});
