import type { Context } from '../../context.ts';
import { disconnect } from './disconnect.ts';
import { finishConnect } from './finish-connect.ts';
import { finishDisconnect } from './finish-disconnect.ts';
import { getAccessToken } from './get-access-token.ts';
import type { Handlers } from './handlers.ts';
import { listEndingIntegrations } from './list-ending-integrations.ts';
import { listIntegrations } from './list-integrations.ts';
import { startConnect } from './start-connect.ts';

/** Every RPC of integrations. */
export function integrationsHandlers(context: Context): Handlers {
  return {
    startConnect: startConnect(context),
    finishConnect: finishConnect(context),
    listIntegrations: listIntegrations(context),
    disconnect: disconnect(context),
    listEndingIntegrations: listEndingIntegrations(context),
    finishDisconnect: finishDisconnect(context),
    getAccessToken: getAccessToken(context),
  };
}
