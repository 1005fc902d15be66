import { openJobs } from '@agentmesh/lib/jobs';
import { defineService } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import { askByMail } from './jobs/ask-by-mail.ts';
import { readMailboxTask } from './mail/read-mailbox-task.ts';
import { mailOwner, tellOwner } from './mail/tell-owner.ts';
import { reencrypt } from './reencrypt.ts';
import { tellPaused } from './schedules/tell-paused.ts';
import { startMail } from './start-mail.ts';
import { startRunWebhooks } from './start-run-webhooks.ts';
import { startClock } from './clock.ts';
import { DueWork } from './due-work.ts';
import { startSchedules } from './start-schedules.ts';

/** Subscriptions to mailboxes and schedules, which run agents. Webhooks of runs: their ends are told to others. */
export const webhooks = defineService({
  name: 'webhooks',
  calls: ['artifacts', 'auth', 'keys', 'runs', 'sessions'],
  database: { migrations: new URL('../migrations/', import.meta.url), jobs: true },
  settings,
  commands: ['reencrypt'],
  async command(_, { openDatabase, print, reseal }) {
    await reencrypt({ db: await openDatabase(), reseal: reseal(), print });
  },
  async start(host) {
    const { bus, log, metrics, resources, draining } = host;
    const db = await host.openDatabase();
    const jobs = resources.use(
      await openJobs({
        service: 'webhooks',
        db,
        tasks: [readMailboxTask, tellOwner, mailOwner, askByMail, tellPaused],
        log,
        metrics,
        draining,
      }),
    );
    const clock = await startClock(host, db);
    const due = new DueWork({ db, clock });
    const runWebhooks = startRunWebhooks(host, { db, clock, due });
    const mail = await startMail(host, { db, clock, jobs, due }, runWebhooks);
    await startSchedules(host, { db, clock, jobs, due });
    resources.defer(await bus.consume(AccountDeletedSchema, 'webhooks', onAccountDeleted(mail.context)));

    return {
      ready: { database: () => db.ping() },
      optionalSiblings: { clock: async () => clock.check() },
      settle: mail.settle,
    };
  },
});
