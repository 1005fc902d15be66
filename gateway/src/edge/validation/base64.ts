const urlSafe = /^[A-Za-z0-9_-]*={0,2}$/;
const foreignToUrlSafe = /[^A-Za-z0-9_=-]/;
const foreignToStandard = /[^A-Za-z0-9+/=]/;
const symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export type Base64Reading = { readonly value: string } | { readonly fault: string };

/** Reads base64 in either alphabet, with or without padding. Returns it URL-safe with padding, or the fault. */
export function readBase64(text: string): Base64Reading {
  const normal = urlSafe.test(text) ? text : toUrlSafe(text);
  if (normal === undefined) return { fault: describeSymbol(text) };
  const length = normal.length - paddingOf(normal);
  const remainder = length % 4;
  if (remainder === 1) return { fault: `Invalid input length: ${length}` };
  if (hasSpareBits(normal, length, remainder)) {
    return { fault: `Invalid last symbol ${text.charCodeAt(length - 1)}, offset ${length - 1}.` };
  }
  const padding = remainder === 0 ? 0 : 4 - remainder;
  return { value: paddingOf(normal) === padding ? normal : normal.slice(0, length) + '='.repeat(padding) };
}

function toUrlSafe(text: string): string | undefined {
  const normal = text.replaceAll('+', '-').replaceAll('/', '_');
  const mixed = /[+/]/.test(text) && /[-_]/.test(text);
  return !mixed && urlSafe.test(normal) ? normal : undefined;
}

function paddingOf(text: string): number {
  return text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
}

/** Unused bits of the last symbol of an incomplete group must be zero. */
function hasSpareBits(text: string, length: number, remainder: number): boolean {
  if (remainder === 0) return false;
  const last = symbols.indexOf(text.charAt(length - 1));
  return (last & (remainder === 2 ? 0b1111 : 0b11)) !== 0;
}

/** Fault that names the first invalid byte. Its offset counts UTF-8 bytes, as the reference's decoder does. */
function describeSymbol(text: string): string {
  const foreign = /[+/]/.test(text) ? foreignToStandard : foreignToUrlSafe;
  const found = text.search(foreign);
  const index = found === -1 ? Math.max(text.indexOf('='), 0) : earliest(found, text);
  const bytes = Buffer.from(text);
  const offset = Buffer.byteLength(text.slice(0, index));
  return `Invalid symbol ${bytes[offset] ?? 61}, offset ${offset}.`;
}

/** Offset of the first invalid symbol. Padding before the end counts as one. */
function earliest(found: number, text: string): number {
  const padding = text.indexOf('=');
  return padding === -1 ? found : Math.min(padding, found);
}
