import { wholeNumberFrom } from '@agentmesh/lib/service';

/** Executors renew every three seconds. A shorter lease would end runs whose executor is alive. */
const shortestLease = 5;

export const settings = {
  /** Seconds after which a run whose executor has stopped renewing is ended. */
  SESSIONS_LEASE_SECONDS: wholeNumberFrom(shortestLease, 3_600)({ default: 10 }),
};
