import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { findEmailAddress } from '../email-address.ts';
import type { Config } from '../config.ts';
import { basicAuthDisabled } from '../errors.ts';
import type { MailKind } from '../store/mail-tokens.ts';
import { enqueueMail } from './send-mail.ts';

interface Context {
  readonly config: Pick<Config, 'AUTH_BASIC_ENABLED'>;
  readonly db: Database;
  readonly jobs: Jobs;
}

/**
 * Queues a mail to an address. It does the same work for every address, so its time does not tell whether the address has an
 * account; the worker looks that up later.
 *
 * @throws MeshError not_found `basic_auth_disabled`
 */
export async function requestMail({ config, db, jobs }: Context, kind: MailKind, email: string): Promise<void> {
  if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
  const address = findEmailAddress(email);
  if (address !== undefined) await enqueueMail(db, jobs, { kind, address });
}
