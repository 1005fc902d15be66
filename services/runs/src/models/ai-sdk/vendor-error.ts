/** What a vendor says of a failure. */
export interface VendorError {
  readonly message: string;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

/** Reads `{message, code?, type?}`, bare or under `error`. */
export function readVendorError(data: unknown): VendorError | undefined {
  if (!isObject(data) || data instanceof Error) return undefined;
  const { message, code, type } = isObject(data['error']) ? data['error'] : data;
  if (typeof message !== 'string') return undefined;
  return { message, code: textOf(code), type: textOf(type) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
