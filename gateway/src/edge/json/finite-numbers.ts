/**
 * Path to the first number that a double cannot hold, such as 1e400; it would be stored as null. Undefined if there is none.
 * Recursion is as deep as the body.
 */
export function pathToInfinity(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? inItems(value) : inFields(value as Record<string, unknown>);
}

function inItems(items: readonly unknown[]): (string | number)[] | undefined {
  for (let index = 0; index < items.length; index += 1) {
    const path = pathToInfinity(items[index]);
    if (path !== undefined) return [index, ...path];
  }
  return undefined;
}

function inFields(record: Readonly<Record<string, unknown>>): (string | number)[] | undefined {
  for (const key in record) {
    const path = pathToInfinity(record[key]);
    if (path !== undefined) return [key.toWellFormed(), ...path];
  }
  return undefined;
}
