import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Statement } from '../database.ts';

type StoreFunction = (...values: unknown[]) => unknown;

/**
 * The statements of a folder of store functions, by name or text: for tests of their plans. Calls every exported function with a
 * database that answers no rows, and with values that are anything.
 */
export async function statementsOf(folder: URL): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const note = ({ text, name = text }: Statement): void => void texts.set(name, text);
  const path = fileURLToPath(folder);
  for await (const file of glob('**/*.ts', { cwd: path })) {
    if (file.endsWith('.test.ts')) continue;
    const store = (await import(join(path, file))) as Record<string, unknown>;
    for (const value of Object.values(store)) if (isFunction(value)) await callSilently(value, note);
  }
  return texts;
}

function isFunction(value: unknown): value is StoreFunction {
  return typeof value === 'function' && !(value.prototype instanceof Error);
}

/** More than any function sends, but one that tries again until there is a row. */
const mostStatements = 100;

/** A function may fail where it expected a row: by then it has sent its statement. */
async function callSilently(store: StoreFunction, note: (statement: Statement) => void): Promise<void> {
  let sent = 0;
  const query = async (statement: Statement): Promise<unknown[]> => {
    note(statement);
    sent += 1;
    if (sent === mostStatements) throw new Error('The function tries again until there is a row.');
    return [];
  };
  try {
    await store({ query }, anything, anything);
  } catch {
    // Its statement was sent.
  }
}

/** A value that may be used as an object, a list, a function, a text or a number. */
const anything: unknown = new Proxy(() => anything, {
  get: (_, name) => {
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    if (name === Symbol.toPrimitive) return () => 1;
    // A promise would be waited for.
    return name === 'then' ? undefined : anything;
  },
});
