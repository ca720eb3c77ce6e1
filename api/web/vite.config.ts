import path from 'node:path';
import { defineConfig } from 'vite';

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
    // The page allows only HTML elements. DOMPurify therefore needs no SVG or MathML names, and removes elements in these namespaces.
    {
      name: 'html-alone',
      transform: (code, id) =>
        id.includes('/dompurify/')
          ? code.replace(/(?<=^const (?:svg|svg\$1|svgFilters|mathMl|mathMl\$1) = freeze\(\[)[^\]]*/gm, '')
          : null,
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
