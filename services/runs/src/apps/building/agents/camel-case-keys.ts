/** Free-form maps of Gemini's configuration: their keys belong to the user. */
const verbatim = new Set(['labels', 'responseJsonSchema', 'properties', 'headers']);

/** Turns snake_case keys into camelCase at every depth; camelCase keys and values stay as they are. */
export function camelCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCaseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const name = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      return [name, verbatim.has(name) ? entry : camelCaseKeys(entry)];
    }),
  );
}
