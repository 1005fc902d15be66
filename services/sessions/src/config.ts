import { positiveInteger } from '@agentmesh/lib/service';

export const settings = {
  /** Seconds after which a run whose executor has stopped renewing is ended. */
  SESSIONS_LEASE_SECONDS: positiveInteger({ default: 10 }),
};
