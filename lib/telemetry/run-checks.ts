import { withinDeadline } from '../wait/index.ts';

/** Checks by the name of what they check; each throws when it fails. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface CheckResults {
  readonly ready: boolean;
  /** `ok`, `failed` or `timeout` by name. The cause is left out, because its text may name addresses. */
  readonly results: Readonly<Record<string, 'ok' | 'failed' | 'timeout'>>;
}

/** Runs every check at once, each for at most `timeoutMs`. Never rejects. */
export async function runChecks(checks: Checks, timeoutMs = 2_000): Promise<CheckResults> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(check, timeoutMs)] as const),
  );
  return { ready: entries.every(([, result]) => result === 'ok'), results: Object.fromEntries(entries) };
}

async function outcome(check: () => Promise<void>, timeoutMs: number): Promise<'ok' | 'failed' | 'timeout'> {
  try {
    return await withinDeadline<'ok', 'timeout'>(
      check().then(() => 'ok'),
      timeoutMs,
      () => 'timeout',
    );
  } catch {
    return 'failed';
  }
}
