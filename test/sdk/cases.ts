import { readFileSync } from 'node:fs';

/** A conformance case of the clients; sdk/cases/README.md says what its keys mean. */
export interface ClientCase {
  readonly name: string;
  readonly call: { readonly verb: string; readonly args: readonly unknown[] };
  readonly token?: string | readonly string[];
  readonly server: readonly CaseStep[];
  readonly sees: CaseSight;
}

export interface CaseStep {
  readonly request?: CaseRequest;
  readonly answer?: CaseAnswer;
  readonly stream?: CaseStream;
}

export interface CaseRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CaseAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly cutAt?: number;
  readonly pieces?: number;
  readonly destroy?: boolean;
}

export interface CaseStream {
  readonly frames: readonly CaseFrame[];
  readonly cuts?: number | 'everyByte';
  readonly replays?: boolean;
  readonly eol?: string;
}

export interface CaseFrame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
  readonly comment?: string;
  readonly retry?: number;
}

export interface CaseSight {
  readonly value?: unknown;
  /** How long the call takes at least. */
  readonly afterMs?: number;
  readonly error?: {
    readonly class: string;
    readonly code: string;
    readonly status: number;
    readonly message?: string;
  };
  readonly ids?: readonly string[];
  readonly gaps?: readonly string[];
  readonly text?: string;
  readonly status?: string;
}

/** The cases of a file of sdk/cases. */
export function readCases(file: string): ClientCase[] {
  return JSON.parse(readFileSync(new URL(`../../sdk/cases/${file}`, import.meta.url), 'utf8')) as ClientCase[];
}
