import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dumpTables } from './dump-tables.ts';

interface Place {
  readonly where: string;
  readonly text: string;
  /** Names of the secrets that this place may contain, e.g. the token in the answer of a sign-in. */
  readonly reveals: readonly string[];
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | FormData;
}

/** A complete answer. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Collects what leaves a mesh or is stored by it, and finds planted secrets there: in answers, logs, tables and files. */
export class SecretWatch {
  readonly #secrets = new Map<string, string>();
  readonly #places: Place[] = [];

  /** Adds a secret to look for and returns it. `leaks` reports it by its name. Throws for a secret of less than 8 characters. */
  plant(name: string, secret: string): string {
    if (secret.length < 8) throw new Error(`${name} is too short: it could be found by chance`);
    this.#secrets.set(name, secret);
    return secret;
  }

  /** Sends a request and collects its answer. `reveals` names the secrets that the answer may contain. */
  async ask(url: string, asked: Asked = {}, reveals: readonly string[] = []): Promise<Told> {
    const response = await fetch(url, { redirect: 'manual', ...asked });
    const text = await response.text();
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const where = `answer ${response.status} of ${asked.method ?? 'GET'} ${new URL(url).pathname}`;
    this.#places.push({ where, text: `${headers}\n${text}`, reveals });
    return { status: response.status, headers: response.headers, text };
  }

  /** Collects lines of a log. */
  readLog(lines: readonly string[]): void {
    for (const line of lines) this.#places.push({ where: `log: ${line.slice(0, 200)}`, text: line, reveals: [] });
  }

  /** Collects every row of every table of a database. */
  async readDatabase(url: string): Promise<void> {
    for (const line of await dumpTables(url)) {
      this.#places.push({ where: `row of ${line.split(' ', 1)[0]}`, text: line, reveals: [] });
    }
  }

  /** Collects every file directly in a folder. */
  async readFolder(folder: string): Promise<void> {
    for (const file of await readdir(folder)) {
      this.#places.push({ where: `file ${file}`, text: await readFile(join(folder, file), 'utf8'), reveals: [] });
    }
  }

  /** Number of places that were collected. */
  get places(): number {
    return this.#places.length;
  }

  /** Every place that contains a secret which it must not contain, in any of the codings below, as `<name> in <place>`. */
  leaks(): string[] {
    return [...this.#secrets].flatMap(([name, secret]) => {
      const forms = codingsOf(secret);
      const found = this.#places.filter(({ text, reveals }) => !reveals.includes(name) && holdsAny(text, forms));
      return found.map(({ where }) => `${name} in ${where}`);
    });
  }
}

function holdsAny(text: string, forms: readonly string[]): boolean {
  return forms.some((form) => text.includes(form));
}

/** A secret as plain text, in JSON, in a URL, in a form, in hex as PostgreSQL prints bytea, and in base64 at any offset. */
function codingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((shift) => {
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
    // Without the characters at both ends that also depend on neighbouring bytes.
    return coded.slice(Math.ceil((shift * 8) / 6), -3);
  });
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ x: secret }).toString().slice(2),
    bytes.toString('hex'),
    ...shifted,
    ...shifted.map((form) => form.replaceAll('-', '+').replaceAll('_', '/')),
  ];
}
