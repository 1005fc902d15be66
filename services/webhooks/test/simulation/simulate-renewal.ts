import { randomUUID } from 'node:crypto';
import type { Provider } from '../../src/provider.ts';
import { openTestWebhooks, type TestWebhooks } from '../open-test-webhooks.ts';
import { letFail } from './failing-provider.ts';
import { createRandom } from '../../../../test/fakes/random.ts';

export interface RenewalPlan {
  readonly seed: number;
  readonly subscriptions: number;
  readonly days: number;
  /** Minutes between two looks at everything. */
  readonly stepMinutes: number;
}

interface Simulated {
  readonly accountId: string;
  readonly provider: Provider;
  readonly address: string;
  readonly id: number;
}

/** Outcome of a simulation. All fields except `happened` must be empty or zero. */
export interface RenewalOutcome {
  /** Watches that nobody would have tried again, at any time. */
  readonly silent: string[];
  /** Subscriptions that were shown as active while the provider had not forgotten them and did not deliver. */
  readonly wronglyActive: string[];
  /** Subscriptions that are not active, or not registered, in calm weather at the end. */
  readonly dead: string[];
  /** Times without a registration that no catch-up covers. */
  readonly uncovered: string[];
  /** Registrations at Microsoft that belong to no subscription at the end. */
  readonly orphans: number;
  readonly happened: {
    readonly calls: number;
    readonly forgotten: number;
    readonly reconnected: number;
    readonly gaps: number;
  };
}

const hour = 3_600_000;
const day = 24 * hour;
/** Share of calls that fail. */
const failing = 0.2;
/** Starts of two outages of both providers, as shares of the whole time. Each outage lasts 24 hours. */
const outages = [0.3, 0.62];
/** At the end nothing fails any more, so that everything can recover. Longer than a watch of Gmail lives: nothing else tells that one is forgotten. */
const calmMs = 8 * day;

/** Keeps subscriptions at both providers registered for days of virtual time, with two replicas, while calls fail. */
export async function simulateRenewal(plan: RenewalPlan): Promise<RenewalOutcome> {
  await using webhooks = await openTestWebhooks();
  const simulation = new RenewalSimulation(webhooks, plan);
  await simulation.subscribe();
  await simulation.live();
  return await simulation.outcome();
}

