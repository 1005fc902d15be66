import fc from 'fast-check';

/** Generated cases are the same in every run, so that a new failure comes from a change. Another `VERIFY_SEED` generates others. */
fc.configureGlobal({ seed: Number(process.env.VERIFY_SEED ?? 1) });
