/** What the frame may do: show, and open links in tabs of their own. No scripts, no forms, and an origin of its own. */
export const frameSandbox = 'allow-popups allow-popups-to-escape-sandbox';

/**
 * The document of a mail's frame. Its policy comes before the first byte of the mail, so that nothing in that can load
 * anything; web images only where `remote` says so. Widths of the mail's own are kept, but no image is wider than the frame.
 */
export function frameDocument(html: string, remote: boolean): string {
  const images = remote ? 'data: http: https:' : 'data:';
  const policy = `default-src 'none'; img-src ${images}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'`;
  return [
    '<!doctype html><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta http-equiv="x-dns-prefetch-control" content="off">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light">',
    `<style>${ground}</style>`,
    html,
  ].join('');
}

/** As mail programs show what says nothing about itself. */
const ground =
  'body{margin:12px;font:14px/1.45 system-ui,sans-serif;overflow-wrap:break-word}img{max-width:100%}';
