import { useEffect, useRef } from 'preact/hooks';

/** Largest number of images of a mail that are checked. */
const most = 200;

type Props = { urls: string[]; failed(url: string): void };

/**
 * Finds the web images that cannot be loaded: a mail's own frame runs no script that could tell. The check is made in a hidden
 * frame with an opaque origin, from which requests carry no cookie that is for this site alone, and which has nothing of the mail
 * but the URLs.
 */
export function ImageCheck({ urls, failed }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const take = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== null && source === frame.current?.contentWindow) failed(String(data));
    };
    addEventListener('message', take);
    return () => removeEventListener('message', take);
  }, []);
  const check = () => frame.current?.contentWindow?.postMessage(urls.slice(0, most), '*');
  return (
    <iframe
      ref={frame}
      hidden
      title="Check of the images"
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      src="/image-check"
      onLoad={check}
    />
  );
}
