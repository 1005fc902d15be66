const dotted = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_$][\w$]*)+$/;

/** The name of an export of a module in the app's folder, e.g. `callbacks.check`. */
export type DottedName = `${string}.${string}`;

/** Whether a name stands for an export of a module in the app's folder. */
export function isDotted(name: unknown): name is DottedName {
  return typeof name === 'string' && dotted.test(name);
}
