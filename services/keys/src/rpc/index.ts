import { once } from '@agentmesh/lib/idempotency';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Handlers as AgentIdentity } from './agent-identity/handlers.ts';
import { finalizeCredential } from './agent-identity/finalize-credential.ts';
import type { Context } from '../context.ts';
import { beginCall } from './model-use/begin-call.ts';
import { endCalls } from './model-use/end-calls.ts';
import type { Handlers as ModelUse } from './model-use/handlers.ts';
import { listLimits } from './model-use/list-limits.ts';
import { listUsage } from './model-use/list-usage.ts';
import { sumUsage } from './model-use/sum-usage.ts';
import { setLimit } from './model-use/set-limit.ts';
import { createKey } from './saved-keys/create-key.ts';
import { deleteKey } from './saved-keys/delete-key.ts';
import { getKey } from './saved-keys/get-key.ts';
import type { Handlers as SavedKeys } from './saved-keys/handlers.ts';
import { listKeys } from './saved-keys/list-keys.ts';
import { testKey } from './saved-keys/test-key.ts';
import { updateKey } from './saved-keys/update-key.ts';
import type { Handlers as Signing } from './signing/handlers.ts';
import { sealSecret } from './signing/seal-secret.ts';
import { signMessage } from './signing/sign-message.ts';
import type { Handlers as ToolKeys } from './tool-keys/handlers.ts';
import { openToolKey } from './tool-keys/open-tool-key.ts';

/** Every RPC of agent identity. */
export function agentIdentityHandlers(context: Context): AgentIdentity {
  return { finalizeCredential: finalizeCredential(context) };
}

/** Every RPC of saved keys. */
export function savedKeysHandlers(context: Context): SavedKeys {
  const { method } = SavedKeysService;
  return {
    createKey: once(context, method.createKey, createKey),
    listKeys: listKeys(context),
    getKey: getKey(context),
    updateKey: once(context, method.updateKey, updateKey),
    deleteKey: deleteKey(context),
    testKey: testKey(context),
  };
}

/** Every RPC of the use of models. */
export function modelUseHandlers(context: Context): ModelUse {
  return {
    beginCall: beginCall(context),
    endCalls: endCalls(context),
    listUsage: listUsage(context),
    sumUsage: sumUsage(context),
    listLimits: listLimits(context),
    setLimit: setLimit(context),
  };
}

/** Every RPC of keys of tools. */
export function toolKeysHandlers(context: Context): ToolKeys {
  return { openToolKey: openToolKey(context) };
}

/** Every RPC of signing secrets. */
export function signingHandlers(context: Context): Signing {
  return { sealSecret: sealSecret(context), signMessage: signMessage(context) };
}
