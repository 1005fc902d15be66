import { findEmailAddress } from '../accounts/email-address.ts';
import type { Context } from '../context.ts';
import { basicAuthDisabled } from '../errors.ts';
import type { MailKind } from './mail-kind.ts';
import { enqueueMail } from './send-mail.ts';

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
