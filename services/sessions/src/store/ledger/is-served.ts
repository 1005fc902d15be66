/** SQL condition: whether a caller with these `apps`, a placeholder, serves the app with the name in an SQL expression. See ClaimRunsRequest.apps. */
export function isServed(apps: string, name: string): string {
  return `(cardinality(${apps}::text[]) = 0 or ${name} = any(${apps}::text[])
          or ('agent*' = any(${apps}::text[]) and ${name} ~ '^agent[0-9]+$'))`;
}
