import { startOutboxRelay } from '@agentmesh/lib/bus';
import { defineService, startJob } from '@agentmesh/lib/service';
import { AccountErasedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { createAccountNotice } from './accounts/account-notice.ts';
import { ensureSuperadmin } from './accounts/superadmin.ts';
import { checkSettings, warnOfWeakness } from './check-settings.ts';
import { settings } from './config.ts';
import { onAccountErased } from './consumers/on-account-erased.ts';
import type { Context } from './context.ts';
import { createAskToErase } from './jobs/ask-to-erase.ts';
import { createPurge } from './jobs/purge.ts';
import { createSendMails, sendDueMails } from './jobs/send-mails.ts';
import { openMail } from './mail/open-mail.ts';
import { createPasswords } from './passwords/password.ts';
import { createHandlers } from './rpc/index.ts';
import { createAccessTokens } from './tokens/access-token.ts';

/** Accounts, their passwords, and the access tokens that name them. */
export const auth = defineService({
  name: 'auth',
  settings,
  check: checkSettings,
  async start(host) {
    const { config, log } = host;
    warnOfWeakness(config, log);
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url));
    const relay = host.resources.use(startOutboxRelay({ db, bus: host.bus, log, draining: host.draining }));
    const context: Context = {
      config,
      db,
      log,
      passwords: createPasswords({
        memoryKib: config.AUTH_ARGON2_MEMORY_KIB,
        passes: config.AUTH_ARGON2_PASSES,
        parallelism: 1,
      }),
      accessTokens: await createAccessTokens(config.ENCRYPT_KEY, config.ACCESS_TOKEN_EXPIRE_MINUTES),
      accountChanged: createAccountNotice(host.bus, log),
      mail: openMail(config, host.dataDir),
      wakeOutbox: () => relay.wake(),
    };
    host.resources.use(startJob(createPurge(context), host));
    host.resources.use(startJob(createAskToErase(context), host));
    host.resources.defer(await host.bus.subscribe(AccountErasedSchema, onAccountErased(context)));
    // Stopping does not wait for this job: an SMTP server may take a minute, and another worker takes over a mail that is cut off.
    startJob(createSendMails(context), host);

    await ensureSuperadmin(context);
    host.mesh.serve(AuthService, createHandlers(context));

    const settle = async (): Promise<void> => {
      await sendDueMails(context);
      await relay.settle();
    };
    return { ready: { database: () => db.ping() }, settle };
  },
});
