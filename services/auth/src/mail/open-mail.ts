import { join } from 'node:path';
import { apiPublicUrl, appPublicUrl, type Config } from '../config.ts';
import { createMailTokens, type MailTokens } from '../tokens/mail-token.ts';
import { createFilePost } from './file-post.ts';
import type { Post } from './post.ts';
import { createSmtpPost } from './smtp-post.ts';

/** Everything that rendering and sending account mail needs. */
export interface Mail {
  readonly tokens: MailTokens;
  readonly post: Post;
  /** `box@domain` or `Name <box@domain>`. */
  readonly from: string;
  /** Public URL of the front end, without a slash at its end. */
  readonly publicUrl: string;
  /** Public URL of the gateway, without a slash at its end. */
  readonly apiUrl: string;
}

/** Mail goes out by SMTP if SMTP_URL is set, else it is written to DATA_DIR/outbox. */
export function openMail(config: Config, dataDir: string): Mail {
  const { SMTP_URL: server, MAIL_FROM: from } = config;
  return {
    tokens: createMailTokens(config.ENCRYPT_KEY),
    post: server === undefined ? createFilePost(join(dataDir, 'outbox')) : createSmtpPost(server),
    from: from ?? 'Agent Mesh <agent-mesh@localhost>',
    publicUrl: appPublicUrl(config),
    apiUrl: apiPublicUrl(config),
  };
}
