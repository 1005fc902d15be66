import { AccountDeletedSchema, AuthService, type ReportErasureRequest } from '@agentmesh/proto/auth/v1';
import { unserved } from '../../rpc/testing/index.ts';
import { defineService } from '../service.ts';
import type { Bus } from '../../bus/index.ts';
import { appendToStream } from '../../bus/testing/index.ts';

// One replica of a service acts on each deletion, whichever it is: all replicas of a test ask about the same accounts.
const deleted = new Set<string>();
const waiting = new Map<string, (report: ReportErasureRequest) => void>();

/** Stands in for auth in tests of one service: it knows the deletions that the test announces, and takes the reports. */
export function fakeDeletions() {
  return {
    /** Service that a process starts in place of auth. */
    service: defineService({
      name: 'auth',
      settings: {},
      async start({ mesh }) {
        mesh.serve(AuthService, {
          ...unserved(AuthService),
          // The keys service waits for webhooks.
          checkErasure: ({ accountId }) => ({ isDeleted: deleted.has(accountId), confirmed: ['webhooks'] }),
          reportErasure: (report) => {
            waiting.get(report.accountId)?.(report);
            return {};
          },
        });
        return {};
      },
    }),
    /** Announces that an account was deleted, as auth does. Resolves with the report of the service. */
    announce: async (bus: Bus, accountId: string): Promise<ReportErasureRequest> => {
      deleted.add(accountId);
      const { promise, resolve } = Promise.withResolvers<ReportErasureRequest>();
      waiting.set(accountId, resolve);
      await appendToStream(bus, AccountDeletedSchema, [{ accountId }]);
      return promise;
    },
  };
}
