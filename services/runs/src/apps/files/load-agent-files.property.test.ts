import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentFiles, loadAgentFiles } from './load-agent-files.ts';
import { AppFilesError, type Mistake } from '../definition/mistake.ts';

const good = `# A comment.
agent_class: LlmAgent
name: boss
description: &text "Does: things"
model: echo/x
instruction: |
  Say {name?} and
  "nothing" else.
tools: [get_current_time, {name: http_get}]
output_key: out
include_contents: none
generate_content_config:
  temperature: 0.5
  topP: 1
  thinking_config: {thinking_budget: 100}
  response_json_schema: {type: object, title: *text}
sub_agents:
  - config_path: one.yaml
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'));
  await writeFile(join(folder, 'one.yaml'), 'name: one\n');
});

afterEach(() => rm(folder, { recursive: true }));

async function load(text: string): Promise<AgentFiles | readonly Mistake[]> {
  await writeFile(join(folder, 'root_agent.yaml'), text);
  const checkModel = (name: string) => (name === 'echo/x' ? undefined : 'unknown');
  try {
    return await loadAgentFiles(folder, { checkModel });
  } catch (error) {
    if (error instanceof AppFilesError) return error.mistakes;
    throw error;
  }
}

/** One damage: some characters cut out, others put in. */
const damage = fc.record({
  at: fc.nat(good.length),
  length: fc.nat(12),
  text: fc.oneof(
    fc.constantFrom(
      '\t',
      ' ',
      '\n',
      ':',
      '- ',
      '[',
      '{',
      '"',
      '*text',
      '&b ',
      '? ',
      '|',
      '%',
      '---\n',
      '!x ',
      '\0',
      '__proto__: ',
    ),
    fc.string({ maxLength: 8, unit: 'binary' }),
    fc.constantFrom('[', '{a: ', '- ', 'k: ').map((piece) => piece.repeat(3_000)),
  ),
});

function apply(text: string, { at, length, text: put }: { at: number; length: number; text: string }): string {
  return text.slice(0, at) + put + text.slice(at + length);
}

describe('loadAgentFiles', () => {
  test('the undamaged file is valid', async () => {
    expect(await load(good)).toMatchObject({
      root: { definition: { name: 'boss' }, subAgents: [{ file: 'one.yaml' }] },
    });
  });

  test('any damage gives a valid app, or mistakes with at least one place in the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const result = await load(damages.reduce(apply, good));
        if ('root' in result) return;
        const lines = (await readFile(join(folder, 'root_agent.yaml'), 'utf8')).split('\n').length;
        const places = result.map(({ at }) => at).filter((at) => at !== undefined);
        expect(places.length).toBeGreaterThan(0);
        for (const { line, column } of places) {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(Math.max(lines, 1));
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['keys', (index: number) => `k${index.toString(36)}:\n`],
    ['aliases', () => '- *a\n'],
    ['brackets', () => ']\n'],
    ['tags', () => '!x '],
  ])('the largest file of nothing but %s is refused with a bounded list', async (_, piece) => {
    let text = '';
    for (let index = 0; text.length < 200 * 1024; index += 1) text += piece(index);
    const mistakes = await load(text);
    expect(mistakes).toBeInstanceOf(Array);
    expect((mistakes as readonly Mistake[]).length).toBeLessThanOrEqual(51);
  });
});
