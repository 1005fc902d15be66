import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openCodeApps } from '../../../../test/open-code-apps.ts';
import { createAppBench } from '../../../../test/run-agents.ts';

/** An agent that says nothing to its host before each event, while the host looks at its worker some times. */
const slow = `
import { BaseAgent, createEvent } from '@google/adk';
class Slow extends BaseAgent {
  async *runAsyncImpl() {
    for (const text of ['one', 'two']) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text }] } });
    }
  }
  async *runLiveImpl() {}
}
export const rootAgent = new Slow({ name: 'slow' });
`;

/** Lets the clock of the host go forward by a minute in which nothing happens. */
function skipMinute(resources: AsyncDisposableStack): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  resources.defer(() => clock.mockRestore());
}

test.each([
  ['had no runs for long', true],
  ['could not be heard, because the host was held up itself,', false],
])('a run in a worker that %s is not ended as if its code had been busy all that time', async (_, isBefore) => {
  await using resources = new AsyncDisposableStack();
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'code-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, 'agent.ts'), slow);
  const apps = resources.use(openCodeApps({ busyMs: 10_000 }));
  const request = { appName: 'slow', folder, entry: 'agent.ts' };
  const bench = createAppBench(await apps.load({ request, text: '', language: 'typescript' }, undefined));
  if (isBefore) skipMinute(resources);
  const { seen } = await bench.begin();
  await expect.poll(() => bench.sessions.events(bench.key).length).toBeGreaterThan(1);
  if (!isBefore) skipMinute(resources);
  const texts = ['one', 'two'].map((text) => ({ author: 'slow', content: { parts: [{ text }] } }));
  expect((await seen).events).toMatchObject(texts);
});
