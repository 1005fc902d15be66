import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { Button } from '../../kit/button.tsx';
import { t } from '../../texts.ts';

/** Records speech and has it written. Shown where the browser can record. */
export function Dictate({ onText }: { readonly onText: (text: string) => void }) {
  const recorder = useSignal<MediaRecorder | undefined>(undefined);
  if (!('mediaDevices' in navigator) || typeof MediaRecorder === 'undefined') return null;
  const start = async (): Promise<void> => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    recorder.value = new MediaRecorder(stream);
    recorder.value.start();
  };
  const finish = async (recording: MediaRecorder): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<Blob>();
    recording.addEventListener('dataavailable', ({ data }) => resolve(data));
    recording.stop();
    for (const track of recording.stream.getTracks()) track.stop();
    recorder.value = undefined;
    const form = new FormData();
    form.set('file', await promise, 'speech.webm');
    const call = { method: 'POST', path: '/api/audio/transcribe', upload: () => form } as const;
    onText((await mesh.request<{ text: string }>(call)).text);
  };
  const { value } = recorder;
  return value === undefined ? (
    <Button kind="quiet" icon="mic" label={t.chat.record} onPress={start} />
  ) : (
    <Button icon="stop" label={t.chat.stopRecording} onPress={() => finish(value)} pressed />
  );
}
