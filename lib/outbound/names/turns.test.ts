import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('a key has at most as many turns at once as allowed, the others wait in order, and other keys do not', async () => {
  const turns = new Turns({ atOnce: 2, waiting: 2 });
  const begun: string[] = [];
  const open = (key: string, name: string) => {
    const end = Promise.withResolvers<void>();
    const done = turns.run(key, () => (begun.push(name), end.promise));
    return { end: end.resolve, done };
  };
  const [one, two, three, four] = ['1', '2', '3', '4'].map((name) => open('ada', name));
  const other = open('bob', 'bob');
  await expect(turns.run('ada', async () => undefined)).rejects.toThrow('Too many');
  expect(begun).toEqual(['1', '2', 'bob']);
  two?.end();
  await two?.done;
  await expect.poll(() => begun).toEqual(['1', '2', 'bob', '3']);
  for (const turn of [one, three, four, other]) {
    turn?.end();
    await turn?.done;
  }
  expect(begun).toEqual(['1', '2', 'bob', '3', '4']);
});

test('work that fails gives its turn to the next', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 1 });
  const failing = turns.run('ada', () => Promise.reject(new Error('no')));
  const next = turns.run('ada', async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
