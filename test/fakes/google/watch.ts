import { type Call, insist, type Reply } from '../upstream/index.ts';
import { bodyOf, checkLabel, mailboxOf } from './gmail-call.ts';
import { googleError } from './google-error.ts';
import { type Mailbox, projectId, type World } from './world.ts';

const lifeMs = 7 * 86_400_000;
const knownFields = ['topicName', 'labelIds', 'labelFilterBehavior', 'labelFilterAction'];

/** Starts or renews the one watch of a mailbox. `publish` gets the test message. */
export function watch(world: World, publish: (mailbox: Mailbox) => void, call: Call, owner: string): Reply {
  const mailbox = mailboxOf(world, call, owner);
  const body = bodyOf(call);
  const unknown = Object.keys(body).find((key) => !knownFields.includes(key));
  insist(unknown === undefined, () => googleError(400, 'badRequest', `Unknown name "${unknown}": Cannot find field.`));
  const topicName = checkTopic(world, mailbox, body.topicName);
  const labelIds = Array.isArray(body.labelIds) ? body.labelIds.map(String) : [];
  for (const label of labelIds) checkLabel(mailbox, label);
  const expiresAt = new Date(world.clock.now().getTime() + lifeMs);
  const { labelFilterBehavior: behavior } = body;
  const isExclude = typeof behavior === 'string' && behavior.toLowerCase() === 'exclude';
  mailbox.watch = { topic: topicName, labelIds, isExclude, expiresAt };
  // Gmail publishes a test message at once.
  publish(mailbox);
  return { status: 200, body: { historyId: String(mailbox.historyId), expiration: String(expiresAt.getTime()) } };
}

/** Ends the watch of a mailbox for everybody. */
export function stop(world: World, call: Call, owner: string): Reply {
  mailboxOf(world, call, owner).watch = undefined;
  return { status: 204 };
}

function checkTopic(world: World, mailbox: Mailbox, name: unknown): string {
  insist(typeof name === 'string' && name.startsWith(`projects/${projectId}/topics/`), () =>
    googleError(400, 'invalidArgument', `Invalid topicName does not match projects/${projectId}/topics/*`),
  );
  const grant = world.topics.get(name);
  const failure = `Error sending test message to Cloud PubSub ${name} : `;
  insist(grant !== undefined, () =>
    googleError(404, 'notFound', `${failure}Resource not found (resource=${name.split('/').at(-1)}).`),
  );
  insist(grant === 'granted', () =>
    googleError(403, 'forbidden', `${failure}User not authorized to perform this action.`),
  );
  const active = activeWatch(world, mailbox);
  insist(active === undefined || active.topic === name, () =>
    googleError(
      400,
      'failedPrecondition',
      'Only one user push notification client allowed per developer (call /stop then try again)',
    ),
  );
  return name;
}

/** The watch of a mailbox, unless it has expired. */
function activeWatch({ clock }: World, { watch: known }: Mailbox): Mailbox['watch'] {
  return known !== undefined && known.expiresAt > clock.now() ? known : undefined;
}

/** Whether a change of a mail with these labels is pushed. */
export function isWatched(world: World, mailbox: Mailbox, labels: readonly string[]): boolean {
  const active = activeWatch(world, mailbox);
  if (active === undefined) return false;
  if (active.labelIds.length === 0) return true;
  return active.labelIds.some((label) => labels.includes(label)) !== active.isExclude;
}
