import { isExactInteger } from '@agentmesh/proto/exact-json';

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactInteger(value);
}

/** Sets a key that a client chose, `__proto__` included. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
