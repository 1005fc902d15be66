import pg from 'pg';

type Parse = (text: string) => unknown;

const INT8 = 20;
const INT8_ARRAY = 1016;
const JSON_TEXT = 114;
const JSON_ARRAY = 199;
const JSONB = 3802;
const JSONB_ARRAY = 3807;
const TEXT_ARRAY = 1009;

const asIs: Parse = (text) => text;
// The declaration has no array types, but the implementation has.
const builtInParser: (oid: number, format?: 'text' | 'binary') => Parse = pg.types.getTypeParser;
const textArray = builtInParser(TEXT_ARRAY);

const parsers = new Map<number, Parse>([
  [INT8, BigInt],
  [INT8_ARRAY, (text) => (textArray(text) as (string | null)[]).map((item) => (item === null ? null : BigInt(item)))],
  [JSON_TEXT, asIs],
  [JSONB, asIs],
  [JSON_ARRAY, textArray],
  [JSONB_ARRAY, textArray],
]);

/** Parsers of columns: bigint as bigint, json and jsonb as their text, timestamptz as Date, all others like `pg`. */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers.get(oid)) ?? builtInParser(oid, format),
};
