import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import { attachmentNotFound } from '../../errors.ts';
import type { AttachedLog } from '../../store/attachment-claims.ts';

/** An attachment of a log, with the place where it is stored. */
export interface WantedAttachment {
  readonly log: AttachedLog;
  readonly filename: string;
  readonly contentType: string;
  /** Artifact in the session of the log's runs. */
  readonly key: {
    readonly accountId: string;
    readonly appName: string;
    readonly userId: string;
    readonly sessionId: string;
    readonly name: string;
  };
}

/** Finds an attachment by its name in the log. Throws `attachment_not_found`. */
export async function wantedAttachment(
  auth: Client<typeof AuthService>,
  log: AttachedLog,
  filename: string,
): Promise<WantedAttachment> {
  const listed = JSON.parse(log.attachments) as { filename: string; content_type: string }[];
  const found = listed.find((attachment) => attachment.filename === filename);
  if (found === undefined) throw attachmentNotFound();
  const { account } = await auth.getAccount({ id: log.account_id }, { timeoutMs: 10_000 });
  const key = {
    accountId: log.account_id,
    appName: `agent${log.agent_id}`,
    userId: account?.email ?? log.account_id,
    sessionId: `webhook_${log.id}`,
    name: `attachments/${filename}`,
  };
  return { log, filename, contentType: mediaType(found.content_type), key };
}

/** The sender chose the type. */
function mediaType(text: string): string {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(text) ? text.toLowerCase() : 'application/octet-stream';
}
