import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> = { value: T } | { error: unknown } | null;

/** What `load` came to, null until then; read anew whenever one of `inputs` changes. Its signal aborts what is not wanted any more. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(null);
  useEffect(() => {
    const abort = new AbortController();
    setLoaded(null);
    load(abort.signal).then(
      (value) => abort.signal.aborted || setLoaded({ value }),
      (error) => abort.signal.aborted || setLoaded({ error }),
    );
    return () => abort.abort();
  }, inputs);
  return loaded;
}
