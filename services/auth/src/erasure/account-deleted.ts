import type { Fact } from '@agentmesh/lib/bus';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { create, toBinary } from '@bufbuild/protobuf';

/** The fact that tells every service to erase an account. */
export function accountDeleted(accountId: string): Fact {
  const payload = toBinary(AccountDeletedSchema, create(AccountDeletedSchema, { accountId }));
  return { subject: 'agentmesh.auth.v1.account_deleted', payload };
}
