/** Address of a module of ADK, zod or Google's SDK in the bundle of the worker, by the name under which code imports it; undefined in the sources (`scripts/bundling`). */
export function sharedModule(_name: string): string | undefined {
  return undefined;
}
