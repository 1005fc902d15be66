import { Type } from 'typebox';
import { userForeign } from '../../edge/errors/request-error.ts';
import type { Identity } from '../../edge/authentication/identity.ts';
import { noNul } from '../../edge/validation/index.ts';

/** Path of one run. */
export const RunPath = Type.Object({
  invocation_id: Type.String({
    pattern: noNul,
    maxLength: 256,
    examples: ['e-00000000-0000-4000-8000-000000000000'],
    description: 'Id of a run, as the header `X-Invocation-Id` names it.',
  }),
});

/** Runs of which account and user the caller may see: all users, or the one that a personal token is bound to. */
export function ownerOf({ accountId, grant }: Identity): { readonly accountId: string; readonly userId: string } {
  return { accountId, userId: grant?.userId ?? '' };
}

/** The user to list. Refuses with 403 another user than the one that a personal token is bound to. */
export function listedUser({ grant }: Identity, asked: string | undefined): string {
  const bound = grant?.userId;
  if (bound !== undefined && asked !== undefined && asked !== bound) {
    throw userForeign();
  }
  return bound ?? asked ?? '';
}
