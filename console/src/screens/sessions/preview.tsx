import type { SessionName } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { t } from '../../texts.ts';

const mostBytes = 4_000_000;
const shown = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|text\/|application\/(json|yaml|xml))/;
/** These are shown as what they look like, other texts as plain text. */
const drawn = /^(image\/|text\/html)/;

interface PreviewProps {
  readonly place: SessionName;
  readonly name: string;
  readonly version: number;
}

/** A file in a sandboxed frame, which runs no script and has an origin of its own. */
export function Preview({ place, name, version }: PreviewProps) {
  const address = useSignal<string | undefined>(undefined);
  const isShown = useSignal(true);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      const {
        body,
        mimeType,
        bytes = 0,
      } = await mesh.artifacts.download(place, name, {
        version,
        signal: leaving.signal,
      });
      isShown.value = shown.test(mimeType) && bytes <= mostBytes;
      if (!isShown.value) return body.cancel();
      const type = drawn.test(mimeType) ? mimeType : 'text/plain; charset=utf-8';
      address.value = URL.createObjectURL(new Blob([await new Response(body).arrayBuffer()], { type }));
    };
    load().catch(() => {
      isShown.value = false;
    });
    return () => {
      leaving.abort();
      if (address.peek() !== undefined) URL.revokeObjectURL(address.peek() ?? '');
    };
  }, []);
  if (!isShown.value) return <p class="small muted">{t.sessions.noPreview}</p>;
  return address.value === undefined ? null : (
    <iframe class="preview" sandbox="" title={`${t.sessions.preview} ${name}`} src={address.value} />
  );
}
