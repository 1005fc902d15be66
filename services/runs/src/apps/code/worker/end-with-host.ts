/** Ends this process, and those that the code has started, when the host is gone. */
export function endWithHost(): void {
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
}
