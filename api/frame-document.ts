/** Rights of the frame: opening links in separate tabs. The frame runs no scripts, submits no forms and has an opaque origin. */
export const frameSandbox = 'allow-popups allow-popups-to-escape-sandbox';

/** URL that cannot be loaded as an image. */
export const blank = 'data:,';

/** Returns the Content-Security-Policy of an email's document. Web images load only if `remote` is set. */
export function framePolicy(remote: boolean): string {
  const images = remote ? 'data: http: https:' : 'data:';
  return `default-src 'none'; img-src ${images}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'`;
}

/**
 * Builds an email's document. The policy precedes the email's first byte, so it applies to every part of the email. Web images load only
 * if `remote` is set. Widths in the email stay, but no image is wider than the frame. `pictures` is the style sheet of the email's own
 * pictures. An email's own dark styles apply if `scheme` is `dark`.
 */
export function frameDocument(html: string, remote: boolean, pictures = '', scheme = 'light'): string {
  return [
    '<!doctype html><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${framePolicy(remote)}">`,
    '<meta http-equiv="x-dns-prefetch-control" content="off">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width">',
    `<meta name="color-scheme" content="${scheme}">`,
    `<style>${ground}${pictures}</style>`,
    html,
  ].join('');
}

/**
 * Default style for an email that sets none, as in mail programs. Browsers show text before an image only if the image could not be
 * loaded. An image without alt text keeps its size.
 */
const ground = [
  'body{margin:12px;font:14px/1.45 system-ui,sans-serif;overflow-wrap:break-word}',
  'img{max-width:100%}',
  'img::before{font:12px/18px system-ui,sans-serif;color:#a51d1d}',
  'img[src^=http]::before{content:"Not loaded "}',
  `img[src="${blank}"]::before{content:"Not in the email "}`,
  'img:is(:not([alt]),[alt=""])::before{position:absolute;margin:1px 0 0 22px}',
].join('');
