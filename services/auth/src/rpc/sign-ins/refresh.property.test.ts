import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';

const graceSeconds = 10;
const lifeSeconds = 2_592_000;

/** Model of a family: its rules without hashes and rows. */
interface Model {
  /** Number of tokens so far. The last is the newest. */
  issued: number;
  sinceRotation: number;
  ended: boolean;
  expired: boolean;
}

/** The real family: its tokens in order. */
interface Real {
  readonly tokens: string[];
  readonly accountId: string;
}

let auth: TestAuth;
let accountId: string;
beforeAll(async () => {
  auth = await openTestAuth();
  accountId = (await auth.client.signUp(signUpOf('ada@example.com'))).account?.id ?? '';
});
afterAll(() => auth[Symbol.asyncDispose]());

/** Returns a token, or the text of a refusal. */
async function refresh(refreshToken: string): Promise<string> {
  try {
    return (await auth.client.refresh({ refreshToken })).refreshToken?.value ?? '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Sends the token that is `back` steps behind the newest to the model. Returns the place of the token that it answers. */
function expected(model: Model, back: number): number | string {
  if (model.expired) return 'Invalid or expired token';
  if (model.ended) return 'Session revoked';
  if (back === 0) {
    model.issued += 1;
    model.sinceRotation = 0;
    return model.issued - 1;
  }
  if (back === 1 && model.sinceRotation < graceSeconds) return model.issued - 1;
  model.ended = true;
  return 'Session revoked';
}

class Show implements fc.AsyncCommand<Model, Real> {
  readonly back: number;
  readonly times: number;

  constructor(back: number, times: number) {
    this.back = back;
    this.times = times;
  }

  check = (model: Readonly<Model>): boolean => this.back < model.issued;

  async run(model: Model, real: Real): Promise<void> {
    const shown = real.tokens.at(-1 - this.back) ?? '';
    const answers = new Set(await Promise.all(Array.from({ length: this.times }, () => refresh(shown))));
    const [answer = ''] = answers;
    const place = expected(model, this.back);
    if (place === real.tokens.length) real.tokens.push(answer);
    deepEqual([...answers], [typeof place === 'string' ? place : real.tokens[place]]);
    equal(new Set(real.tokens).size, model.issued);
  }

  toString = (): string => `show(${this.back} back, ${this.times} at once)`;
}

class Wait implements fc.AsyncCommand<Model, Real> {
  readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  check = (): boolean => true;

  async run(model: Model, _real: Real): Promise<void> {
    model.sinceRotation += this.seconds;
    model.expired ||= this.seconds > lifeSeconds;
    const text = `update sign_ins set rotated_at = rotated_at - make_interval(secs => $1),
      expires_at = expires_at - make_interval(secs => $1)`;
    await auth.context.db.query({ text }, [this.seconds]);
  }

  toString = (): string => `wait(${this.seconds} s)`;
}

class End implements fc.AsyncCommand<Model, Real> {
  readonly how: 'sign out' | 'sign out by an old token' | 'end all';

  constructor(how: End['how']) {
    this.how = how;
  }

  check = (): boolean => true;

  async run(model: Model, { tokens, accountId: id }: Real): Promise<void> {
    model.ended = true;
    if (this.how === 'end all') await auth.client.endSignIns({ accountId: id });
    else await auth.client.signOut({ refreshToken: (this.how === 'sign out' ? tokens.at(-1) : tokens[0]) ?? '' });
  }

  toString = (): string => this.how;
}

test('a family of refresh tokens keeps its rules under any sequence of refreshes', {
  timeout: 120_000,
}, async () => {
  const show = fc.tuple(fc.constantFrom(0, 0, 0, 1, 1, 2, 3), fc.constantFrom(1, 1, 2, 5));
  const commands = fc.commands(
    [
      show.map(([back, times]) => new Show(back, times)),
      show.map(([back, times]) => new Show(back, times)),
      // Every sum of them is five seconds away from the end of the grace, or behind it: the real clock goes on meanwhile.
      fc.constantFrom(5, 11, 60, lifeSeconds + 60).map((seconds) => new Wait(seconds)),
      fc.constantFrom<End['how']>('sign out', 'sign out by an old token', 'end all').map((how) => new End(how)),
    ],
    { maxCommands: 25 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const signedIn = await auth.client.signIn(signUpOf('ada@example.com'));
      const real = { tokens: [signedIn.refreshToken?.value ?? ''], accountId };
      const model = { issued: 1, sinceRotation: graceSeconds, ended: false, expired: false };
      await fc.asyncModelRun(() => ({ model, real }), all);
    }),
    { numRuns: 150 },
  );
});
