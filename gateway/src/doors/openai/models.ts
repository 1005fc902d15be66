import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { modelsAreApps, openAiProblem } from './openai-problem.ts';

const reads = routeFamily({
  tag: 'doors',
  caller: 'account',
  scope: 'apps:read',
  holdsNoUserData: true,
  problemAs: openAiProblem,
});

const ModelPath = Type.Object({ model: Type.String() });

/** Apps as OpenAI's models. */
export function modelRoutes(app: App, { runs, authentication }: Context): void {
  const namesOf = async (accountId: string) =>
    (await runs.listApps({ accountId }, unary)).apps.map(({ name }) => name).toSorted();
  app.get('/v1/models', reads(authentication, { hide: true }), async ({ identity }) => {
    const names = await namesOf(identity.accountId);
    return { object: 'list', data: names.map(modelOf) };
  });
  app.get('/v1/models/:model', reads(authentication, { hide: true, params: ModelPath }), async (request) => {
    const { model } = request.params;
    const names = await namesOf(request.identity.accountId);
    if (!names.includes(model)) throw new HttpError(404, `There is no app ${JSON.stringify(model)}. ${modelsAreApps}`);
    return modelOf(model);
  });
}

/** The mesh does not know when an app was made: `created` is 0. */
function modelOf(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'agentmesh' };
}
