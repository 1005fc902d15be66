import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit-code.ts';

/** Asks a person for a line. `isSecret`: what is typed is not shown. */
export async function ask(question: string, isSecret = false): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError(`There is no terminal to ask for: ${question.trim()} Type the command in one.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  if (isSecret) hideInput(lines as unknown as Writing);
  try {
    return await lines.question(question);
  } finally {
    lines.close();
    if (isSecret) process.stderr.write('\n');
  }
}

interface Writing {
  _writeToOutput: (text: string) => void;
}

/** Readline writes each typed character through this method, and has no option to hide it. */
function hideInput(lines: Writing): void {
  const write = lines._writeToOutput.bind(lines);
  let isAsked = false;
  lines._writeToOutput = (piece) => {
    if (!isAsked) write(piece);
    isAsked = true;
  };
}

/** The text that was piped into the command. */
export async function readStdin(): Promise<string> {
  return (await text(process.stdin)).trim();
}
