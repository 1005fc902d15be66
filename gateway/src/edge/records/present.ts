/** The field for a message of the mesh; nothing for a value that is absent or null. */
export function present<K extends string, T>(key: K, value: T | null | undefined): { [P in K]?: T } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]: T });
}
