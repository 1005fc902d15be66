import { styleText } from 'node:util';

interface Line {
  readonly level: string;
  readonly time: string;
  readonly service?: string;
  readonly app?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** Fields that say nothing to a person at a terminal, or stand elsewhere in the line. */
const hidden = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'name',
  'service',
  'app',
  'msg',
  'err',
  'accountId',
  'trace',
]);
const colours: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  debug: 'gray',
};

/** A destination for a logger that prints its lines for a person: `12:34:56 runs desk run failed  ms=12`, with the stack of an error behind it. */
export function plainLines(print: (text: string) => void): { write(json: string): void } {
  return { write: (json) => print(plainLine(JSON.parse(json) as Line)) };
}

function plainLine(line: Line): string {
  const { level, time, service, app, msg = '', err } = line;
  const colour = colours[level];
  const words = [clockOf(time), colour === undefined ? '' : level.toUpperCase(), service, app, msg];
  const said = words.filter((word) => word !== undefined && word !== '').join(' ');
  const fields = Object.entries(line).filter(([key]) => !hidden.has(key));
  const facts = fields.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = err === undefined ? '' : `\n${err.stack ?? err.message ?? ''}`;
  const text = `${said}${facts.length > 0 ? ` ${facts.join('')}` : ''}${stack}\n`;
  return colour === undefined ? text : styleText(colour, text);
}

/** The local time of day. */
function clockOf(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB');
}
