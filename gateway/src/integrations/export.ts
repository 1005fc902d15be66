import { unary } from '../context.ts';
import type { ExportPart } from '../export-part.ts';
import { integrationJson } from './integration-json.ts';

/** Connected mail accounts, without their tokens. */
export const integrationExport: ExportPart = {
  kinds: ['integration'],
  async *read({ integrations }, { accountId }) {
    const listed = await integrations.listIntegrations({ accountId }, unary);
    for (const integration of listed.integrations) yield { kind: 'integration', data: integrationJson(integration) };
  },
};
