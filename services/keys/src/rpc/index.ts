import type { Mesh } from '@agentmesh/lib/rpc';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { SigningService } from '@agentmesh/proto/keys/v1/signing';
import { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { Context } from '../context.ts';
import { agentIdentityHandlers } from './agent-identity/index.ts';
import { integrationsHandlers } from './integrations/index.ts';
import { modelUseHandlers } from './model-use/index.ts';
import { savedKeysHandlers } from './saved-keys/index.ts';
import { signingHandlers } from './signing/index.ts';
import { toolKeysHandlers } from './tool-keys/index.ts';

/** The table of contents: serves every contract of the service. */
export function serveContracts(mesh: Pick<Mesh, 'serve'>, context: Context): void {
  mesh.serve(KeysService, agentIdentityHandlers(context));
  mesh.serve(SavedKeysService, savedKeysHandlers(context));
  mesh.serve(ModelUseService, modelUseHandlers(context));
  mesh.serve(ToolKeysService, toolKeysHandlers(context));
  mesh.serve(SigningService, signingHandlers(context));
  mesh.serve(IntegrationsService, integrationsHandlers(context));
}
