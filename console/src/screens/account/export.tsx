import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { Button } from '../../kit/button.tsx';
import { count, sizeOf } from '../../kit/numbers.ts';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { type ExportProgress, readExport } from './read-export.ts';

/** Downloads all that the account has. */
export function Export() {
  const progress = useSignal<ExportProgress | undefined>(undefined);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const download = async (): Promise<void> => {
    const { signal } = (leaving.current = new AbortController());
    progress.value = { part: 0, parts: 1, records: 0, bytes: 0 };
    try {
      const lines = mesh.account.export({ signal });
      save(await readExport(lines, (now) => (progress.value = now)));
      say(t.account.exported);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      progress.value = undefined;
    }
  };
  return (
    <section class="card pad stack">
      <h2>{t.account.export}</h2>
      <p class="muted">{t.account.exportLead}</p>
      {progress.value && <Shown {...progress.value} />}
      <div class="row">
        <Button kind="first" icon="save" onPress={download}>
          {t.account.exportNow}
        </Button>
        {progress.value && <Button onPress={() => leaving.current?.abort()}>{t.actions.cancel}</Button>}
      </div>
    </section>
  );
}

function Shown({ part, parts, records, bytes }: ExportProgress) {
  return (
    <div class="stack tight">
      <progress class="progress" value={part} max={parts} aria-label={t.account.export} />
      <p class="small muted">{`${count(records)} ${t.account.records} · ${sizeOf(bytes)}`}</p>
    </div>
  );
}

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `agentmesh-${new Date().toISOString().slice(0, 10)}.ndjson`;
  link.click();
  // The browser reads the address when it saves the file, a moment after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
