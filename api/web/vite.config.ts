import path from 'node:path';
import { defineConfig } from 'vite';

/**
 * Parts of DOMPurify that the page does not use: names in SVG and MathML, methods, and a compiler's helper. Options that the page leaves
 * off become constants, so the minifier omits the code that they turn on.
 */
const unused: [part: RegExp, replacement: string][] = [
  [
    /(?<=^const (?:svg|svg\$1|svgFilters|svgDisallowed|mathMl|mathMl\$1|mathMlDisallowed|xml) = freeze\(\[)[^\]]*/gm,
    '',
  ],
  // Bounded: the code of DOMPurify.
  [/^\tDOMPurify\.(?:setConfig|clearConfig|isValidAttribute|remove\w+) = function[\s\S]*?^\t\};\n/gm, ''],
  // Bounded: the code of DOMPurify.
  [/^AsyncGenerator\.prototype[\s\S]*?^\};\n/m, ''],
  [
    /\b(?:ALLOW_UNKNOWN_PROTOCOLS|FORCE_BODY|IN_PLACE|inPlace|RETURN_(?:DOM|DOM_FRAGMENT|TRUSTED_TYPE)|SAFE_FOR_TEMPLATES|SANITIZE_NAMED_PROPS|SET_CONFIG)\b/g,
    'OFF',
  ],
  [/^\t+(?:let |const |if \(OFF\) )?OFF = .*\n/gm, ''],
  [/\bOFF\b/g, 'false'],
];

/** Removes the unused parts, and fails if a new version of DOMPurify spells one differently. */
const withoutUnused = (code: string) =>
  unused.reduce((rest, [part, replacement]) => {
    const next = rest.replace(part, replacement);
    if (next === rest) throw new Error(`DOMPurify has no ${part}`);
    return next;
  }, code);

/** Builds the page and the reference into `dist/`: one HTML file each, and files under `assets/` with a content hash in their names. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  // Scripts find each other relative to their own URL, and the server completes the URLs in the documents.
  base: './',
  // The classic form of JSX, with children as arguments, produces 1 % less code than the automatic form.
  oxc: {
    jsx: { runtime: 'classic', pragma: '_h', pragmaFrag: '_f' },
    jsxInject: "import { h as _h, Fragment as _f } from 'preact';",
  },
  plugins: [
    // All styles are loaded at the start, and a lazily loaded module is a single file, so Vite has nothing to preload.
    {
      name: 'without-preload',
      enforce: 'pre',
      load: (id) =>
        id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
    },
    {
      name: 'purify-without',
      enforce: 'pre',
      transform: (code, id) => (id.includes('/dompurify/') ? withoutUnused(code) : null),
    },
  ],
  build: {
    outDir: 'dist',
    target: 'es2023',
    // First browsers with `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    // One style sheet is smaller than several, and lazily loaded code needs no separate style sheet.
    cssCodeSplit: false,
    // The documents name everything that is loaded at the start. A lazily loaded module is a single file.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'reference.html'].map((name) => path.join(import.meta.dirname, name)),
    },
  },
});
