/** Rights of the frame: to open links in tabs of their own. It runs no scripts, sends no forms and has an opaque origin. */
export const frameSandbox = 'allow-popups allow-popups-to-escape-sandbox';

/**
 * Builds the document of a mail's frame. The policy comes before the first byte of the mail, so that no part of the mail
 * escapes it. Web images load only if `remote` is set. Widths in the mail stay, but no image is wider than the frame.
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

/** Default style of a mail that sets none, as mail programs have it. */
const ground =
  'body{margin:12px;font:14px/1.45 system-ui,sans-serif;overflow-wrap:break-word}img{max-width:100%}';
