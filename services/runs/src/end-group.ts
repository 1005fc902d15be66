/**
 * Sends a signal to a child process that was started with `detached`, and to all processes that it has started, unless they have left its group. Does
 * nothing when none of them is there any more.
 */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
