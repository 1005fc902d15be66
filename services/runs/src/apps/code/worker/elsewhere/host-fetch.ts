import type { GuardedFetch } from '@agentmesh/lib/outbound';
import type { FetchAnswer } from '../../protocol.ts';
import type { Channel } from '../channel.ts';
import { requireRun } from '../current-run.ts';

const usualBytes = 1024 * 1024;

/** A fetch of the host, which reaches only permitted addresses. */
export function createHostFetch(channel: Channel): GuardedFetch {
  return async (url, { headers = {}, maxBodyBytes = usualBytes, signal } = {}) => {
    const run = requireRun('An address can be fetched');
    const asked = channel.ask({ to: 'fetch', url, headers, maxBodyBytes }, { run, signal });
    const { headers: sent, ...answer } = (await asked) as FetchAnswer;
    return { ...answer, headers: new Headers(sent.map(([name, value]) => [name, value])) };
  };
}
