import type { Fault } from '@agentmesh/client';
import { createContext } from 'preact';

/** Messages about the values that a form has sent, by the names of its fields. */
export const FieldFaults = createContext<ReadonlyMap<string, string>>(new Map());

/** Faults of a request by the field of the form that they blame, which has the name that the API gives it; under an empty name all others. */
export function faultsByField(faults: readonly Fault[], form: HTMLFormElement): ReadonlyMap<string, string> {
  const nameOf = ({ loc }: Fault): string => {
    const name = String(loc[1] ?? '');
    return form.elements.namedItem(name) === null ? '' : name;
  };
  const told = ([name, found]: readonly [string, readonly Fault[]]) =>
    [name, name === '' ? textOfFaults(found) : found.map(({ msg }) => msg).join('; ')] as const;
  return new Map(Array.from(Map.groupBy(faults, nameOf), told));
}

/** Faults as a text, with their places in the body, path or query. */
export function textOfFaults(faults: readonly Fault[]): string {
  return faults.map(({ loc, msg }) => [...loc.slice(1), ''].join('.').replace(/\.$/, ': ') + msg).join('; ');
}
