/** What a vendor says of a request that it refuses. */
export class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** Refuses a request unless it is right. */
export function demand(right: boolean, message: string, status?: number): asserts right {
  if (!right) throw new Refusal(message, status);
}

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object, or a refusal with this message. */
export function parseObject(text: string, message: string): Fields {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // refused below
  }
  throw new Refusal(message);
}

/** Refuses keys that are not among these, which stand in one text. */
export function demandKeys(value: Fields, known: string, message: (key: string) => string): void {
  const keys = known.split(' ');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  demand(unknown === undefined, message(unknown ?? ''));
}
