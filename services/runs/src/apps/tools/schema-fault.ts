const mostBytes = 64 * 1024;
const mostLevels = 32;

/** Why no model can be given a tool with this description and these schemas; undefined when one can. Takes values that hold themselves. */
export function schemaFault(description: string, schemas: readonly unknown[]): string | undefined {
  if (isDeeper(schemas, mostLevels)) return `its schema has more than ${mostLevels} levels`;
  const isLarge = sizeOfTool(description, schemas) > mostBytes;
  return isLarge ? `its description and schemas are larger than ${mostBytes} bytes` : undefined;
}

/** Bytes of a tool's description and schemas, none of which holds itself. */
export function sizeOfTool(description: string, schemas: readonly unknown[]): number {
  return Buffer.byteLength(JSON.stringify([description, ...schemas]));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
