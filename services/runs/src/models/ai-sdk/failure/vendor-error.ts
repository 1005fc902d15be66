/** An error as a vendor describes it. */
export interface VendorError {
  readonly message: string;
  readonly code: string | undefined;
  /** Google's `status`, the others' `type`. */
  readonly type: string | undefined;
  /** Google's `details`. */
  readonly details: readonly Record<string, unknown>[];
}

/** Reads `{message, code?, type?, status?, details?}`, bare or under `error`. */
export function readVendorError(data: unknown): VendorError | undefined {
  if (!isObject(data) || data instanceof Error) return undefined;
  const { message, code, type, status, details } = isObject(data['error']) ? data['error'] : data;
  if (typeof message !== 'string') return undefined;
  const found = Array.isArray(details) ? details.filter(isObject) : [];
  return { message, code: textOf(code), type: textOf(type) ?? textOf(status), details: found };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
