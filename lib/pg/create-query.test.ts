import { expect, test } from 'vitest';
import { createQuery, nameParameters } from './create-query.ts';
import type { Queryable } from './database.ts';

interface Values {
  readonly id: bigint;
  readonly name: string | null;
  readonly unused?: boolean;
}

test('placeholders are numbered by their first use, and values are sent in that order', async () => {
  const asked: unknown[] = [];
  const db: Queryable = {
    query: async (...statementAndValues) => {
      asked.push(statementAndValues);
      return [];
    },
  };
  const renameApp = createQuery<Values>({
    name: 'rename-app',
    groupCommit: true,
    text: (param) => `update apps set name = ${param.name} where id = ${param.id} and name <> ${param.name}`,
  });
  await renameApp(db, { id: 7n, name: 'echo', unused: true });
  await renameApp(db, { name: null, id: 8n });

  const text = 'update apps set name = $1 where id = $2 and name <> $1';
  const statement = { name: 'rename-app', groupCommit: true, text };
  expect(asked).toEqual([
    [statement, ['echo', 7n]],
    [statement, [null, 8n]],
  ]);
});

test('a constant stands in the text in place of a parameter', () => {
  const sent: unknown[] = [];
  const named = nameParameters<Values>((param) => `update apps set name = ${param.name} where id = ${param.id}`, 6, {
    name: 'null',
  });
  named.pushValues(sent, { id: 7n, name: null });
  expect([named.text, sent]).toEqual(['update apps set name = null where id = $7', [7n]]);
});
