import { Caller } from '../../caller.ts';

/** A caller before whom a load balancer stands: each request goes to the next one of the gateways that are in service. */
export class BalancedCaller extends Caller {
  readonly #urls: () => readonly string[];
  #turn = 0;

  constructor(urls: () => readonly string[]) {
    super('');
    this.#urls = urls;
  }

  override fetch(...request: Parameters<Caller['fetch']>): Promise<Response> {
    const urls = this.#urls();
    const url = urls[(this.#turn += 1) % urls.length] ?? '';
    return new Caller(url, this.token).fetch(...request);
  }
}
