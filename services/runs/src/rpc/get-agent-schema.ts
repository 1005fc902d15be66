import type { Handlers } from './handlers.ts';

/** The schema names the tools, which import ADK: it is made at the first call. */
export function getAgentSchema(): Handlers['getAgentSchema'] {
  return async () => {
    const { printAgentSchema } = await import('../apps/files/agent-json-schema.ts');
    return { json: printAgentSchema() };
  };
}
