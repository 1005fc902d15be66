import { vi } from 'vitest';

const { waitFor } = vi;

/** The limit of `vi.waitFor` is for what never happens, not for slow machines. Its own is one second, and no setting changes it. */
vi.waitFor = (callback, options) => {
  const own = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(callback, { timeout: 30_000, ...own });
};
