import { once } from '@agentmesh/lib/idempotency';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Context } from '../../context.ts';
import { createKey } from './create-key.ts';
import { deleteKey } from './delete-key.ts';
import { getKey } from './get-key.ts';
import type { Handlers } from './handlers.ts';
import { listKeys } from './list-keys.ts';
import { testKey } from './test-key.ts';
import { updateKey } from './update-key.ts';

/** Every RPC of saved keys. */
export function savedKeysHandlers(context: Context): Handlers {
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
