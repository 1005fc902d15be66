import { MeshError } from '@agentmesh/lib/rpc';
import type { ProviderTraits } from './mail-provider.ts';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';

const reconnect = 'integration_reconnect_required';
const credentials = 'Invalid credentials: connect the mail account again on the Integrations page.';

type Answer = (title: string) => MeshError;

const refused: Answer = (title) =>
  new MeshError('unavailable', 'mail_provider_refused', `${title} refused the request.`);
const away: Answer = (title) =>
  new MeshError('unavailable', 'mail_provider_failed', `${title} did not answer. Try again later.`);
const busy: Answer = (title) =>
  new MeshError('unavailable', 'mail_provider_failed', `${title} takes no more requests for now. Try again later.`);
const misconfigured: Answer = (title) =>
  new MeshError(
    'unavailable',
    'mail_provider_misconfigured',
    `${title} does not accept the client credentials of this server. Its operator has to mend them.`,
  );
const unauthorized: Answer = () => new MeshError('unauthenticated', reconnect, credentials);

const answers: Readonly<Record<ProviderErrorKind, Answer>> = {
  disconnected: (title) =>
    new MeshError(
      'failed_precondition',
      'integration_missing',
      `Your ${title} account is not connected. Connect it on the Integrations page first.`,
    ),
  other_mailbox: () =>
    new MeshError(
      'failed_precondition',
      'integration_other_mailbox',
      'Another mailbox is connected now. Connect the mailbox of this subscription again on the Integrations page, or delete the subscription.',
    ),
  reconnect: unauthorized,
  misconfigured,
  unauthorized,
  publish_forbidden: () =>
    new MeshError(
      'permission_denied',
      'topic_publish_forbidden',
      'User not authorized: the operator has to grant gmail-api-push@system.gserviceaccount.com the role Publisher on the topic.',
    ),
  topic_missing: () =>
    new MeshError(
      'not_found',
      'topic_not_found',
      'Topic not found: the operator has to check GMAIL_PUBSUB_PROJECT_ID and GMAIL_PUBSUB_TOPIC.',
    ),
  other_topic: refused,
  forbidden: refused,
  not_found: refused,
  gone: refused,
  rejected: refused,
  busy,
  unavailable: away,
};

/** Turns an error of a mail provider into one of this service. Returns other errors unchanged. */
export function providerFailure(error: unknown, { title }: ProviderTraits): unknown {
  return error instanceof ProviderError ? answers[error.kind](title) : error;
}
