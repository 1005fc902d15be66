import { dumpTables } from './dump-tables.ts';

interface Place {
  readonly where: string;
  readonly text: string;
  /** Names of the secrets that this place is there to hand out. */
  readonly reveals: readonly string[];
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | FormData;
}

/** What came back, read to its end. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Knows secrets, looks at everything that leaves a mesh or rests in it, and tells where one of them is found. */
export class SecretWatch {
  readonly #secrets = new Map<string, string>();
  readonly #places: Place[] = [];

  /** Makes a secret known; answers it. Its name is what a leak is reported by. */
  plant(name: string, secret: string): string {
    if (secret.length < 8) throw new Error(`${name} is too short to be told from chance`);
    this.#secrets.set(name, secret);
    return secret;
  }

  /** Sends a request and keeps the whole answer; `reveals` names the secrets that it is the answer's purpose to hand out. */
  async ask(url: string, asked: Asked = {}, reveals: readonly string[] = []): Promise<Told> {
    const response = await fetch(url, { redirect: 'manual', ...asked });
    const text = await response.text();
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const where = `answer ${response.status} of ${asked.method ?? 'GET'} ${new URL(url).pathname}`;
    this.#places.push({ where, text: `${headers}\n${text}`, reveals });
    return { status: response.status, headers: response.headers, text };
  }

  /** Looks at lines of a log. */
  readLog(lines: readonly string[]): void {
    for (const line of lines) this.#places.push({ where: `log: ${line.slice(0, 200)}`, text: line, reveals: [] });
  }

  /** Looks at every row of every table of a database. */
  async readDatabase(url: string): Promise<void> {
    for (const line of await dumpTables(url)) {
      this.#places.push({ where: `row of ${line.split(' ', 1)[0]}`, text: line, reveals: [] });
    }
  }

  /** How many places were looked at. */
  get places(): number {
    return this.#places.length;
  }

  /** Every place where a secret is found that has no business there, in whatever coding. */
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

/** As text, in JSON, in an address, in a form, as bytea is printed, and in base64 wherever it begins within a group of three. */
function codingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((shift) => {
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
    // Only characters that depend on the secret alone.
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
