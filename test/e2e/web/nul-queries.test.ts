import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
}

interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
}

test('a NUL in a parameter of a GET, which PostgreSQL cannot hold, fails no request inside', async () => {
  const url = inject('meshUrl');
  const caller = await newAccount(url);
  const { body } = await caller.request<Description>('GET', '/openapi.json');
  const asked = Object.entries(body.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => `${path}?${name}=%00`),
  );
  expect(asked.length).toBeGreaterThan(30);
  const failed: string[] = [];
  for (const place of asked) {
    const left = new AbortController();
    const response = await caller.fetch('GET', place.replace(/\{\w+\}/g, 'x'), undefined, left.signal);
    if (response.status === 500) failed.push(`${place}: ${response.status}`);
    left.abort();
  }
  expect(failed).toEqual([]);
});
