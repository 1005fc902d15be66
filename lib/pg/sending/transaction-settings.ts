import { type BoundStatement, bindStatement } from './statement-batch.ts';
import { timelineOfServer } from './timeline.ts';

/** Settings that each transaction sets for itself, because its session behind a pooler has none of them. */
export interface TransactionSettings {
  /** Statements, each with a semicolon, for the beginning of a transaction. Blank without settings. */
  readonly script: string;
  /** The same for the beginning of a batch; none without settings. The first row of the first has the column `timeline`. */
  readonly statements: readonly BoundStatement[];
}

/** `settings` are texts such as `search_path=sessions`, of names and values that need no quotes. */
export function transactionSettings(settings: readonly string[]): TransactionSettings {
  if (settings.length === 0) return { script: '', statements: [] };
  const pairs = settings.map((setting) => setting.split('=') as [string, string]);
  // `set_config`, because `set local` in a batch would log a warning.
  const calls = pairs.map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return {
    script: pairs.map(([name, value]) => `set local ${name} = ${value};`).join(''),
    statements: [bindStatement({ text: `select ${calls.join(', ')}, ${timelineOfServer} as timeline` })],
  };
}
