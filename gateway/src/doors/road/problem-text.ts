import type { Problem } from '../../edge/errors/problem.ts';

/** A fault of a field, in the body of an answer 422. */
export interface Fault {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** The faults that an answer names; none for one that has a sentence. */
export function faultsOf({ body }: Pick<Problem, 'body'>): readonly Fault[] {
  const { detail } = body as { readonly detail: string | readonly Fault[] };
  return typeof detail === 'string' ? [] : detail;
}

/** The sentence of an error, or its faults with the names of their fields. */
export function problemText({ body }: Pick<Problem, 'body'>): string {
  const { detail } = body as { readonly detail: string | readonly Fault[] };
  return typeof detail === 'string' ? detail : faultsText(detail);
}

export function faultsText(faults: readonly Pick<Fault, 'loc' | 'msg'>[]): string {
  return faults.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'body'}: ${msg}`).join('; ');
}
