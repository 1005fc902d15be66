import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** The bytes of a connection pass, wait for `thaw`, or are discarded. */
type Fate = 'passing' | 'frozen' | 'lost';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  fate: Fate;
  /** Bytes that wait for `thaw`, in their order. */
  readonly held: (() => void)[];
  /** Bytes that arrive later, in their order; each has a timer, which delivers the first of them. */
  readonly delayed: (() => void)[];
}

/** A TCP proxy that does to connections what networks and dying machines do. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #links = new Set<Link>();
  #target: NetConnectOpts;
  #fateOfNew: Fate = 'passing';
  #delayMs = 0;

  private constructor(listener: Server, target: NetConnectOpts) {
    this.#listener = listener;
    this.#target = target;
    listener.on('connection', (client) => this.#accept(client));
  }

  /** Listens on a free port of this machine and passes on to `target`, the URL of a server. */
  static async open(target: string): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: false });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(listener, addressOf(target));
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** The target's address through this proxy. */
  through(target: string): string {
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Open connections, lost ones included. */
  get connections(): number {
    return this.#links.size;
  }

  /** Pieces of bytes that wait for `thaw`. */
  get held(): number {
    return Array.from(this.#links, ({ held }) => held.length).reduce((sum, count) => sum + count, 0);
  }

  /** New connections lead to another server. */
  redirect(target: string): void {
    this.#target = addressOf(target);
  }

  /** Holds all bytes back, also those of new connections, until `thaw`: a machine that is stopped. */
  freeze(): void {
    this.#fateOfNew = 'frozen';
    for (const link of this.#links) if (link.fate === 'passing') link.fate = 'frozen';
  }

  thaw(): void {
    this.#fateOfNew = 'passing';
    for (const link of this.#links) if (link.fate === 'frozen') this.#release(link);
  }

  /** The bytes of the open connections vanish from now on, in both directions. New connections work: a router that forgot them. */
  blackHole(): void {
    for (const link of this.#links) link.fate = 'lost';
  }

  /** Resets the open connections. */
  reset(): void {
    for (const { client, server } of Array.from(this.#links)) {
      client.resetAndDestroy();
      // The socket of a file cannot be reset.
      if (server.remoteFamily === undefined) server.destroy();
      else server.resetAndDestroy();
    }
  }

  /** Every byte arrives this much later. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reset();
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }

  #accept(client: Socket): void {
    const server = connect(this.#target);
    const link: Link = { client, server, fate: this.#fateOfNew, held: [], delayed: [] };
    this.#links.add(link);
    this.#join(link, { from: client, to: server });
    this.#join(link, { from: server, to: client });
  }

  #join(link: Link, { from, to }: { from: Socket; to: Socket }): void {
    from.setNoDelay(true);
    from.on('data', (bytes) => this.#pass(link, () => to.write(bytes)));
    from.on('end', () => this.#pass(link, () => to.end()));
    from.on('error', () => {
      // 'close' follows.
    });
    from.on('close', () => {
      this.#pass(link, () => to.destroy());
      if (link.client.destroyed && link.fate === 'lost') link.server.destroy();
      this.#forgetEnded(link);
    });
  }

  #pass(link: Link, act: () => void): void {
    if (link.fate === 'lost') return;
    if (this.#delayMs === 0 && link.delayed.length === 0) return this.#deliver(link, act);
    link.delayed.push(act);
    setTimeout(() => this.#deliver(link, link.delayed.shift()), this.#delayMs).unref();
  }

  #deliver(link: Link, act: (() => void) | undefined): void {
    if (act === undefined || link.fate === 'lost') return;
    if (link.fate === 'frozen') link.held.push(act);
    else act();
  }

  #release(link: Link): void {
    link.fate = 'passing';
    for (const act of link.held.splice(0)) act();
    this.#forgetEnded(link);
  }

  /** The other side of a frozen connection learns of its end after `thaw`. */
  #forgetEnded(link: Link): void {
    if (link.client.destroyed && link.fate !== 'frozen') this.#links.delete(link);
  }
}

/** Where a target listens. A database may be named by the folder of its socket. */
function addressOf(target: string): NetConnectOpts {
  const { hostname, port } = new URL(target);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port || '5432'}` } : { host, port: Number(port || '5432') };
}
