import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { startOutboxRelay } from '@agentmesh/lib/bus';
import { openJobs } from '@agentmesh/lib/jobs';
import { signingKeysOf } from '@agentmesh/lib/signing';
import { defineService, startJob } from '@agentmesh/lib/service';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { createAccountNotice } from './accounts/account-notice.ts';
import { ensureSuperadmin } from './accounts/superadmin.ts';
import { checkSettings, warnOfWeakness, weaknesses } from './check-settings.ts';
import { settings } from './config.ts';
import type { Context } from './context.ts';
import { createAskToErase } from './jobs/ask-to-erase.ts';
import { mailTasks, workOnMail } from './jobs/mail-jobs.ts';
import { createPurge } from './jobs/purge.ts';
import { openMail } from './mail/open-mail.ts';
import { openCommonPasswords } from './passwords/common-passwords.ts';
import { createPasswords } from './passwords/password.ts';
import { createHandlers, recordConsumerCalls } from './rpc/index.ts';
import { createFailureLimit } from './sign-ins/failure-limit.ts';
import { createAccessTokens } from './tokens/access-token.ts';

/** Accounts, their passwords, and the access tokens that name them. */
export const auth = defineService({
  name: 'auth',
  settings,
  database: { migrations: new URL('../migrations/', import.meta.url), jobs: true },
  check: checkSettings,
  weaknesses,
  async start(host) {
    const { config, log } = host;
    warnOfWeakness(config, log);
    const isCommon = await openCommonPasswords();
    if (isCommon(config.DEFAULT_SUPERADMIN_PASSWORD ?? '')) {
      log.warn('DEFAULT_SUPERADMIN_PASSWORD is one of the most common passwords: choose another');
    }
    const db = await host.openDatabase();
    const { metrics, draining } = host;
    const queue = { service: 'auth', db, tasks: mailTasks, log, metrics, draining };
    const jobs = host.resources.use(await openJobs(queue));
    const relay = host.resources.use(
      startOutboxRelay({ db, bus: host.bus, topics: [AccountDeletedSchema], log, draining: host.draining }),
    );
    const context: Context = {
      config,
      db,
      jobs,
      log,
      passwords: createPasswords(
        { memoryKib: config.AUTH_ARGON2_MEMORY_KIB, passes: config.AUTH_ARGON2_PASSES, parallelism: 1 },
        isCommon,
      ),
      accessTokens: await createAccessTokens(signingKeysOf(config), config.ACCESS_TOKEN_EXPIRE_MINUTES),
      failures: createFailureLimit(),
      accountChanged: createAccountNotice(host.bus, log),
      mail: openMail(config, host.dataDir),
      wakeOutbox: () => relay.wake(),
    };
    host.resources.use(startJob(createPurge(context), host));
    host.resources.use(startJob(createForgetKeys(db), host));
    host.resources.use(startJob(createAskToErase(context), host));
    await workOnMail(jobs, context);

    await ensureSuperadmin(context);
    host.mesh.serve(AuthService, createHandlers(context));

    const settle = async (): Promise<void> => {
      await jobs.settle();
      await relay.settle();
    };
    return {
      ready: { database: () => db.ping() },
      settle,
      recordConsumerCalls: (service, calls) => recordConsumerCalls(db, service, calls),
    };
  },
});
