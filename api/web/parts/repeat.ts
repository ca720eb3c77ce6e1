/**
 * Calls `read` again and again while the page is visible: `pauseMs()` after the previous call has ended, and at once when the page becomes
 * visible. Returns a function that stops this.
 */
export function repeat(read: () => Promise<unknown>, pauseMs: () => number): () => void {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    clearTimeout(timer);
    if (!end.signal.aborted) timer = setTimeout(next, pauseMs());
  };
  const next = async () => {
    if (!document.hidden) await read();
    wait();
  };
  document.addEventListener('visibilitychange', next, end);
  wait();
  return () => {
    end.abort();
    clearTimeout(timer);
  };
}
