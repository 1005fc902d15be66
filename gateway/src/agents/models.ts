import { Type } from 'typebox';
import type { App } from '../context.ts';

const Model = Type.Object({ id: Type.String(), name: Type.String(), tag: Type.String() });

const ModelList = Type.Object(
  {
    providers: Type.Array(
      Type.Object({ provider: Type.String(), requires_api_key: Type.Boolean(), models: Type.Array(Model) }),
    ),
  },
  { title: 'ModelList' },
);

/** Models that a form may propose. Every other model of these providers may be named too: there is no catalogue. */
const proposals = {
  providers: [
    {
      provider: 'openai',
      requires_api_key: true,
      models: [{ id: 'openai/gpt-5-mini', name: 'GPT-5 mini', tag: 'Recommended' }],
    },
    {
      provider: 'anthropic',
      requires_api_key: true,
      models: [{ id: 'anthropic/claude-sonnet-4-5', name: 'Claude Sonnet 4.5', tag: 'Recommended' }],
    },
    {
      provider: 'gemini',
      requires_api_key: true,
      models: [{ id: 'gemini/gemini-2.5-flash', name: 'Gemini 2.5 Flash', tag: 'Recommended' }],
    },
    { provider: 'echo', requires_api_key: false, models: [{ id: 'echo/echo', name: 'Echo', tag: 'No network' }] },
  ],
};

/** The models that a form may propose. */
export function modelRoute(app: App): void {
  app.get(
    '/api/models',
    {
      schema: {
        tags: ['agents'],
        operationId: 'listModels',
        summary: 'List models to choose from',
        description: 'A model of each provider. Agents may name any other model of these providers.',
        response: { 200: ModelList },
      },
    },
    () => proposals,
  );
}
