import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isChange } from './is-change.ts';

const reads = [
  'select 1',
  '  SELECT update_time, deleted from sessions where id = $1',
  'select id from accounts where id = $1 for update',
  'select id from due for no key update of w skip locked',
  'with m as (select pk from sessions where id = $1) select * from m left join events on true',
  'with recursive tree as (select 1 union all select 1 from tree) select from tree',
];

const changes = [
  'insert into notes values ($1)',
  'Update notes set text = $1',
  'delete from notes',
  'truncate notes',
  'begin; select 1',
  'select 1; drop table notes',
  '-- a read\nselect 1',
  'select * into copies from notes',
  'with gone as (delete from notes returning 1) select count(*) from gone',
  'with kept as (INSERT\ninto notes values (1) returning 1) select from kept',
  'with due as (select id from notes for update) update notes set text = $1 from due',
  'with due as (select id from notes for no key update), moved as (update notes set text = $1) select from moved',
  'with a as (merge into notes using b on true when matched then do nothing returning 1) select from a',
  'select purge_audit($1, $2) as gone',
];

test.each(reads)('changes nothing: %s', (text) => expect(isChange({ text })).toBe(false));

test.each(changes)('may change something: %s', (text) => expect(isChange({ text })).toBe(true));

test('a function that writes has a name that says so', async () => {
  const services = new URL('../../../services/', import.meta.url);
  const files = (await readdir(services, { recursive: true })).filter((file) => /migrations\/[^/]+\.sql$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, services), 'utf8')));
  const created = /create (?:or replace )?function (\w+\(.*?)(\$\w*\$)(.*?)\2/gis;
  const functions = texts.flatMap((text) => [...text.matchAll(created)]);
  expect(functions.length).toBeGreaterThan(3);
  for (const [, head = '', , body = ''] of functions) {
    const isTrigger = /returns trigger/i.test(head);
    const writes = /\b(?:into|update|delete|execute)\b/i.test(body);
    if (writes && !isTrigger) expect(isChange({ text: `select ${head}` })).toBe(true);
  }
});
