export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Error text of a server, whole: it can hold our key. Reads OpenAI's and Google's `{"error":{"message"}}`,
 * whisper.cpp's `{"error":"…"}`, speaches' `{"detail"}` and Gemini's `{"promptFeedback":{"blockReason"}}`.
 */
export function errorTextOf(answer: unknown): string {
  if (!isObject(answer)) return 'the answer is not a JSON object';
  const { error, detail, promptFeedback } = answer;
  const said = isObject(error) ? error.message : (error ?? detail);
  if (typeof said === 'string') return said;
  return isObject(promptFeedback) ? `blocked: ${String(promptFeedback.blockReason)}` : 'the answer holds no transcript';
}
