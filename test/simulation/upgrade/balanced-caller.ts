import { Caller } from '../../caller.ts';

/** A load balancer: each request goes to the next one of the addresses that are in service. */
export class LoadBalancer {
  readonly #addresses = new Map<string, string>();
  readonly #underWay = new Map<string, number>();
  #turn = 0;

  /** Puts a server into service. */
  add(name: string, address: string): void {
    this.#addresses.set(name, address);
  }

  /** Takes a server out of service. Answers its address. */
  remove(name: string): string | undefined {
    const address = this.#addresses.get(name);
    this.#addresses.delete(name);
    return address;
  }

  /** Requests that are under way to an address. A pod that terminates serves them, until `preStopSeconds` are over. */
  underWay(address: string): number {
    return this.#underWay.get(address) ?? 0;
  }

  async send<T>(request: (address: string) => Promise<T>): Promise<T> {
    const addresses = [...this.#addresses.values()];
    const address = addresses[(this.#turn += 1) % addresses.length] ?? '';
    this.#underWay.set(address, this.underWay(address) + 1);
    try {
      return await request(address);
    } finally {
      this.#underWay.set(address, this.underWay(address) - 1);
    }
  }
}

/** A caller before whom a load balancer stands. */
export class BalancedCaller extends Caller {
  readonly #balancer: LoadBalancer;

  constructor(balancer: LoadBalancer) {
    super('');
    this.#balancer = balancer;
  }

  override request: Caller['request'] = (...request) =>
    this.#balancer.send((address) => new Caller(address, this.token).request(...request));

  override fetch(...request: Parameters<Caller['fetch']>): Promise<Response> {
    return this.#balancer.send((address) => new Caller(address, this.token).fetch(...request));
  }
}
