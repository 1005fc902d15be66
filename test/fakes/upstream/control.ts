import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, FaultAction } from './faults.ts';
import type { Call, Reply } from './reply.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Parts of a fake that its control routes act on. */
export interface Controlled {
  readonly clock: VirtualClock;
  readonly calls: readonly Call[];
  readonly addFault: (fault: Fault) => void;
  readonly reset: () => void;
}

const names: Readonly<Record<string, FaultAction>> = {
  dropConnection: 'drop',
  loseAnswer: 'lose',
  truncateBody: 'truncate',
  malformedJson: 'malformed',
};

/**
 * Serves the control routes that every fake has, for tests in another process: `POST /__fake/faults` with `{match: {method, path}, times, action}`,
 * `POST /__fake/reset`, `GET /__fake/requests` and `POST /__fake/clock` with `{advanceMs}`. `path` is exact, or a pattern when it begins with `^`.
 * `action` is one of the names above, `{delayMs}` or `{status, body, headers}`. Undefined: another path.
 */
export async function control(call: Call, controlled: Controlled): Promise<Reply | undefined> {
  const { clock, calls, addFault, reset } = controlled;
  if (!call.path.startsWith('/__fake/')) return undefined;
  switch (`${call.method} ${call.path}`) {
    case 'POST /__fake/faults':
      try {
        addFault(readFault(call.body));
      } catch (error) {
        return { status: 400, body: { error: String(error) } };
      }
      return { status: 204 };
    case 'POST /__fake/reset':
      reset();
      return { status: 204 };
    case 'GET /__fake/requests':
      return { status: 200, body: calls.map(({ query, ...rest }) => ({ ...rest, query: Object.fromEntries(query) })) };
    case 'POST /__fake/clock':
      await clock.advance((JSON.parse(call.body) as { advanceMs: number }).advanceMs);
      return { status: 200, body: { now: clock.now() } };
    default:
      return undefined;
  }
}

interface PostedFault {
  readonly match?: { readonly method?: string; readonly path?: string };
  readonly times?: number;
  readonly action: string | { readonly delayMs: number } | Reply;
}

function readFault(body: string): Fault {
  const { match = {}, times = 1, action } = JSON.parse(body) as PostedFault;
  const { method, path } = match;
  return {
    times,
    action: readAction(action),
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path: path.startsWith('^') ? new RegExp(path) : path }),
  };
}

function readAction(action: PostedFault['action']): FaultAction {
  if (typeof action !== 'string') return 'delayMs' in action ? { wait: () => pause(action.delayMs) } : action;
  const named = names[action];
  if (named === undefined) throw new Error(`The fake does not know the action ${action}.`);
  return named;
}
