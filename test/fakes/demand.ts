/** Error of a refused request: the vendor's message and the HTTP status. */
export class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** Throws a Refusal with this message and status unless `right` is true. */
export function demand(right: boolean, message: string, status?: number): asserts right {
  if (!right) throw new Refusal(message, status);
}

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object. Throws a Refusal with this message for any other text. */
export function parseObject(text: string, message: string): Fields {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // refused below
  }
  throw new Refusal(message);
}

/** Refuses an object with a key that is not in `known`, a list of keys separated by spaces. */
export function demandKeys(value: Fields, known: string, message: (key: string) => string): void {
  const keys = known.split(' ');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  demand(unknown === undefined, message(unknown ?? ''));
}
