import { expect, onTestFinished, test, vi } from 'vitest';
import { createAccountChanges } from './account-changes.ts';
import { createDirectory } from './directory.ts';

test('an entry that nobody reads again is forgotten, so that its changes are no longer asked for', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const directory = createDirectory(async (accountId: string) => ({ accountId }), createAccountChanges());
  expect(directory.isEmpty).toBe(true);
  // The cache takes the moment 0 for none.
  await vi.advanceTimersByTimeAsync(1_000);
  await directory.find('ada');
  await vi.advanceTimersByTimeAsync(59_000);
  expect(directory.isEmpty).toBe(false);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(directory.isEmpty).toBe(true);
});
