import { route, type SessionName } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { sessionKey, sessionPath } from '../../data/session-record.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Empty, Failure, Skeleton, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { Time } from '../../kit/time.tsx';
import { t } from '../../texts.ts';
import { Preview } from './preview.tsx';

/** The files of a session, each with its versions and a preview. */
export function Artifacts({ place }: { readonly place: SessionName }) {
  const key = `${sessionKey(place)}:artifacts`;
  const known = useQuery(key, () => mesh.artifacts.list(place));
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(names) =>
        names.length === 0 ? (
          <Empty icon="clip" title={t.sessions.noFiles} text={t.sessions.noFilesText} />
        ) : (
          <div class="card lines">
            {names.map((name) => (
              <Artifact key={name} place={place} name={name} />
            ))}
          </div>
        )
      }
    </When>
  );
}

interface ArtifactProps {
  readonly place: SessionName;
  readonly name: string;
}

function Artifact({ place, name }: ArtifactProps) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary class="row">
        <span class="grow clip">{name}</span>
      </summary>
      {isOpen.value && <Versions place={place} name={name} />}
    </details>
  );
}

function Versions({ place, name }: ArtifactProps) {
  const key = `${sessionKey(place)}:artifacts:${name}`;
  const { data, error } = useQuery(key, () => mesh.artifacts.versions(place, name));
  const chosen = useSignal<number | undefined>(undefined);
  const [sure, ask] = useSure();
  if (data === undefined && error !== undefined) return <Failure error={error} retry={() => invalidate(key)} />;
  if (data === undefined) return <Skeleton />;
  const version = data.find((it) => it.version === chosen.value) ?? data.at(-1);
  if (version === undefined) return null;
  const remove = async (): Promise<void> => {
    await mesh.artifacts.delete(place, name);
    await invalidate(`${sessionKey(place)}:artifacts`);
  };
  const file = `${sessionPath(place)}${route`/artifacts/${name}`}`;
  return (
    <div class="stack tight inner">
      <div class="row">
        <select
          class="input"
          aria-label={t.sessions.version}
          value={String(version.version)}
          onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
        >
          {data.map(({ version: number }) => (
            <option key={number} value={String(number)}>
              {t.sessions.version} {number}
            </option>
          ))}
        </select>
        <span class="small muted grow">
          {version.mimeType} · <Time at={version.createTime} />
        </span>
        <LinkButton isTiny href={`${file}?alt=media&version=${version.version}`} download={name}>
          {t.actions.download}
        </LinkButton>
        <Button
          isTiny
          kind="danger"
          onPress={() => ask(t.sessions.deleteFile, t.sessions.deleteFileText, t.actions.delete, remove)}
        >
          {t.actions.delete}
        </Button>
      </div>
      <Preview key={version.version} place={place} name={name} version={version.version} />
      {sure}
    </div>
  );
}
