import type { ProviderClient } from '../provider/create-provider-client.ts';
import type { MailAccount } from '../../provider.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';

export interface GmailWatch {
  /** History id at the time of the call, in decimal. */
  readonly historyId: string;
  readonly expiresAt: Date;
}

/** Calls of Gmail about the watch of a mailbox, for one mail account each. Each throws ProviderError. */
export interface GmailWatches {
  /**
   * Starts or renews the watch of the mailbox, which has only one in a project: this call replaces its labels. Without labels it
   * watches all of them. A watch of the same project with another topic is stopped first. `publish_forbidden` and `topic_missing` are
   * mistakes in the Pub/Sub settings.
   */
  watch(mailAccount: MailAccount, labels: readonly string[], accessToken?: string): Promise<GmailWatch>;
  /** Ends the watch of the mailbox, also when there is none. */
  stop(mailAccount: MailAccount): Promise<void>;
}

/** `topic` is its full name, `projects/<project>/topics/<topic>`; without it, watching is `topic_missing`. */
export function createGmailWatches(gmail: ProviderClient, topic: string | undefined): GmailWatches {
  const stop = async (mailAccount: MailAccount): Promise<void> => {
    await gmail.call(mailAccount, { method: 'POST', target: '/gmail/v1/users/me/stop' });
  };
  return {
    watch: async (mailAccount, labels, accessToken) => {
      if (topic === undefined) throw new ProviderError({ kind: 'topic_missing' });
      const filter = labels.length > 0 ? { labelIds: labels, labelFilterBehavior: 'include' } : {};
      const body = { topicName: topic, ...filter };
      const request = { method: 'POST', target: '/gmail/v1/users/me/watch', body } as const;
      const start = () => gmail.call(mailAccount, request, accessToken);
      const answer = await start().catch(async (error: unknown) => {
        if (!(error instanceof ProviderError) || error.kind !== 'other_topic') throw topicError(error);
        await stop(mailAccount);
        return start();
      });
      return readWatch(answer.json);
    },
    stop,
  };
}

/** Only the topic can be missing for this call, or be closed to it. */
function topicError(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { status, code } = error;
  if (error.kind === 'not_found') return new ProviderError({ kind: 'topic_missing', status, code });
  const isOfTopic = error.kind === 'forbidden' && (code === undefined || code === 'forbidden');
  return isOfTopic ? new ProviderError({ kind: 'publish_forbidden', status, code }) : error;
}

function readWatch(json: unknown): GmailWatch {
  const { historyId, expiration } = (json ?? {}) as { historyId?: unknown; expiration?: unknown };
  const expiresAt = new Date(Number(expiration));
  const id = String(historyId);
  if (!/^\d{1,30}$/.test(id) || !(expiresAt.getTime() > 0)) {
    throw unreadable();
  }
  return { historyId: id, expiresAt };
}
