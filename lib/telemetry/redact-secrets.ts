import { stdSerializers } from 'pino';

const SECRET_KEY =
  /passw(or)?d|passphrase|secret|authorization|cookie|credential|private[-_]?key|api[-_]?key|(mesh|encrypt|access|signing)[-_]?key/i;
// `token`, `accessToken` and `refresh_token` are secrets; `tokens` and `tokenCount` are numbers.
const TOKEN_KEY = /token$/i;
const MAX_DEPTH = 6;
/** Fields of a serialized error that hold errors. */
const causes = new Set(['cause', 'aggregateErrors']);
/** Fields of PostgreSQL's errors that quote rows and parameters. */
const quoting = new Set(['detail', 'where', 'internalQuery']);

/**
 * A copy fit for a log line: every value under a secret-looking key reads `[redacted]`, errors become plain objects with
 * their causes and without other objects, and what lies deeper than six levels reads `[truncated]`.
 */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[truncated]';
  if (Array.isArray(value)) return value.map((item) => redactSecrets(item, depth + 1));
  if (value instanceof Error) return redactFields(plainError(stdSerializers.errWithCause(value)), depth);
  return 'toJSON' in value ? value : redactFields(value, depth);
}

/** Type, message, stack, causes and plain values that quote no data of users. Libraries attach whole clients and sockets to their errors. */
function plainError(error: object, depth = 0): object {
  const fields = Object.entries(error).filter(([key]) => !quoting.has(key));
  const plain = fields.filter(([key, value]) => typeof value !== 'object' || causes.has(key));
  return Object.fromEntries(
    plain.map(([key, value]) => [key, causes.has(key) ? plainCauses(value, depth + 1) : value]),
  );
}

/** Causes that are serialized errors, which have stacks, as plain as the error. */
function plainCauses(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one) => plainCauses(one, depth));
  return 'stack' in value ? plainError(value, depth) : value;
}

function redactFields(fields: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    copy[key] = isSecret(key, value) ? '[redacted]' : redactSecrets(value, depth + 1);
  }
  return copy;
}

function isSecret(key: string, value: unknown): boolean {
  return value !== undefined && value !== null && (SECRET_KEY.test(key) || TOKEN_KEY.test(key));
}
