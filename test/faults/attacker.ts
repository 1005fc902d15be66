import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attack, Request, Told } from './attacker-process.ts';

/** An account's hostile servers and its clients, in a process of its own. */
export interface Attacker extends AsyncDisposable {
  /** Address of a server in the form of OpenAI's; the path says how it answers. */
  readonly modelUrl: string;
  readonly mcpUrl: string;
  /** Starts runs at once, and resolves when all have ended: with the codes of their errors, blank for none, and how many lists of tools were asked for so far. */
  attack(attack: Attack): Promise<{ readonly codes: readonly string[]; readonly lists: number }>;
  /** Answers of the model that have not ended. */
  open(): Promise<number>;
}

export async function startAttacker(): Promise<Attacker> {
  const child = fork(fileURLToPath(new URL('attacker-process.ts', import.meta.url)), { execArgv: [] });
  const ended = once(child, 'exit');
  const next = async (): Promise<Told> => {
    const told = once(child, 'message') as Promise<[Told]>;
    const gone = ended.then(() => Promise.reject(new Error('the attacker has ended')));
    return (await Promise.race([told, gone]))[0];
  };
  const ask = (request: Request): Promise<Told> => {
    child.send(request);
    return next();
  };
  const servers = await next();
  if (!('modelUrl' in servers)) throw new Error('the attacker has no servers');
  return {
    ...servers,
    async attack(attack) {
      const told = await ask(attack);
      if (!('codes' in told)) throw new Error('no outcome');
      return told;
    },
    async open() {
      const told = await ask('open');
      return 'open' in told ? told.open : Number.NaN;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
