import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

const pauseMs = 2_000;

/** How addresses are found: as `lookup` of node:dns does it. */
export type LookUp = (host: string, options: { all: true }) => Promise<readonly { readonly address: string }[]>;

/** One look-up at a time in this process: each takes a thread of Node's pool while the name server is silent. */
let looking: Promise<unknown> = Promise.resolve();

/**
 * Calls `onChange` within five seconds when the host of a service's address leads to other IP addresses, because grpc-js asks again only
 * when a connection breaks. Does nothing for an IP address. A name that cannot be resolved is no change.
 */
export function watchAddresses(url: string, onChange: () => void, lookUp: LookUp = lookup): Disposable {
  const host = hostOf(url);
  let known: string | undefined;
  let isAsking = false;
  const look = async (): Promise<void> => {
    const found = await (looking = looking.then(() => addressesOf(host ?? '', lookUp)));
    if (typeof found !== 'string') return;
    if (known !== undefined && found !== known) onChange();
    known = found;
  };
  const ask = (): void => {
    if (isAsking) return;
    isAsking = true;
    void look().finally(() => (isAsking = false));
  };
  if (host === undefined) return { [Symbol.dispose]: () => undefined };
  ask();
  const timer = setInterval(ask, pauseMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The addresses of a name as one text, in an order that is always the same; undefined when there is no answer. */
async function addressesOf(host: string, lookUp: LookUp): Promise<string | undefined> {
  const found = await lookUp(host, { all: true }).catch(() => undefined);
  return found
    ?.map(({ address }) => address)
    .toSorted()
    .join();
}

/** The name in an address; undefined for an IP address, and for schemes without a name. */
function hostOf(url: string): string | undefined {
  const [, host] = /^(?:https?:\/\/|dns:\/\/\/)?([^/:[\]]+)(?::\d+)?\/?$/.exec(url) ?? [];
  return host === undefined || isIP(host) !== 0 ? undefined : host;
}