class RenewalSimulation {
  readonly #webhooks: TestWebhooks;
  readonly #plan: RenewalPlan;
  readonly #random: () => number;
  /** For what does not depend on the order of concurrent calls, so that the same happens in each run. */
  readonly #fate: () => number;
  readonly #begin: number;
  readonly #stepMs: number;
  readonly #all: Simulated[] = [];
  readonly #forgotten = new Set<string>();
  /** Addresses that are registered at their provider, as of the last look. */
  readonly #registered = new Set<string>();
  /** Time at which the owner renews an expired consent, by account. */
  readonly #reconnectAt = new Map<string, number>();
  /** Time since which a subscription is not registered at its provider. */
  readonly #deadSince = new Map<Simulated, number>();
  readonly #outcome = {
    silent: new Set<string>(),
    wronglyActive: new Set<string>(),
    uncovered: [] as string[],
    forgotten: 0,
    reconnected: 0,
    gaps: 0,
  };

  constructor(webhooks: TestWebhooks, plan: RenewalPlan) {
    this.#webhooks = webhooks;
    this.#plan = plan;
    this.#random = createRandom(plan.seed);
    this.#fate = createRandom(plan.seed + 1);
    this.#begin = this.#now();
    this.#stepMs = plan.stepMinutes * 60_000;
  }

  /** Subscribes half of them to each provider, each in an account of its own, within two days. */
  async subscribe(): Promise<void> {
    const { client, clock, mailAccounts, microsoft, google } = this.#webhooks;
    const { subscriptions } = this.#plan;
    for (let number = 0; number < subscriptions; number += 1) {
      const accountId = randomUUID();
      const provider: Provider = number % 2 === 0 ? 'microsoft' : 'google';
      const address = `user${number}@${provider}.example`;
      (provider === 'microsoft' ? microsoft : google).addUser(address);
      mailAccounts.connect(accountId, provider, address);
      const word = provider === 'microsoft' ? 'vendora_mail' : 'vendorb_mail';
      const { subscription } = await client.createSubscription({ accountId, agentId: 1, provider: word });
      this.#all.push({ accountId, provider, address, id: subscription?.id ?? 0 });
      await clock.advance((2 * day) / subscriptions);
    }
    const weather = { random: this.#random, isOut: () => this.#isOut(), failing: () => (this.#isCalm() ? 0 : failing) };
    for (const upstream of [microsoft.graph, google.gmail]) letFail(upstream, weather);
  }

  async live(): Promise<void> {
    const replicas = [this.#webhooks.replica(), this.#webhooks.replica()];
    while (this.#now() < this.#begin + this.#plan.days * day) {
      await this.#webhooks.clock.advance(this.#stepMs);
      this.#interfere();
      await this.#noteGaps();
      await Promise.all(replicas.map((replica) => replica.round()));
      await this.#inspect();
    }
  }

  async outcome(): Promise<RenewalOutcome> {
    const { silent, wronglyActive, uncovered, forgotten, reconnected, gaps } = this.#outcome;
    const dead: string[] = [];
    await this.#look();
    for (const simulated of this.#all) {
      const { subscription } = await this.#webhooks.client.getSubscription(simulated);
      if (subscription?.status !== 'active' || !this.#registered.has(simulated.address)) dead.push(simulated.address);
    }
    const registered = [...this.#webhooks.microsoft.world.subscriptions.values()];
    const now = this.#webhooks.clock.now();
    const ofMicrosoft = this.#all.filter(({ provider }) => provider === 'microsoft').length;
    return {
      silent: [...silent],
      wronglyActive: [...wronglyActive],
      dead,
      uncovered,
      orphans: registered.filter(({ expiresAt }) => expiresAt > now).length - ofMicrosoft,
      happened: {
        calls: this.#webhooks.microsoft.graph.calls.length + this.#webhooks.google.gmail.calls.length,
        forgotten,
        reconnected,
        gaps,
      },
    };
  }

  /** Providers forget registrations, and consents expire until their owners renew them. */
  #interfere(): void {
    const { microsoft, google, mailAccounts } = this.#webhooks;
    const now = this.#now();
    for (const [key, at] of this.#reconnectAt) {
      if (at > now) continue;
      const [accountId = '', provider = '', address = ''] = key.split(' ');
      mailAccounts.connect(accountId, provider, address);
      this.#reconnectAt.delete(key);
      this.#outcome.reconnected += 1;
    }
    if (this.#isCalm()) return;
    const chance = (this.#plan.subscriptions * this.#stepMs) / (30 * day);
    if (this.#fate() >= chance) return;
    const simulated = this.#all[Math.floor(this.#fate() * this.#all.length)];
    if (simulated === undefined) return;
    const { accountId, provider, address } = simulated;
    if (this.#fate() < 0.3) {
      mailAccounts.expire(accountId, provider);
      this.#reconnectAt.set([accountId, provider, address].join(' '), now + this.#fate() * 2 * day);
      return;
    }
    this.#forgotten.add(address);
    this.#outcome.forgotten += 1;
    if (provider === 'google') google.world.mailboxOf(address).watch = undefined;
    for (const it of microsoft.world.subscriptions.values()) if (it.user.address === address) microsoft.forget(it);
  }

  async #noteGaps(): Promise<void> {
    await this.#look();
    for (const simulated of this.#all) {
      if (this.#registered.has(simulated.address) || this.#deadSince.has(simulated)) continue;
      this.#deadSince.set(simulated, this.#now());
      this.#outcome.gaps += 1;
    }
  }

  async #inspect(): Promise<void> {
    await this.#look();
    const { db, clock } = this.#webhooks.context;
    const silent = `select w.mailbox from watches w where w.state <> 'ending' and w.next_attempt_at is null
      and not (w.state = 'active' and w.expires_at > $1)`;
    for (const { mailbox } of await db.query<{ mailbox: string }>({ text: silent }, [clock.now()])) {
      this.#outcome.silent.add(mailbox);
    }
    const rows = await db.query<{ mailbox: string; is_active: boolean; catch_up_from: Date | null }>(
      {
        text: `select mailbox, state = 'active' and expires_at > $1 as is_active, catch_up_from from watches where state <> 'ending'`,
      },
      [clock.now()],
    );
    const byMailbox = new Map(rows.map((row) => [row.mailbox, row]));
    for (const simulated of this.#all) this.#inspectOne(simulated, byMailbox.get(simulated.address));
    await db.query({ text: 'update watches set catch_up_from = null where catch_up_from is not null' });
  }

  #inspectOne(simulated: Simulated, row: { is_active: boolean; catch_up_from: Date | null } | undefined): void {
    const { address } = simulated;
    const isRegistered = this.#registered.has(address);
    if (row?.is_active === true && !isRegistered && !this.#forgotten.has(address))
      this.#outcome.wronglyActive.add(address);
    const deadSince = this.#deadSince.get(simulated);
    if (!isRegistered || deadSince === undefined || row?.is_active !== true) return;
    this.#deadSince.delete(simulated);
    this.#forgotten.delete(address);
    // A Gmail mailbox keeps its cursor, so that its history covers the gap.
    const isCovered = simulated.provider === 'google' || (row.catch_up_from?.getTime() ?? Infinity) <= deadSince;
    if (!isCovered) this.#outcome.uncovered.push(`${address} ${new Date(deadSince).toISOString()}`);
  }

  /**
   * Reads which mailboxes are registered at their providers now. A subscription at Microsoft counts only with the id that is stored: one whose
   * answer was lost is removed by the next attempt.
   */
  async #look(): Promise<void> {
    const { microsoft, google, clock, context } = this.#webhooks;
    const now = clock.now();
    const text = `select mailbox, provider_id from watches where state <> 'ending' and provider_id is not null`;
    const stored = await context.db.query<{ mailbox: string; provider_id: string }>({ text });
    this.#registered.clear();
    for (const { mailbox, provider_id: id } of stored) {
      if ((microsoft.world.subscriptions.get(id)?.expiresAt ?? now) > now) this.#registered.add(mailbox);
    }
    for (const [address, { watch }] of google.world.mailboxes) {
      if (watch !== undefined && watch.expiresAt > now) this.#registered.add(address);
    }
  }

  #isOut(): boolean {
    const elapsed = this.#now() - this.#begin;
    return outages.some((share) => {
      const since = elapsed - share * this.#plan.days * day;
      return since >= 0 && since < day;
    });
  }

  #isCalm(): boolean {
    return this.#now() > this.#begin + this.#plan.days * day - calmMs;
  }

  #now(): number {
    return this.#webhooks.clock.now().getTime();
  }
}
