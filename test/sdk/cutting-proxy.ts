import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Passes connections on to a server, and cuts each one after a random number of bytes of its answers. */
export class CuttingProxy implements AsyncDisposable {
  cuts = 0;
  /** Pieces of answers that were passed on. */
  answers = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL, mostBytes: number) {
    this.#server = createServer((client) => {
      const server = connect(Number(target.port), target.hostname);
      let left = 1 + Math.floor(Math.random() * mostBytes);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.on('data', (bytes) => server.write(bytes));
      server.on('data', (bytes) => {
        this.answers += 1;
        const passed = bytes.subarray(0, left);
        left -= passed.length;
        if (left > 0) return void client.write(passed);
        this.cuts += 1;
        client.write(passed, () => client.resetAndDestroy());
      });
    });
  }

  static async start(url: string, mostBytes: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url), mostBytes);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server.close(), 'close');
  }
}
