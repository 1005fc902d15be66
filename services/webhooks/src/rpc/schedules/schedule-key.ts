import { checkAccountId } from '@agentmesh/lib/rpc';
import { isUuid } from '@agentmesh/proto/uuid';
import { scheduleNotFound } from '../../errors.ts';

/** The key of a schedule. Throws `schedule_not_found` for an id that no schedule can have. */
export function checkScheduleKey({ accountId, id }: { readonly accountId: string; readonly id: string }) {
  if (!isUuid(id)) throw scheduleNotFound();
  return { accountId: checkAccountId(accountId), id };
}
