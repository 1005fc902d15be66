import { type Static, Type } from 'typebox';
import { userForeign } from '../../edge/errors/request-error.ts';
import type { Identity } from '../../edge/authentication/identity.ts';
import { storedId } from '../../edge/records/keywords.ts';
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

const description =
  'Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant.';

/** Names that tell runs with one id apart. */
export const RunPlace = Type.Object(
  {
    app: Type.Optional(storedId()),
    user: Type.Optional(storedId()),
    session: Type.Optional(storedId({ description })),
  },
  { title: 'RunPlace' },
);

interface RunRequest {
  readonly identity: Identity;
  readonly params: Static<typeof RunPath>;
  readonly query: Static<typeof RunPlace>;
}

/** The run that a request means. Refuses with 403 another user than the one that a personal token is bound to. */
export function namedRun({ identity, params, query }: RunRequest) {
  const { app: appName = '', user, session: sessionId = '' } = query;
  const { accountId } = identity;
  return { accountId, appName, userId: listedUser(identity, user), sessionId, invocationId: params.invocation_id };
}

/** The user to list. Refuses with 403 another user than the one that a personal token is bound to. */
export function listedUser({ grant }: Identity, asked: string | undefined): string {
  const bound = grant?.userId;
  if (bound !== undefined && asked !== undefined && asked !== bound) {
    throw userForeign();
  }
  return bound ?? asked ?? '';
}
