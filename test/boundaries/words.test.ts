import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../deployed-settings.ts';
import { read } from './imports.ts';

interface Word {
  readonly word: string;
  /** Tables and columns, each with the service that owns it. */
  readonly owned: readonly { readonly service: string; readonly name: string }[];
  readonly folders: readonly string[];
}

/** The rows of the table of words in docs/architecture.md. */
function wordsOf(page: string): Word[] {
  const [, section = ''] = page.split('## Words and where they live');
  const rows = Array.from(section.split('\n## ')[0]?.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|/gm) ?? []);
  return rows.slice(1).map(([, word = '', owners = '', served = '']) => ({
    word,
    owned: Array.from(owners.matchAll(/(\w+): ((?:`[\w.]+`(?:, )?)+)/g)).flatMap(([, service = '', names = '']) =>
      Array.from(names.matchAll(/\w+/g), ([name]) => ({ service, name })),
    ),
    folders: Array.from(served.matchAll(/`([^`]+)`/g), ([, folder = '']) => folder),
  }));
}

const words = wordsOf(read('docs/architecture.md'));

describe('the words of docs/architecture.md', () => {
  test('are those that people stumble over', () => {
    const named = words.map(({ word }) => word).join(', ');
    for (const word of ['run', 'turn', 'ledger', 'schedule', 'webhook', 'notice', 'answer link', 'subscription'])
      expect(named).toContain(word);
  });

  test('lie in tables of the service that the page names', () => {
    const missing = words.flatMap(({ owned }) =>
      owned.filter(({ service, name }) => {
        const schema = read(join('services', service, 'migrations', '0001-first-schema.sql'));
        return !new RegExp(`\\b${name}\\b`).test(schema);
      }),
    );
    expect(missing).toEqual([]);
    expect(words.flatMap(({ owned }) => owned).length).toBeGreaterThan(15);
  });

  test('are served by folders that exist', () => {
    expect(words.flatMap(({ folders }) => folders).filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  });
});
