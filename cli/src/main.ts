import { AgentMeshError, PathValueError } from '@agentmesh/client';
import { Command, CommanderError } from 'commander';
import { addAgents } from './records/agents.ts';
import { addArtifacts } from './records/artifacts.ts';
import { addExport } from './records/export.ts';
import { addRecordCommands } from './records/lists.ts';
import { addSessions } from './records/sessions.ts';
import { addChat } from './runs/chat.ts';
import { addRunCommands } from './runs/run-commands.ts';
import { addCompletion } from './setup/completion.ts';
import { addDoctor } from './setup/doctor.ts';
import { addLogin } from './setup/login.ts';
import { addProject } from './setup/project.ts';
import { adviceFor } from './terminal/advice.ts';
import { exitCode, UsageError } from './terminal/exit-code.ts';
import manifest from '../package.json' with { type: 'json' };

const program = new Command('agentmesh')
  .description(
    'Agent Mesh at the terminal. AGENTMESH_URL and AGENTMESH_TOKEN name the server and the token, else those of login are used.',
  )
  .option('--url <url>', 'address of the server')
  .option('--json', 'print JSON, for programs')
  .addHelpText('after', '\nagentmesh --version prints the version of the command.')
  .showHelpAfterError('(type agentmesh help for the commands)');
// An option of the program is one of every command too, and would hide that of `artifacts get`.
if (process.argv[2] === '--version') program.version(manifest.version, '--version');

for (const add of [
  addProject,
  addLogin,
  addRunCommands,
  addChat,
  addSessions,
  addArtifacts,
  addAgents,
  addRecordCommands,
  addExport,
  addDoctor,
  addCompletion,
])
  add(program);
for (const command of allOf(program)) command.exitOverride();

// A program such as `head` stops reading when it has enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout) process.stderr.write(`agentmesh: The output cannot be written: ${error.message}\n`);
    process.exit(exitCode.failed);
  });
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}
await Promise.all([process.stdout, process.stderr].map(written));
// Connections that are kept alive would hold the process.
process.exit();

/** Resolves when a stream has written all of its text: into a pipe it is written later. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** Tells a person what went wrong and what to type. Returns the exit code. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.completed : exitCode.wrongUse;
  if (!(error instanceof Error)) throw error;
  const advice = adviceFor(error);
  const code = error instanceof AgentMeshError && error.code !== '' ? ` (${error.code})` : '';
  const message = advice === '' ? error.message : error.message.replace(/\.$/, '');
  process.stderr.write(`agentmesh: ${message}${code}${advice && `. ${advice}`}\n`);
  const isWrongUse = error instanceof UsageError || error instanceof PathValueError;
  return isWrongUse ? exitCode.wrongUse : exitCode.failed;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
