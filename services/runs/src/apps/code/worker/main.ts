import { relative } from 'node:path';
import { format } from 'node:util';
import { isBaseAgent, LLMRegistry } from '@google/adk/core';
import { AppFilesError } from '../../definition/mistake.ts';
import type { HostMessage, LoadRequest } from '../protocol.ts';
import { Channel } from './channel.ts';
import { checkTools } from './loading/check-tree.ts';
import { describeRoot } from './loading/describe-root.ts';
import { endWithHost } from './end-with-host.ts';
import { guardAgents } from './guard-agents.ts';
import { hookModules } from './loading/hooks.ts';
import { currentRun } from './current-run.ts';
import { loadRoot } from './loading/load-app.ts';
import { modelOfName } from './loading/model-of-name.ts';
import { placeOfError, printError } from './loading/place-of-error.ts';
import { plainAnswer } from './plain-answer.ts';
import { RunConsole } from './run-console.ts';
import { textsOfError } from './texts-of-error.ts';
import { type RunnerDeps, TurnRunner } from './turn-runner.ts';

const channel = new Channel();
const runners = new Map<number, TurnRunner>();
const printing = new RunConsole(channel, (run) => runners.has(run));
let deps: RunnerDeps | undefined;
const toolHooks = { onCall: tellCall, onFailure: tellFault, onToolsetFailure: tellMissing, finish: plainAnswer };

/** Loads the app, then tells the host how that went. */
async function load(request: LoadRequest): Promise<void> {
  const { folder, toolTimeoutMs: timeoutMs } = request;
  const read = new Set<string>();
  const files = (): string[] => Array.from(read, (path) => relative(folder, path));
  hookModules(folder, (path) => read.add(path));
  process.on('uncaughtExceptionMonitor', (error) =>
    channel.tell({ kind: 'crash', message: printError(error, folder) }),
  );
  try {
    const { root, plugins, settingsJson } = await loadRoot(request, channel, toolHooks);
    if (isBaseAgent(root)) {
      checkTools(root);
      guardAgents(root, { timeoutMs, ...toolHooks });
    }
    deps = { folder, channel, root, plugins, printing };
    const facts = { ...describeRoot(root, request), ...(settingsJson && { settingsJson }) };
    channel.tell({ kind: 'loaded', ...facts, files: files() });
  } catch (error) {
    const mistakes =
      error instanceof AppFilesError ? error.mistakes : [placeOfError(error, folder, request.entry ?? '')];
    channel.tell({ kind: 'refused', mistakes, files: files() });
  }
}

/** Tells the host which tool runs: after a loop or a crash nothing here can. */
function tellCall(tool: string): () => void {
  const run = currentRun() ?? 0;
  channel.tell({ kind: 'tool', run, tool, begun: true });
  return () => channel.tell({ kind: 'tool', run, tool, begun: false });
}

/** Most characters of a message and of a stack. */
const [longestMessage, longestStack] = [2_000, 8_000];

/** The host logs what a tool has thrown. */
function tellFault(tool: string, _: unknown, error: unknown): void {
  const run = currentRun() ?? 0;
  const { name, message, stack } = textsOfError(error);
  const text = { name, message: message.slice(0, longestMessage), stack: stack.slice(0, longestStack) };
  channel.tell({ kind: 'fault', run, tool, ...text });
}

/** The host logs what a worker prints, and notes in the run that the tools are missing. */
function tellMissing(toolset: string, error: unknown): void {
  // Past the console, whose lines are the run's: its stack tells of this program too.
  process.stderr.write(
    `${format('The toolset %s has failed, so the agent runs without its tools:', toolset, error)}\n`,
  );
  const reason = textsOfError(error).message.slice(0, 500);
  channel.tell({ kind: 'missing', run: currentRun() ?? 0, name: toolset.slice(0, 200), reason });
}

function begin(request: Extract<HostMessage, { kind: 'run' }>): void {
  if (deps === undefined) throw new Error('The app is not loaded.');
  const runner = new TurnRunner(deps, request);
  runners.set(request.run, runner);
  void runner.run().finally(() => {
    runners.delete(request.run);
    printing.end(request.run);
  });
}

function take(message: HostMessage): void {
  switch (message.kind) {
    case 'load':
      return void load(message);
    case 'run':
      return begin(message);
    case 'next':
      return runners.get(message.run)?.next(message.absorbed);
    case 'reset':
      return runners.get(message.run)?.reset(message.keys);
    case 'deltas':
      return runners.get(message.run)?.applyDeltas(message.others, message.own);
    case 'messages':
      return runners.get(message.run)?.addMessages(message.messages);
    case 'abort':
      return runners.get(message.run)?.abort();
    case 'ping':
      return channel.tell({ kind: 'pong', ping: message.ping });
    case 'reply':
    case 'chunk':
      return channel.take(message);
  }
}

// Agents in code name their models by text.
Object.defineProperty(LLMRegistry, 'newLlm', { value: modelOfName(channel) });
printing.hook(console);
endWithHost();
process.on('message', take);
