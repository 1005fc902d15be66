import type { Content, Part } from '@agentmesh/client';
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { sayError } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { Dictate } from './dictate.tsx';
import type { Thread } from './thread.ts';
import type { Unsent } from './unsent.ts';

interface ComposerProps {
  readonly thread: Thread | undefined;
  readonly unsent: Unsent;
  /** Whether a message is on its way to the server. The next one waits in its field: its run or session may not be there yet. */
  readonly isSending: Signal<boolean>;
  readonly send: (message: Content) => Promise<void>;
}

/** Writes a message. While a run goes on, a text is added to the run, and a button stops it. */
export function Composer({ thread, unsent: { text, files }, isSending, send }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isRunning = thread?.isRunning.value === true;
  useEffect(() => void (matchMedia('(hover: hover)').matches && field.current?.focus()), []);
  const submit = async (): Promise<void> => {
    const words = text.value.trim();
    if (isSending.value || (words === '' && files.value.length === 0)) return;
    const before = [text.value, files.value] as const;
    [text.value, isSending.value] = ['', true];
    try {
      if (isRunning) await thread?.steer(words);
      else await send({ role: 'user', parts: await partsOf(words, ((files.value = []), before[1])) });
    } catch (error) {
      [text.value, files.value] = before;
      sayError(error);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      {...dropInto(files)}
    >
      {files.value.length > 0 && <Files files={files} />}
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={isRunning ? t.chat.steerPlaceholder : t.chat.placeholder}
        placeholder={isRunning ? t.chat.steerPlaceholder : t.chat.placeholder}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void submit();
        }}
      />
      <Tools thread={thread} unsent={{ text, files }} isSending={isSending} />
    </form>
  );
}

function dropInto(files: Signal<readonly File[]>) {
  return {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      files.value = [...files.value, ...Array.from(event.dataTransfer?.files ?? [])];
    },
  };
}

function Tools({ thread, unsent: { text, files }, isSending }: Omit<ComposerProps, 'send'>) {
  const isRunning = thread?.isRunning.value === true;
  return (
    <div class="row composer-tools">
      {!isRunning && <Attach files={files} />}
      {!isRunning && <Dictate onText={(words) => (text.value = `${text.value} ${words}`.trim())} />}
      <span class="grow" />
      {isRunning && (
        <Button icon="stop" onPress={() => thread?.stop()}>
          {t.actions.stop}
        </Button>
      )}
      <Button
        type="submit"
        kind="first"
        icon="send"
        label={isRunning ? t.chat.steer : t.actions.send}
        isOff={isSending.value || (text.value.trim() === '' && files.value.length === 0)}
      />
    </div>
  );
}

function Attach({ files }: { readonly files: Signal<readonly File[]> }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.chat.attach}
        onChange={(event) => {
          files.value = [...files.value, ...Array.from(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
        }}
      />
      <Button kind="quiet" icon="clip" label={t.chat.attach} onPress={() => input.current?.click()} />
    </>
  );
}

function Files({ files }: { readonly files: Signal<readonly File[]> }) {
  return (
    <div class="row">
      {files.value.map((file) => (
        <span key={`${file.name}${file.size}`} class="tag row">
          {file.name}
          <Button
            kind="quiet"
            isTiny
            icon="close"
            label={`${t.chat.remove} ${file.name}`}
            onPress={() => (files.value = files.value.filter((it) => it !== file))}
          />
        </span>
      ))}
    </div>
  );
}

async function partsOf(words: string, files: readonly File[]): Promise<Part[]> {
  const attached = await Promise.all(
    files.map(async (file) => ({
      inlineData: {
        displayName: file.name,
        mimeType: file.type || 'application/octet-stream',
        data: await base64Of(file),
      },
    })),
  );
  return [...(words === '' ? [] : [{ text: words }]), ...attached];
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve((reader.result as string).split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}
