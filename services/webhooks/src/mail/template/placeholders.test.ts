import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { placeholders } from './placeholders.ts';

test('the guide of mail has a row for each placeholder', () => {
  const guide = readFileSync(new URL('../../../../../docs/mail.md', import.meta.url), 'utf8');
  const table = guide.split('### Placeholders')[1]?.split('\n#')[0] ?? '';
  const rows = Array.from(table.matchAll(/^\| (`.*?`) \|/gm), ([, names = '']) => names.matchAll(/\{\{ (\w+) \}\}/g));
  expect(rows.flatMap((names) => Array.from(names, ([, name = '']) => name))).toEqual([...placeholders]);
});
