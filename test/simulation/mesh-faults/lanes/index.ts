import type { Caller } from '../../../caller.ts';
import type { Lane } from '../clients/lane.ts';
import type { Mailbox } from '../mail-providers.ts';
import type { Sites } from '../open-sites.ts';
import { createAnswers } from './answers.ts';
import { createArtifacts } from './artifacts.ts';
import { createCancels } from './cancels.ts';
import { createMails } from './mails/account-mails.ts';
import { createMemories } from './memories.ts';
import { createMessages } from './messages.ts';
import { createMultitasks } from './multitasks.ts';
import { createProviderMails } from './mails/provider-mails.ts';
import { createRegisters } from './registers.ts';
import { createSchedules } from './schedules.ts';
import { createTools } from './tools.ts';
import { createViewers } from './viewers.ts';
import { createWebhooks } from './webhooks.ts';

export interface LaneSettings {
  /** The part of the webhooks whose first message is refused. */
  readonly refusedWebhooks: number;
  readonly mailboxes: ReadonlyMap<Caller, readonly Mailbox[]>;
}

/** One lane for each thing that clients do. */
export function createLanes({ effects, receiver, sink }: Sites, { refusedWebhooks, mailboxes }: LaneSettings): Lane[] {
  return [
    createCancels(),
    createMultitasks(),
    createMessages(),
    createRegisters(),
    createTools(effects),
    createAnswers(),
    createWebhooks(receiver, refusedWebhooks),
    createSchedules(),
    createViewers(),
    createArtifacts(),
    createMemories(),
    createMails(sink),
    createProviderMails(mailboxes),
  ];
}
