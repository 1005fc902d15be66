import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScanner } from './json-scanner.ts';

const key = fc.constantFrom('a', 'b', 'c', 'é"\\', 'x'.repeat(80));
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', 'é', '\n', '🎿', '{', ']', ',', ':'), maxLength: 20 });
const { value: body } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));
const cuts = fc.array(fc.nat(200), { maxLength: 8 });

/** The rest with the wanted strings left empty, and those strings. */
function scanInPieces(json: string, at: readonly number[]) {
  const scanner = new JsonScanner((path) => path.length === 2 && path[0] === 'a');
  const bytes = Buffer.from(json);
  const edges = [...at.filter((cut) => cut < bytes.length), 0, bytes.length].toSorted((a, b) => a - b);
  const rest: Buffer[] = [];
  const strings: Buffer[][] = [];
  for (const [index, edge] of edges.slice(1).entries()) {
    for (const scanned of scanner.scan(bytes.subarray(edges[index], edge))) {
      if (scanned.kind === 'rest') rest.push(scanned.bytes);
      if (scanned.kind === 'begin') strings.push([]);
      if (scanned.kind === 'string') strings.at(-1)?.push(scanned.bytes);
    }
  }
  return { rest: Buffer.concat(rest).toString(), strings: strings.map((parts) => Buffer.concat(parts).toString()) };
}

/** The same by way of the parsed value. */
function expected(value: unknown): { value: unknown; strings: string[] } {
  const strings: string[] = [];
  const isRecord = (it: unknown): it is Record<string, unknown> =>
    typeof it === 'object' && it !== null && !Array.isArray(it);
  if (!isRecord(value) || !isRecord(value.a)) return { value, strings };
  const a = Object.fromEntries(
    Object.entries(value.a).map(([name, item]) => {
      if (typeof item !== 'string' || name.length >= 64) return [name, item];
      strings.push(item);
      return [name, ''];
    }),
  );
  return { value: { ...value, a }, strings };
}

describe('strings of certain places in JSON that flows', () => {
  it('are found for any chunks', () => {
    fc.assert(
      fc.property(body, cuts, fc.boolean(), (value, at, pretty) => {
        const json = pretty ? JSON.stringify(value, undefined, 1) : JSON.stringify(value);
        const { rest, strings } = scanInPieces(json, at);
        const parsed = strings.map((raw) => JSON.parse(`"${raw}"`) as string);
        expect({ value: JSON.parse(rest) as unknown, strings: parsed }).toEqual(expected(value));
      }),
      { numRuns: 3000 },
    );
  });

  it('are passed on unread in any text that is not JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]",:a\\ 1'.split('')), maxLength: 60 }),
        cuts,
        (junk, at) => {
          const { rest, strings } = scanInPieces(junk, at);
          expect(rest.length + strings.join('').length).toBe(junk.length);
        },
      ),
    );
  });
});
