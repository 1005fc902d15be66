import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import type { Counter } from 'prom-client';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import {
  type ConsumerCallsTaker,
  type ConsumerGrant,
  type ConsumerGrants,
  type Input,
  MeshError,
  meshWord,
} from '../call/index.ts';
import { accountsOf, canNameAccount } from './account-fields.ts';

export interface ConsumerGateOptions {
  readonly grants: ConsumerGrants;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly audit?: ConsumerCallsTaker | undefined;
}

/** A call of a consumer that its grant lets in. */
export interface ConsumerCall {
  /** The request, whose accounts the grant names. Throws MeshError, or rejects where the request is a stream. */
  checked(input: Input): Input;
  /** Counts the call and writes its line of the audit. */
  ended(code: string, ms: number): void;
}

/** Lets in programs outside of the mesh: the methods and the accounts of their grants, and nothing else. */
export class ConsumerGate {
  readonly #grants: ConsumerGrants;
  readonly #log: Logger;
  readonly #calls: Counter<'consumer' | 'service' | 'method' | 'code'>;

  readonly #audit: ConsumerCallsTaker | undefined;

  constructor({ grants, log, metrics, audit }: ConsumerGateOptions) {
    this.#grants = grants;
    this.#audit = audit;
    this.#log = log;
    this.#calls = metrics.counter({
      name: 'agentmesh_consumer_calls_total',
      help: 'Calls of programs outside of the mesh, by consumer, service, method and code.',
      labelNames: ['consumer', 'service', 'method', 'code'],
    });
  }

  /** Undefined: the caller is no consumer. Throws MeshError when it may not call the method. */
  open(method: DescMethod, consumer: string): ConsumerCall | undefined {
    const grant = this.#grants.get(consumer);
    if (grant === undefined) return undefined;
    const checking: Checking = { grant, method, accounts: new Set(), isRefused: false };
    const ended = (code: string, ms: number): void => this.#record({ ...checking, consumer, code, ms });
    if (!grant.methods.has(grantName(method))) {
      checking.isRefused = true;
      ended('permission_denied', 0);
      throw new MeshError('permission_denied', 'consumer_refused', `${consumer} may not call ${grantName(method)}`);
    }
    return { checked: (input) => checked(input, checking), ended };
  }

  #record({ consumer, method, accounts, isRefused, code, ms }: EndedCall): void {
    const service = meshWord(method.parent);
    this.#audit?.add({ consumer, service, method: method.name, isRefused }, accounts);
    this.#calls.inc({ consumer, service, method: method.name, code });
    const line = { audit: true, consumer, rpc: grantName(method), accounts: [...accounts], code, ms: Math.round(ms) };
    this.#log.info(line, 'call of a consumer');
  }
}

interface EndedCall extends Checking {
  readonly consumer: string;
  readonly code: string;
  readonly ms: number;
}

interface Checking {
  readonly grant: ConsumerGrant;
  readonly method: DescMethod;
  /** Takes the accounts that the request names. */
  readonly accounts: Set<string>;
  /** The grant has no such method or account. */
  isRefused: boolean;
}

function checked(input: Input, checking: Checking): Input {
  if (!(Symbol.asyncIterator in input)) {
    note(input, checking);
    return input;
  }
  return (async function* () {
    for await (const message of input) {
      note(message, checking);
      yield message;
    }
  })();
}

function note(message: Message, checking: Checking): void {
  const { grant, method, accounts } = checking;
  for (const account of accountsOf(method.input, message)) {
    accounts.add(account);
    if (grant.accounts?.has(account) === false) throw accountRefused(checking);
  }
  if (grant.accounts !== undefined && accounts.size === 0) throw accountRefused(checking);
}

function accountRefused(checking: Checking): MeshError {
  checking.isRefused = true;
  return new MeshError('permission_denied', 'account_refused', 'The consumer may not act for this account');
}

function grantName(method: DescMethod): string {
  return `${meshWord(method.parent)}.${method.name}`;
}

/** The faults of grants for services of this process, as sentences. */
export function grantFaults(grants: ConsumerGrants, services: readonly DescService[]): string[] {
  const methods = new Map(services.flatMap((it) => it.methods).map((method) => [grantName(method), method]));
  const words = new Set(services.map(meshWord));
  return [...grants].flatMap(([consumer, { methods: granted, accounts }]) =>
    [...granted].flatMap((name) => {
      const method = methods.get(name);
      if (method === undefined)
        return words.has(name.split('.', 1)[0] ?? '') ? [`${consumer}: there is no ${name}`] : [];
      if (accounts === undefined || canNameAccount(method.input)) return [];
      return [`${consumer}: a request of ${name} names no account, so its accounts have to be ["*"]`];
    }),
  );
}
