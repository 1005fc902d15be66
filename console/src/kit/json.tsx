import { Copy } from './copy.tsx';

/** A value as indented JSON. */
export function Json({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
  return (
    <div class="json">
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}
