import type { Fault } from '@agentmesh/client';
import { createContext } from 'preact';
import type { Values } from '../data/drafts.ts';

/** Messages about the values that a form has sent, by the names of its fields; what they say of a part of a value begins with its place there. */
export const FieldFaults = createContext<ReadonlyMap<string, string>>(new Map());

/** Values that were typed before and not saved, by the names of the fields. */
export const Typed = createContext<Values>({});

/** Faults of a request by the field of the form that they blame, which has the path that the API gives it, such as `a` or `a.b`; under an empty name all others. */
export function faultsByField(faults: readonly Fault[], form: HTMLFormElement): ReadonlyMap<string, string> {
  const nameOf = ({ loc }: Fault): string => {
    const paths = loc.map((_, index) => loc.slice(1, loc.length - index).join('.'));
    return paths.find((path) => form.elements.namedItem(path) !== null) ?? '';
  };
  const told = ([name, found]: readonly [string, readonly Fault[]]) => [name, textOfFaults(found, name)] as const;
  return new Map(Array.from(Map.groupBy(faults, nameOf), told));
}

/** Faults as a text, with their places in the body, path or query, or below one of these. */
export function textOfFaults(faults: readonly Fault[], above = ''): string {
  const textOf = ({ loc, msg }: Fault): string => {
    const place = loc.slice(1).join('.').slice(above.length).replace(/^\./, '');
    return place === '' ? msg : `${place}: ${msg}`;
  };
  return faults.map(textOf).join('; ');
}
