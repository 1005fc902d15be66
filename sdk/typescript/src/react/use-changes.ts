import { useEffect, useRef, useState } from 'react';
import type { AgentMesh, ChangeEvent } from '../index.ts';
import { asError } from './as-error.ts';

/** Calls a function for each change of the account, and for each gap: then read again what you show. */
export function useChanges(
  mesh: AgentMesh,
  onChange: (change: ChangeEvent) => void,
): { readonly error: Error | undefined } {
  const [error, setError] = useState<Error>();
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const leaving = new AbortController();
    setError(undefined);
    listen(mesh, leaving.signal, (change) => latest.current(change)).catch((thrown: unknown) => {
      if (!leaving.signal.aborted) setError(asError(thrown));
    });
    return () => leaving.abort();
  }, [mesh]);
  return { error };
}

async function listen(mesh: AgentMesh, signal: AbortSignal, onChange: (change: ChangeEvent) => void): Promise<void> {
  for await (const change of mesh.changes.stream({ signal })) onChange(change);
}
