/** Most bytes of an answer that becomes part of the conversation. */
const mostBytes = 1024 * 1024;

/** The answer of a tool as JSON has it; an error for the model when JSON cannot hold it or it is too large. Undefined stays undefined. */
export function plainAnswer(name: string, answer: unknown): unknown {
  try {
    const text = JSON.stringify(answer);
    if (text === undefined) return typeof answer === 'function' ? notJson(name) : undefined;
    if (Buffer.byteLength(text) <= mostBytes) return JSON.parse(text);
    return { error: `The tool ${name} answered with more than ${mostBytes} bytes.` };
  } catch {
    return notJson(name);
  }
}

function notJson(name: string): object {
  return { error: `The tool ${name} answered with something that is not JSON.` };
}
