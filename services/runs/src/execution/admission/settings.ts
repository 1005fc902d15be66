import { positiveInteger, wholeNumber } from '@agentmesh/lib/service';
import type { AdmissionLimits } from './admission.ts';

/** The settings that limit how many runs execute and wait. */
export const admissionSettings = {
  RUNS_MAX_CONCURRENT: positiveInteger({ default: 2_048, desc: 'runs that one process executes; others wait' }),
  RUNS_MAX_QUEUED: wholeNumber({
    default: 8_192,
    desc: 'runs that wait in one process; further ones are answered 429. 0: no run waits for room',
  }),
  RUNS_ACCOUNT_MAX_CONCURRENT: positiveInteger({
    default: 1_024,
    desc: 'runs of one account that all processes execute; others wait',
  }),
  RUNS_ACCOUNT_MAX_QUEUED: wholeNumber({
    default: 4_096,
    desc: 'runs of one account that wait in all processes; further ones are answered 429. 0: no run waits for room',
  }),
};

type Cleaned = { readonly [Name in keyof typeof admissionSettings]: number };

export function readAdmissionLimits(settings: Cleaned): AdmissionLimits {
  return {
    maxConcurrent: settings.RUNS_MAX_CONCURRENT,
    maxQueued: settings.RUNS_MAX_QUEUED,
    accountMaxConcurrent: settings.RUNS_ACCOUNT_MAX_CONCURRENT,
    accountMaxQueued: settings.RUNS_ACCOUNT_MAX_QUEUED,
  };
}
