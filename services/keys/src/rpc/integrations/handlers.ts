import type { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC of integrations, by its name. */
export type Handlers = ServiceImpl<typeof IntegrationsService>;
