import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { purgeAccountChanges } from '../store/account-changes.ts';
import { purgeAudit } from '../store/audit.ts';
import { purgeDeviceSignIns } from '../store/device-sign-ins.ts';
import { purgeMailTokens } from '../store/mail-tokens.ts';
import { purgeNotices } from '../store/notices.ts';
import { purgePersonalTokens } from '../store/personal-tokens.ts';
import { purgeSignIns } from '../store/sign-ins.ts';

const pauseMs = 10 * 60_000;

/** Creates the job that deletes expired rows and mail files. */
export function createPurge(context: Context): Job {
  return { pauseMs, failure: 'expired rows could not be deleted', run: () => purge(context) };
}

/** Deletes what has expired now. */
export async function purge({ config, db, mail }: Context): Promise<void> {
  await purgeSignIns(db);
  await purgePersonalTokens(db);
  await purgeDeviceSignIns(db);
  await purgeAccountChanges(db);
  await purgeMailTokens(db);
  await purgeNotices(db);
  await purgeAudit(db, config.AUTH_AUDIT_RETENTION_DAYS);
  await mail.post.purge();
}
