/** What a style sheet may say, in the browser's own spelling: no @import; every URL is what `keep` makes of it. */
export function cleanSheet(css: string, keep: (url: string) => string): string {
  const sheet = new CSSStyleSheet();
  // Old mails hide their styles in comments from programs that know none.
  sheet.replaceSync(css.replace(/<!--|-->/g, ''));
  // Fonts are never loaded, not even where images are.
  const rules = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSFontFaceRule));
  return cleanUrls(rules.map((rule) => rule.cssText).join('\n'), keep);
}

/**
 * A `url(…)` token (CSS Syntax section 4.3.6), or the beginning of one that never ends. Each alternative begins with a
 * character that the one before cannot take, so that the time is linear in the text.
 */
const urlToken =
  /url\(\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"\s*|'([^'\\]*(?:\\.[^'\\]*)*)'\s*|((?:[^"'()\\\s]|\\.)+)\s*)?\)|url\(/gis;

/** The same for the declarations of a style attribute, as `style.cssText` spells them. */
export function cleanUrls(css: string, keep: (url: string) => string): string {
  return (
    css
      .replace(urlToken, (token, double?: string, single?: string, bare?: string) => {
        // An escaped bracket shows the same text in a string, and begins no URL elsewhere.
        if (!token.endsWith(')')) return `${token.slice(0, -1)}\\28 `;
        return `url("${keep(double ?? single ?? bare ?? '').replace(/["\\\n]/g, '\\$&')}")`;
      })
      // In a string it may look like the end of the style.
      .replace(/<(?=[/\w!?])/g, '\\3c ')
  );
}
