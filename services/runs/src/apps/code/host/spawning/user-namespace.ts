import { execFile } from 'node:child_process';

/** Command that runs another one in a user namespace of its own, in the same process: it reads no memory and no environment of processes outside, though they have its user. */
const command = ['unshare', '--user', '--map-current-user', '--'];

/** The command, if the system allows it for `folder`; else empty. Linux alone has it, and containers and kernels may refuse it. */
export function userNamespace(folder: string): Promise<readonly string[]> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    execFile(program, [...args, 'test', '-r', folder], (error) => resolve(error === null ? command : []));
  });
}
