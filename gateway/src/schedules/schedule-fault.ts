import { MeshError } from '@agentmesh/lib/rpc';
import { type Context, unary } from '../context.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { HttpError, InvalidRequest } from '../edge/errors/request-error.ts';

const fields: Readonly<Record<string, string>> = {
  schedule_cron_invalid: 'cron',
  schedule_timezone_invalid: 'timezone',
  schedule_message_invalid: 'new_message',
  schedule_session_invalid: 'session_id',
  app_not_found: 'app_name',
  app_internal: 'app_name',
};

/** Throws an error about a field as a 422 at that field. Throws other errors unchanged. */
export function namingField(error: unknown): never {
  const field = error instanceof MeshError ? fields[error.reason] : undefined;
  if (field === undefined || !(error instanceof MeshError)) throw error;
  const { message, reason } = error;
  throw new InvalidRequest(
    [{ type: 'value_error', loc: ['body', field], msg: message, ctx: { error: message } }],
    reason,
  );
}

/** Refuses with 422 an app that the account cannot use. */
export async function checkAppName({ agents }: Context, accountId: string, appName: string | undefined): Promise<void> {
  if (appName !== undefined) await agents.checkApp({ accountId, appName }, unary).catch(namingField);
}

/** Refuses with 403 a token that is bound to an end user: its schedules would outlive it, and run without its bounds. */
export function refuseBound({ grant }: Identity): void {
  if (grant?.userId !== undefined) throw new HttpError(403, 'A token that is bound to a user_id has no schedules.');
}
